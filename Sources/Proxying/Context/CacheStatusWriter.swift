import HTTPCaching
import HTTPCore
import Outcomes

/// Writes our member of Cache-Status, and keeps the last one: the next response most often has the same.
final class CacheStatusWriter {
    /// A member and the values it was made from.
    ///
    /// An object, since reading it retains one reference.
    private final class Member {
        private let outcome: CacheOutcome
        let bytes: [UInt8]

        init(_ outcome: CacheOutcome, _ bytes: [UInt8]) {
            self.outcome = outcome
            self.bytes = bytes
        }

        func isMember(for outcome: CacheOutcome) -> Bool { self.outcome == outcome }
    }

    private var latest: Member?

    /// - Parameter key: the cache key, if the request asks for it.
    func member(_ outcome: CacheOutcome, ttl: Int64? = nil, key: TargetURI? = nil) -> [UInt8] {
        guard ttl == nil, key == nil else { return Self.member(outcome, ttl, key) }
        if let latest, latest.isMember(for: outcome) { return latest.bytes }
        let bytes = Self.member(outcome, nil, nil)
        latest = Member(outcome, bytes)
        return bytes
    }

    private static func member(_ outcome: CacheOutcome, _ ttl: Int64?, _ key: TargetURI?) -> [UInt8] {
        var status = CacheStatus(outcome)
        (status.ttl, status.key) = (ttl, key?.bytes)
        return status.bytes
    }
}

extension CacheStatus {
    init(_ outcome: CacheOutcome) {
        self.init(
            outcome.isHit ? .hit : outcome.forward.map { .forwarded($0) } ?? .none,
            forwardStatus: outcome.forwardStatus,
            isStored: outcome.isStored,
            isCollapsed: outcome.isCollapsed,
            detail: outcome.detail
        )
    }
}
