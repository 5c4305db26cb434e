import Exchanges
import HTTPCaching
import HTTPCore
import ResourceCore
import Testing

@testable import Explaining

/// Why a request of the past was a hit or a miss.
@Suite struct RecordedOutcomeTests {
    private static func words(_ status: CacheStatus?) -> [String] { RecordedOutcome(status).notes.map(\.word) }

    @Test("a hit and each reason to forward have a sentence, with its section")
    func reasons() {
        #expect(Self.words(nil).isEmpty && Self.words(CacheStatus(.none)).isEmpty)
        #expect(Self.words(CacheStatus(.hit)) == ["hit"])
        for reason in CacheStatus.ForwardReason.allCases {
            let notes = RecordedOutcome(CacheStatus(.forwarded(reason))).notes
            #expect(notes.map(\.word) == [reason.rawValue])
            #expect(notes.allSatisfy { $0.sentence.count > 10 && $0.section.hasPrefix("RFC ") })
        }
    }

    @Test("what was stored and what was collapsed is said")
    func traits() {
        #expect(
            Self.words(CacheStatus(.forwarded(.uriMiss), isStored: true, isCollapsed: true))
                == ["uri-miss", "collapsed", "stored"]
        )
    }

    @Test(
        "each word that Cache-Status has as detail is explained",
        arguments: [
            "interim", "method", "request-no-store", "no-store", "status-not-understood", "status-not-cacheable",
            "partial-content", "content-range", "whole-is-stored", "status-for-one-request", "vary-any",
            "vary-too-long", "private", "set-cookie", "event-stream", "no-lifetime-no-validator",
            "no-cache-without-validator", "zero-lifetime-no-validator", "never-cache", "too-large",
            "not-the-target", "range", "head", "origin-condition", "disconnected", "stale-if-error",
            "rule-stale-if-error", "request-stale-if-error", "configured-stale-if-error", "only-if-cached",
            "offline", "replay", "too-many-waiters", "stale", "must-revalidate", "no-cache", "invalidated",
            "request-no-cache", "request-max-age", "request-min-fresh",
            Denial.detail, OriginOutage.detail, "remembered-failure", "unshared-failure", "transform-failed",
            "cache-even", "request-content", "upgrade", "too-late-to-join", "stale-while-revalidate",
        ]
    )
    func details(word: String) {
        let outcome: CacheStatus.Outcome =
            switch word {
            case "disconnected", "stale-while-revalidate": .hit
            case _ where word.hasSuffix("stale-if-error"): .hit
            case "stale", "must-revalidate", "no-cache", "invalidated": .forwarded(.stale)
            case "request-no-cache", "request-max-age", "request-min-fresh": .forwarded(.request)
            default: .forwarded(.uriMiss)
            }
        #expect(Self.words(CacheStatus(outcome, detail: word)).contains(word))
    }

    @Test("the rule that decided is named; an unknown word adds nothing")
    func rules() {
        let status = CacheStatus(.forwarded(.bypass), detail: "never-cache")
        let notes = RecordedOutcome(status, rule: "rule 3").notes
        #expect(notes.map(\.word) == ["bypass", "never-cache"] && notes[1].sentence == "rule 3 forbids to cache")
        #expect(Self.words(CacheStatus(.forwarded(.miss), detail: "connection_timeout")) == ["miss"])
        #expect(
            notes[1].lines == [
                "  never-cache: rule 3 forbids to cache (RFC 9111 §3)",
                "    would change with: never-cache = false in a later rule",
            ]
        )
    }
}
