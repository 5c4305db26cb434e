import Exchanges
import HTTPCaching
import HTTPCore
import Outcomes
import ResourceCore

extension PassReason {
    /// Why the request bypasses the core.
    func note(_ context: ResourceContext) -> DecisionNote {
        note(neverCachedBy: context.configuration.caching.neverCachedBy?.name)
    }

    /// - Parameter rule: the rule that forbids to cache, if it is known.
    func note(neverCachedBy rule: String?) -> DecisionNote {
        switch self {
        case .range:
            DecisionNote(
                rawValue,
                "the request has a range and conditions, and nothing stored answers it: the origin's response may be "
                    + "of use to this request only",
                "RFC 9110 §15.3.7",
                remedy: "the same request without If-Range and conditions, or a request for the whole"
            )
        case .requestNoStore:
            DecisionNote(
                rawValue,
                "the request has no-store, and no stored response may be used",
                "RFC 9111 §5.2.1.5",
                remedy: "the same request without no-store"
            )
        case .head:
            DecisionNote(
                rawValue,
                "no stored response answers the HEAD, and the response to it cannot be stored",
                "RFC 9110 §9.3.2",
                remedy: "a GET"
            )
        case .eventStream:
            DecisionNote(
                rawValue,
                "the request asks for a stream of its own",
                "RFC 9111 §3",
                remedy: "record-streams = true in a rule"
            )
        case .originCondition:
            DecisionNote(rawValue, "only the origin may evaluate If-Match and If-Unmodified-Since", "RFC 9111 §4.3.2")
        case .neverCache:
            DecisionNote(
                rawValue,
                "\(rule ?? "a rule") forbids to cache",
                "RFC 9111 §3",
                remedy: "never-cache = false in a later rule"
            )
        }
    }
}

extension CacheRefusal {
    /// Why the origin is not asked; `servesStored`: whether a stored response is served instead.
    func note(servesStored: Bool) -> DecisionNote {
        switch self {
        case .onlyIfCached:
            DecisionNote(
                rawValue,
                "the request accepts only stored responses, and none may be used",
                "RFC 9111 §5.2.1.7",
                remedy: "the same request without only-if-cached"
            )
        case .offline:
            DecisionNote(
                rawValue,
                servesStored
                    ? "the origin is not asked in this mode: a stored response is served, however old"
                    : "the origin is not asked in this mode, and nothing is stored",
                "RFC 9111 §4.2.4",
                remedy: "mode = \"auto\""
            )
        case .replay:
            DecisionNote(
                rawValue,
                servesStored
                    ? "the origin is not asked in this mode, and ages do not grow: a stored response is served as it was received"
                    : "the origin is not asked in this mode, and nothing is stored",
                "RFC 9111 §4.2.4",
                remedy: "mode = \"auto\""
            )
        case .tooManyWaiters:
            DecisionNote(
                rawValue,
                "the limit of requests that wait for one response is reached",
                "RFC 9111 §4",
                remedy: "time, or the setting limits.waiters-per-load"
            )
        }
    }
}

extension CacheRefusal {
    /// Why a request that bypasses stored responses is refused.
    var bypassNote: DecisionNote {
        DecisionNote(
            rawValue,
            "the origin is not asked in this mode, and only it can answer the request",
            "RFC 9111 §4.2.4",
            remedy: "mode = \"auto\""
        )
    }
}

extension ExchangeFailure {
    static let remedyOfPause = "time, or the settings retry-after and upstream.retry-after-max"

    /// Why the origin is not asked, if it asked for a pause.
    func pauseNote(_ origin: Origin) -> DecisionNote? {
        guard let pausedBy, let retryAfter else { return nil }
        return DecisionNote(
            "retry-after",
            "\(origin.text) answered \(pausedBy) and asked to be left alone; this is honoured for "
                + "\(retryAfter.secondsRoundedUp) s more",
            "RFC 9110 §10.2.3",
            remedy: Self.remedyOfPause
        )
    }
}

extension Duration {
    var secondsRoundedUp: Int64 { components.seconds + (components.attoseconds > 0 ? 1 : 0) }
}

extension OriginOutage {
    /// Why the origin is not asked.
    var note: DecisionNote {
        let next =
            isProbing ? "an attempt is under way" : "the next attempt is made in \(wholeSeconds) s at the earliest"
        return DecisionNote(
            Self.detail,
            "\(failures) attempts in a row at \(origin) failed, the last with \(kind.rawValue); \(next)",
            "RFC 9111 §4.2.4",
            remedy: "an answer of the origin, or the setting upstream.circuit-breaker"
        )
    }
}

extension VariantCrowd {
    var note: DecisionNote {
        let names = fields.map { "\($0.name) (\($0.values) values)" }.joined(separator: ", ")
        return DecisionNote(
            Self.word,
            "\(count) variants are stored; they differ in \(names)",
            "RFC 9110 §12.5.5",
            remedy: "a Vary of the origin without what differs with each client, such as User-Agent and Origin, or "
                + "vary-ignore in a rule"
        )
    }
}

extension UnstoredResponse {
    /// Why the last response was not stored.
    func note(at now: MonotonicTime) -> DecisionNote {
        var note = reason.note
        note.sentence =
            "the last response, \(status), \(now.wholeSeconds(since: time)) s ago, was not stored: " + note.sentence
        return note
    }
}
