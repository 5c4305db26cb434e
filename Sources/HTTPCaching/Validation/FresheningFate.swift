/// What to do with a stored response that a 304 has freshened.
///
/// The client whose request validated it gets the freshened response in any case.
public enum FresheningFate: Sendable, Equatable {
    /// Replace it with the freshened response.
    case replace
    /// Leave it as it is, stale: a 304 for one credential means nothing for the others (RFC 9111 §3.5).
    case keepUnchanged
    /// Remove it: the origin no longer allows to store it for these requests.
    case remove
}

extension ResponseMetadata {
    /// Decides what to do with the stored response; `self` is the response after freshening.
    ///
    /// - Parameters:
    ///   - partition: the requests that it is stored for.
    ///   - request: the request that validated it.
    ///   - extent: its bytes, if it is a part.
    public func fate(
        ofStoredFor partition: PartitionClass,
        for request: RequestProfile,
        options: CachingOptions,
        extent: ContentExtent? = nil
    ) -> FresheningFate {
        switch storability(for: request, options: options, extent: extent) {
        case .refuse(let reason): reason == .requestNoStore ? .keepUnchanged : .remove
        case .store(.shared, _): .replace
        case .store(.credential, _): partition == .shared ? .keepUnchanged : .replace
        case .store(.personal, _) where partition == .personal: .replace
        case .store(.personal, .cookie), .store(.personal, .setCookie): .keepUnchanged
        case .store(.personal, _): .remove
        }
    }
}
