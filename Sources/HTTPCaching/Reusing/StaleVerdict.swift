/// How a load failed.
public enum LoadFailure: Sendable, Equatable {
    /// Unreachable, timed out, or closed without a complete answer.
    case network
    /// A complete response with this status.
    case status(UInt16)
}

/// Whether a stored response may stand in for a failed load (RFC 9111 §4.2.4, RFC 5861 §4).
public enum StaleVerdict: Sendable, Equatable {
    case serve(StaleReason)
    case refuse(StaleObstacle)
}

/// Why stale content is served; the raw value is the word for `explain` and Cache-Status.
public enum StaleReason: String, Sendable {
    /// The origin cannot be reached (RFC 9111 §4.2.4).
    case disconnected
    case staleIfError = "stale-if-error"
    /// A rule gives the window.
    case rule = "rule-stale-if-error"
    case requestStaleIfError = "request-stale-if-error"
    /// The setting.
    case configured = "configured-stale-if-error"
}

/// Why stale content is not served; the raw value is the word for `explain` and Cache-Status.
public enum StaleObstacle: String, Sendable {
    case mustRevalidate = "must-revalidate"
    case noCache = "no-cache"
    case sMaxAge = "s-maxage"
    case invalidated
    case requestNoCache = "request-no-cache"
    /// The origin answered, and nothing covers its status: its answer is passed on.
    case statusNotCovered = "status-not-covered"
    /// Older than the window that the origin or a rule gave.
    case windowExceeded = "stale-if-error-exceeded"

    /// Whether the response itself forbids it: where the origin gives no answer, that is 504 (RFC 9111 §5.2.2.2).
    public var isOfResponse: Bool {
        switch self {
        case .mustRevalidate, .noCache, .sMaxAge: true
        case .invalidated, .requestNoCache, .statusNotCovered, .windowExceeded: false
        }
    }
}

extension ResponseMetadata {
    /// Judges whether this response, `ageSeconds` old, may be served because a load failed.
    public func staleVerdict(
        after failure: LoadFailure,
        for directives: RequestDirectives,
        ageSeconds: Int64,
        isInvalidated: Bool = false,
        options: CachingOptions
    ) -> StaleVerdict {
        let directives = honoured(directives)
        let staleness = DeltaSeconds.clamped(ageSeconds) - lifetimeSeconds
        let isStale = staleness >= 0
        if let obstacle = staleObstacle(directives, isInvalidated, isStale) { return .refuse(obstacle) }
        let reason = windowReason(directives, max(0, staleness), options)
        switch failure {
        case .network:
            if let reason { return .serve(reason) }
            if isStale, ownStaleIfErrorSeconds != nil { return .refuse(.windowExceeded) }
            return isStale && forbidsStaleBySMaxAge ? .refuse(.sMaxAge) : .serve(.disconnected)
        case .status(let status):
            guard StatusCodes.isCoveredByStaleIfError(status) else { return .refuse(.statusNotCovered) }
            if let reason { return .serve(reason) }
            return .refuse(ownStaleIfErrorSeconds == nil ? .statusNotCovered : .windowExceeded)
        }
    }

    /// The window for errors: the response's own, else the setting's.
    func staleIfErrorSeconds(_ options: CachingOptions) -> Int64 {
        ownStaleIfErrorSeconds ?? DeltaSeconds.clamped(options.staleIfErrorSeconds)
    }

    /// What forbids it whatever the windows; a response still fresh (the client asked for validation) is forbidden less.
    private func staleObstacle(
        _ directives: RequestDirectives,
        _ isInvalidated: Bool,
        _ isStale: Bool
    ) -> StaleObstacle? {
        if isInvalidated { return .invalidated }
        if control.flags.contains(.noCache) { return .noCache }
        if isStale, !control.flags.isDisjoint(with: [.mustRevalidate, .proxyRevalidate]) { return .mustRevalidate }
        return directives.noCache ? .requestNoCache : nil
    }

    /// Which window covers it; only the origin's own or a rule's lifts what `s-maxage` implies.
    private func windowReason(
        _ directives: RequestDirectives,
        _ staleness: Int64,
        _ options: CachingOptions
    ) -> StaleReason? {
        if let window = ownStaleIfErrorSeconds, staleness < window {
            return applied?.staleIfError == nil ? .staleIfError : .rule
        }
        if forbidsStaleBySMaxAge { return nil }
        if let window = directives.staleIfErrorSeconds, staleness < window { return .requestStaleIfError }
        if ownStaleIfErrorSeconds == nil, staleness < options.staleIfErrorSeconds { return .configured }
        return nil
    }
}
