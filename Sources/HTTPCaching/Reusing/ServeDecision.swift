public import HTTPCore

/// How to use a stored response that a request selects (RFC 9111 §4).
public enum ServeDecision: Sendable, Equatable {
    /// Use it.
    case fresh(remainingSeconds: Int64)
    /// Use it although it is stale: the client's `max-stale` allows it.
    case staleAllowed(staleBySeconds: Int64)
    /// Use it and validate in the background (RFC 5861 §3).
    case staleWhileRevalidate(staleBySeconds: Int64)
    /// Validate it first; load anew if it has no validator.
    case validate(ValidationReason)
    /// Answer 504: the stored response must not be used, and the request must not go to the origin (RFC 9111 §5.2.1.7).
    case refuse(ValidationReason)
}

/// Why a stored response has to be validated; the raw value is the word for `explain` and Cache-Status.
public enum ValidationReason: String, Sendable {
    case stale
    /// Stale, and the origin forbids to use it stale.
    case mustRevalidate = "must-revalidate"
    case noCache = "no-cache"
    case invalidated
    case requestNoCache = "request-no-cache"
    case requestMaxAge = "request-max-age"
    case requestMinFresh = "request-min-fresh"

    /// The reason in Cache-Status for forwarding the request (RFC 9211 §2.2).
    public var forward: ForwardReason {
        switch self {
        case .stale, .mustRevalidate, .noCache, .invalidated: .stale
        case .requestNoCache, .requestMaxAge, .requestMinFresh: .request
        }
    }
}

/// Why a request was forwarded to the origin.
public typealias ForwardReason = CacheStatus.ForwardReason

extension ResponseMetadata {
    /// Decides whether this response may answer a request with `directives` at the age of `ageSeconds`.
    ///
    /// - Parameter isInvalidated: whether an unsafe request has invalidated it (RFC 9111 §4.4).
    public func decision(
        for directives: RequestDirectives,
        ageSeconds: Int64,
        isInvalidated: Bool = false
    ) -> ServeDecision {
        let decision = unrestrictedDecision(honoured(directives), DeltaSeconds.clamped(ageSeconds), isInvalidated)
        if directives.onlyIfCached, case .validate(let reason) = decision { return .refuse(reason) }
        return decision
    }

    private func unrestrictedDecision(
        _ directives: RequestDirectives,
        _ age: Int64,
        _ isInvalidated: Bool
    ) -> ServeDecision {
        if isInvalidated { return .validate(.invalidated) }
        if control.flags.contains(.noCache) { return .validate(.noCache) }
        if directives.noCache { return .validate(.requestNoCache) }
        if age < lifetimeSeconds { return freshDecision(directives, age) }
        return staleDecision(directives, age)
    }

    private func freshDecision(_ directives: RequestDirectives, _ age: Int64) -> ServeDecision {
        // An immutable response need not be validated for a client's plain reload (RFC 8246 §2).
        if !control.flags.contains(.immutable), exceedsMaxAge(directives, age) { return .validate(.requestMaxAge) }
        let remaining = lifetimeSeconds - age
        if let minimum = directives.minFreshSeconds, remaining < minimum { return .validate(.requestMinFresh) }
        return .fresh(remainingSeconds: remaining)
    }

    private func staleDecision(_ directives: RequestDirectives, _ age: Int64) -> ServeDecision {
        let staleness = age - lifetimeSeconds
        if exceedsMaxAge(directives, age) { return .validate(.requestMaxAge) }
        if directives.minFreshSeconds != nil { return .validate(.requestMinFresh) }
        if !control.flags.isDisjoint(with: CacheControl.Flags.demandingValidation) { return .validate(.mustRevalidate) }
        if let window = ownStaleWhileRevalidateSeconds, staleness < window {
            return .staleWhileRevalidate(staleBySeconds: staleness)
        }
        if forbidsStaleBySMaxAge { return .validate(.mustRevalidate) }
        if let tolerated = directives.maxStaleSeconds, staleness <= tolerated {
            return .staleAllowed(staleBySeconds: staleness)
        }
        return .validate(.stale)
    }

    /// Whether the response is too old for the request; for `max-age=0` every response is.
    private func exceedsMaxAge(_ directives: RequestDirectives, _ age: Int64) -> Bool {
        guard let maximum = directives.maxAgeSeconds else { return false }
        return maximum == 0 || age > maximum
    }
}

extension CacheControl.Flags {
    /// Directives that forbid to use a stale response without validation (RFC 9111 §4.2.4).
    static let demandingValidation: CacheControl.Flags = [.mustRevalidate, .proxyRevalidate, .noCache]
}
