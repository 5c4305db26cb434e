/// How a load failed.
public enum LoadFailure: Sendable, Equatable {
    /// The origin could not be reached, timed out, or closed without a complete response.
    case network
    /// The origin sent a complete response with this status.
    case status(UInt16)
}

/// Whether a stored response may be served because a load failed (RFC 9111 §4.2.4, RFC 5861 §4).
public enum StaleVerdict: Sendable, Equatable {
    case serve(StaleReason)
    case refuse(StaleObstacle)
}

/// Why stale content is served; the raw value is the word for `explain` and Cache-Status.
public enum StaleReason: String, Sendable {
    /// The origin cannot be reached (RFC 9111 §4.2.4).
    case disconnected
    case staleIfError = "stale-if-error"
    /// Within the window of a rule.
    case rule = "rule-stale-if-error"
    case requestStaleIfError = "request-stale-if-error"
    /// Within the window of the setting.
    case configured = "configured-stale-if-error"
}

/// Why stale content is not served; the raw value is the word for `explain` and Cache-Status.
public enum StaleObstacle: String, Sendable {
    case mustRevalidate = "must-revalidate"
    case noCache = "no-cache"
    case sMaxAge = "s-maxage"
    case invalidated
    case requestNoCache = "request-no-cache"
    /// The origin responded with a status that no window covers: its response is passed on.
    case statusNotCovered = "status-not-covered"
    /// Older than the window of the origin or a rule.
    case windowExceeded = "stale-if-error-exceeded"

    /// Whether the stored response forbids it: if the origin does not respond, the client gets 504 (RFC 9111 §5.2.2.2).
    public var isOfResponse: Bool {
        switch self {
        case .mustRevalidate, .noCache, .sMaxAge: true
        case .invalidated, .requestNoCache, .statusNotCovered, .windowExceeded: false
        }
    }
}

extension ResponseMetadata {
    /// Decides whether this response, `ageSeconds` old, may be served because a load failed.
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

    /// The stale-if-error window: the response's own, else that of the setting.
    func staleIfErrorSeconds(_ options: CachingOptions) -> Int64 {
        ownStaleIfErrorSeconds ?? DeltaSeconds.clamped(options.staleIfErrorSeconds)
    }

    /// The reason that forbids serving the response, whatever the windows.
    ///
    /// Fewer reasons apply while it is fresh, which it may be if the client asked for validation.
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

    /// The window that covers it; only that of the origin or a rule overrides `s-maxage`.
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
