import HTTPCore

/// Explanations of the decisions about a stored response.
extension ResponseMetadata {
    /// Explains the lifetime.
    public var lifetimeNote: DecisionNote {
        let (seconds, field) = (lifetimeSeconds, targetedField.map { "\($0.text)" } ?? "Cache-Control")
        switch lifetimeSource {
        case .sMaxAge:
            return DecisionNote("s-maxage", "fresh for \(seconds) s, by s-maxage in \(field)", "RFC 9111 §5.2.2.10")
        case .maxAge:
            return DecisionNote("max-age", "fresh for \(seconds) s, by max-age in \(field)", "RFC 9111 §5.2.2.1")
        case .expires:
            return DecisionNote("expires", "fresh for \(seconds) s, by Expires minus Date", "RFC 9111 §5.3")
        case .heuristic:
            return DecisionNote(
                "heuristic",
                "fresh for \(seconds) s, a part of the time since Last-Modified, since no lifetime is stated",
                "RFC 9111 §4.2.2",
                remedy: "max-age in Cache-Control of the origin, ttl in a rule, or cache.heuristic-fraction"
            )
        case .rule:
            let rule = applied?.lifetime?.rule ?? "a rule"
            return DecisionNote(
                "rule",
                "fresh for \(seconds) s, by \(rule)",
                "RFC 9111 §4.2.1",
                remedy: "ttl in \(rule)"
            )
        case .none:
            return DecisionNote(
                "no-lifetime",
                "no lifetime is stated, and none may be guessed",
                "RFC 9111 §4.2.2",
                remedy: "max-age in Cache-Control of the origin, or ttl in a rule"
            )
        }
    }

    /// Explains a decision about the use of the response.
    ///
    /// - Parameters:
    ///   - directives: the directives of the request.
    ///   - ageSeconds: the age that the decision was made with.
    public func note(
        of decision: ServeDecision,
        for directives: RequestDirectives,
        ageSeconds age: Int64
    ) -> DecisionNote {
        switch decision {
        case .fresh(let remaining):
            return DecisionNote("fresh", "age \(age) s is below the lifetime; \(remaining) s are left", "RFC 9111 §4.2")
        case .staleAllowed(let staleness):
            return DecisionNote(
                "max-stale",
                "stale by \(staleness) s, which the request's max-stale allows",
                "RFC 9111 §5.2.1.2",
                remedy: "a request without max-stale is answered after validation"
            )
        case .staleWhileRevalidate(let staleness):
            let window = ownStaleWhileRevalidateSeconds ?? 0
            return DecisionNote(
                "stale-while-revalidate",
                "stale by \(staleness) s, within the window of \(window) s: served, and validated in the background",
                "RFC 5861 §3",
                remedy: "a window of 0 makes requests wait for the validation"
            )
        case .validate(let reason): return note(of: reason, directives, age)
        case .refuse(let reason):
            var note = note(of: reason, directives, age)
            note.sentence += "; and only-if-cached keeps the request from the origin"
            return note
        }
    }

    private func note(of reason: ValidationReason, _ directives: RequestDirectives, _ age: Int64) -> DecisionNote {
        let stale = "age \(age) s, lifetime \(lifetimeSeconds) s: stale by \(age - lifetimeSeconds) s"
        let word = reason.rawValue
        switch reason {
        case .stale:
            return DecisionNote(
                word,
                stale,
                "RFC 9111 §4.2",
                remedy:
                    "a longer lifetime or stale-while-revalidate, by the origin or a rule (ttl, stale-while-revalidate)"
            )
        case .mustRevalidate:
            let flags = control.flags
            let name =
                flags.contains(.mustRevalidate)
                ? "must-revalidate" : flags.contains(.proxyRevalidate) ? "proxy-revalidate" : "s-maxage"
            return DecisionNote(
                word,
                "\(stale), and \(name) forbids use without validation",
                name == "s-maxage" ? "RFC 9111 §5.2.2.10" : "RFC 9111 §5.2.2.2",
                remedy: "a longer lifetime, by the origin or a rule (ttl)"
            )
        case .noCache:
            return DecisionNote(
                word,
                "no-cache in the response asks for validation before each use",
                "RFC 9111 §5.2.2.4",
                remedy: "the origin's Cache-Control, or cache-even in a rule"
            )
        case .invalidated:
            return DecisionNote(
                word,
                "marked by an unsafe request to the URI, or by an administrator, since it was stored",
                "RFC 9111 §4.4"
            )
        case .requestNoCache:
            return DecisionNote(
                word,
                "the request says no-cache",
                "RFC 9111 §5.2.1.4",
                remedy: "the same request without no-cache in Cache-Control or Pragma"
            )
        case .requestMaxAge:
            return DecisionNote(
                word,
                "age \(age) s is not within the request's max-age of \(directives.maxAgeSeconds ?? 0) s",
                "RFC 9111 §5.2.1.1",
                remedy: "the same request without max-age"
            )
        case .requestMinFresh:
            let left = lifetimeSeconds - age
            return DecisionNote(
                word,
                "\(left) s of the lifetime are left, and the request's min-fresh asks for \(directives.minFreshSeconds ?? 0) s",
                "RFC 9111 §5.2.1.3",
                remedy: "the same request without min-fresh"
            )
        }
    }
}
