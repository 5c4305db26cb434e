import Exchanges
public import HTTPCaching
public import HTTPCore
import Outcomes

/// Why a request that has been answered was a hit or a miss, in words, from what Cache-Status said of it.
public struct RecordedOutcome: Sendable {
    private let status: CacheStatus?
    private let rule: String?

    /// - Parameter rule: the rule that decided.
    public init(_ status: CacheStatus?, rule: String? = nil) {
        self.status = status
        self.rule = rule
    }

    /// The reasons, in the order of the decisions; empty if the cache had no part in it.
    public var notes: [DecisionNote] {
        guard let status else { return [] }
        var notes: [DecisionNote] = []
        switch status.outcome {
        case .hit: notes.append(Self.hit(status.detail))
        case .forwarded(let reason):
            let note = Self.why(status.detail) ?? Self.note(reason)
            notes.append(note)
        case .none: break
        }
        if let detail = status.detail, !notes.contains(where: { $0.word == detail }) {
            notes += [Self.note(detail, servesStored: status.outcome == .hit, rule)].compactMap(\.self)
        }
        if status.isCollapsed {
            notes.append(
                DecisionNote(
                    "collapsed",
                    "another request was loading it already, and this one shared the load",
                    "RFC 9111 §4"
                )
            )
        }
        if status.isStored {
            notes.append(DecisionNote("stored", "the response was stored for later requests", "RFC 9111 §3"))
        }
        return notes
    }

    private static func hit(_ detail: String?) -> DecisionNote {
        if detail == "stale-while-revalidate" {
            return DecisionNote(
                "stale-while-revalidate",
                "the stored response was stale, but within its window: it was served, and validated in the background",
                "RFC 5861 §3",
                remedy: "a window of 0 makes requests wait for the validation"
            )
        }
        if detail != nil {
            return DecisionNote("hit", "a stored response was served without waiting for the origin", "RFC 9111 §4")
        }
        return DecisionNote("hit", "a stored response was fresh: the origin was not asked", "RFC 9111 §4.2")
    }

    /// Why a stored response was validated, if the detail has the reason.
    private static func why(_ detail: String?) -> DecisionNote? {
        switch detail.flatMap({ ValidationReason(rawValue: $0) }) {
        case nil, .stale?, .mustRevalidate?, .noCache?: nil
        case .invalidated?:
            DecisionNote(
                "invalidated",
                "the stored response had been marked by an unsafe request to the URI, or by an administrator",
                "RFC 9111 §4.4"
            )
        case .requestNoCache?:
            DecisionNote(
                "request-no-cache",
                "the request said no-cache",
                "RFC 9111 §5.2.1.4",
                remedy: "the same request without no-cache in Cache-Control or Pragma"
            )
        case .requestMaxAge?:
            DecisionNote(
                "request-max-age",
                "the stored response was older than the request's max-age",
                "RFC 9111 §5.2.1.1",
                remedy: "the same request without max-age"
            )
        case .requestMinFresh?:
            DecisionNote(
                "request-min-fresh",
                "less of the lifetime was left than the request's min-fresh asked for",
                "RFC 9111 §5.2.1.3",
                remedy: "the same request without min-fresh"
            )
        }
    }

    /// Why the request was forwarded.
    private static func note(_ reason: CacheStatus.ForwardReason) -> DecisionNote {
        let (sentence, section, remedy): (String, String, String?) =
            switch reason {
            case .uriMiss: ("nothing was stored for this URI", "RFC 9111 §4", "a response that may be stored")
            case .varyMiss:
                (
                    "what was stored for the URI differed from the request in a field that Vary names", "RFC 9111 §4.1",
                    "a request with the same fields, or another Vary of the origin"
                )
            case .miss:
                (
                    "nothing that was stored for the URI may answer this request", "RFC 9111 §4",
                    "a request with the same credential and key"
                )
            case .stale:
                (
                    "the stored response was stale, and had to be validated", "RFC 9111 §4.2",
                    "a longer lifetime or stale-while-revalidate, by the origin or a rule (ttl, stale-while-revalidate)"
                )
            case .request:
                (
                    "the request asked for a response fresher than the stored one", "RFC 9111 §5.2.1",
                    "the same request without Cache-Control"
                )
            case .partial:
                ("only a part of what the request wanted was stored", "RFC 9111 §3.3", "a request for the whole")
            case .method: ("only GET and HEAD are answered from stored responses", "RFC 9111 §4", "a GET")
            case .bypass: ("the request was sent past the cache", "RFC 9111 §4", nil)
            }
        return DecisionNote(reason.rawValue, sentence, section, remedy: remedy)
    }

    /// What a detail means; nil for a word that other notes explain, or an error's.
    private static func note(_ detail: String, servesStored: Bool, _ rule: String?) -> DecisionNote? {
        if let reason = PassReason(rawValue: detail) { return reason.note(neverCachedBy: rule) }
        if let reason = RefusalReason(rawValue: detail) {
            var note = reason.note
            note.sentence = "the response was not stored: " + note.sentence
            return note
        }
        if let reason = StaleReason(rawValue: detail) { return reason.note }
        if let refusal = CacheRefusal(rawValue: detail) { return refusal.note(servesStored: servesStored) }
        return otherNote(detail, rule)
    }

    private static func otherNote(_ detail: String, _ rule: String?) -> DecisionNote? {
        switch detail {
        case Denial.detail:
            DecisionNote(
                detail,
                "\(rule ?? "a rule") refused the request",
                "RFC 9110 §15.5.4",
                remedy: "`deny = false` in a later rule"
            )
        case OriginOutage.detail:
            DecisionNote(
                detail,
                "several attempts in a row had failed, so the origin was not asked",
                "RFC 9111 §4.2.4",
                remedy: "an answer of the origin, or the setting upstream.circuit-breaker"
            )
        case "remembered-failure":
            DecisionNote(
                detail,
                "the last load had failed shortly before, and that is remembered for a while",
                "RFC 9111 §4.2.4",
                remedy: "time, or the setting upstream.retry-time"
            )
        case "must-revalidate":
            DecisionNote(
                detail,
                "the stored response was stale, and its Cache-Control forbids use without validation",
                "RFC 9111 §5.2.2.2",
                remedy: "a longer lifetime, by the origin or a rule (ttl)"
            )
        case "no-cache":
            DecisionNote(
                detail,
                "no-cache in the stored response asks for validation before each use",
                "RFC 9111 §5.2.2.4",
                remedy: "the origin's Cache-Control, or cache-even in a rule"
            )
        case "cache-even":
            DecisionNote(
                detail,
                "the origin's prohibition was ignored\(rule.map { ", by \($0)" } ?? "")",
                "RFC 9111 §5.2.2",
                remedy: "cache-even in the rule"
            )
        case "request-content":
            DecisionNote(detail, "the request had content, to which no stored response belongs", "RFC 9110 §9.3.1")
        case "upgrade":
            DecisionNote(detail, "the request asked for another protocol on its connection", "RFC 9110 §7.8")
        case "too-late-to-join":
            DecisionNote(detail, "the load under way no longer had its beginning in memory", "RFC 9111 §4")
        case "unshared-failure":
            DecisionNote(detail, "the load that the request shared failed for another request", "RFC 9111 §4")
        case "transform-failed":
            DecisionNote(detail, "a transformer of a rule could not change the response", "docs/rules.md")
        default: nil
        }
    }
}

extension DecisionNote {
    /// Lines for a person: the decision, and what would change it.
    public var lines: [String] {
        ["  \(word): \(sentence) (\(section))"] + (remedy.map { ["    would change with: \($0)"] } ?? [])
    }
}
