public import ResourceCore
import HTTPCore

/// A resource at one moment, as programs see it.
extension ResourceSnapshot {
    /// The last valid data from any source (S-070); made of `latestResponse` if loads run over exchanges.
    public var latestData: Entity<any Sendable>? { entity ?? latestResponse?.entity }

    private var entity: Entity<any Sendable>? { (data as? ModelEntity)?.entity }

    /// How the last load failed; nil if it did not (S-071).
    public var latestError: RequestError? {
        error.map { $0.cause as? RequestError ?? RequestError($0.failure, timestamp: $0.timestamp) }
    }
}

extension ResourceSnapshot: TypedContentAccessors {
    public var entityForTypedContentAccessors: Entity<any Sendable>? { latestData }
}
