extension StaleReason {
    /// The explanation why a stale response, or one that could not be validated, is served.
    public var note: DecisionNote {
        switch self {
        case .disconnected:
            DecisionNote(
                rawValue,
                "the origin cannot be reached, and nothing forbids to use the stored response",
                "RFC 9111 §4.2.4",
                remedy: "must-revalidate of the origin, or stale-if-error in a rule"
            )
        case .staleIfError:
            DecisionNote(rawValue, "within the response's stale-if-error window", "RFC 5861 §4")
        case .rule:
            DecisionNote(rawValue, "within a rule's stale-if-error window", "RFC 5861 §4", remedy: "the rule")
        case .requestStaleIfError:
            DecisionNote(rawValue, "within the window of the request's stale-if-error", "RFC 5861 §4")
        case .configured:
            DecisionNote(
                rawValue,
                "within the window of the setting",
                "RFC 5861 §4",
                remedy: "the setting cache.stale-if-error"
            )
        }
    }
}

extension StaleObstacle {
    /// The explanation why stale content is not served.
    public var note: DecisionNote {
        switch self {
        case .mustRevalidate:
            DecisionNote(rawValue, "must-revalidate or proxy-revalidate forbids stale content", "RFC 9111 §5.2.2.2")
        case .noCache: DecisionNote(rawValue, "no-cache forbids use without validation", "RFC 9111 §5.2.2.4")
        case .sMaxAge: DecisionNote(rawValue, "s-maxage forbids stale content", "RFC 9111 §5.2.2.10")
        case .invalidated: DecisionNote(rawValue, "it was invalidated since it was stored", "RFC 9111 §4.4")
        case .requestNoCache: DecisionNote(rawValue, "the request says no-cache", "RFC 9111 §5.2.1.4")
        case .statusNotCovered:
            DecisionNote(
                rawValue,
                "the origin answered, and no stale-if-error window covers its status",
                "RFC 5861 §4",
                remedy: "stale-if-error, by the origin or a rule"
            )
        case .windowExceeded:
            DecisionNote(rawValue, "older than the stale-if-error window", "RFC 5861 §4", remedy: "a wider window")
        }
    }
}
