package import HTTPCore

/// The beginning of a transformed response that bypasses the cache.
package enum PassedHead: Sendable {
    /// - Parameters:
    ///   - contentLength: nil if it is not known yet.
    ///   - body: nil if no content follows.
    case response(status: UInt16, fields: Fields, contentLength: Int64?, body: GrowingBody?)
    case failure(RunFailure)
}
