import HTTPCaching
import HTTPCore
import Testing

@testable import Explaining

/// What a recorded outcome says: no word too few, and none too many.
@Suite struct RecordedNotesTests {
    private static func words(
        _ outcome: CacheStatus.Outcome,
        _ detail: String? = nil,
        isStored: Bool = false,
        isCollapsed: Bool = false
    ) -> [String] {
        RecordedOutcome(CacheStatus(outcome, isStored: isStored, isCollapsed: isCollapsed, detail: detail)).notes
            .map(\.word)
    }

    @Test("what was stored, and what shared a load, is said only of what was")
    func traits() {
        #expect(Self.words(.forwarded(.miss)) == ["miss"])
        #expect(Self.words(.forwarded(.miss), isStored: true) == ["miss", "stored"])
        #expect(Self.words(.forwarded(.miss), isCollapsed: true) == ["miss", "collapsed"])
    }

    @Test("a hit is fresh unless a detail says why a stale one was served")
    func hits() {
        func first(_ detail: String?) -> String? {
            RecordedOutcome(CacheStatus(.hit, detail: detail)).notes.first?.sentence
        }
        #expect(first(nil) == "a stored response was fresh: the origin was not asked")
        #expect(first("disconnected") == "a stored response was served without waiting for the origin")
        #expect(Self.words(.hit, "disconnected") == ["hit", "disconnected"])
        #expect(Self.words(.hit, "stale-while-revalidate") == ["stale-while-revalidate"])
    }

    @Test("why the stored response was validated replaces the reason to forward, or stands beside it")
    func validations() {
        #expect(Self.words(.forwarded(.stale), "stale") == ["stale"])
        #expect(Self.words(.forwarded(.stale), "invalidated") == ["invalidated"])
        #expect(Self.words(.forwarded(.stale), "must-revalidate") == ["stale", "must-revalidate"])
        #expect(Self.words(.forwarded(.stale), "no-cache") == ["stale", "no-cache"])
        #expect(Self.words(.forwarded(.request), "request-max-age") == ["request-max-age"])
        #expect(Self.words(.none, "only-if-cached") == ["only-if-cached"])
    }

    @Test("a mode that asks no origin is told by whether something was served")
    func offline() {
        func last(_ outcome: CacheStatus.Outcome, _ detail: String) -> String? {
            RecordedOutcome(CacheStatus(outcome, detail: detail)).notes.last?.sentence
        }
        let start = "the origin is not asked in this mode"
        #expect(last(.hit, "offline") == "\(start): a stored response is served, however old")
        #expect(last(.none, "offline") == "\(start), and nothing is stored")
        #expect(
            last(.hit, "replay") == "\(start), and ages do not grow: a stored response is served as it was received"
        )
        #expect(last(.none, "replay") == "\(start), and nothing is stored")
    }

    @Test("the rule behind a prohibition that was ignored is named if it is known")
    func ignored() {
        func last(_ rule: String?) -> String? {
            RecordedOutcome(CacheStatus(.forwarded(.uriMiss), detail: "cache-even"), rule: rule).notes.last?.sentence
        }
        #expect(last(nil) == "the origin's prohibition was ignored")
        #expect(last("rule 3") == "the origin's prohibition was ignored, by rule 3")
    }

    @Test("why a response was not stored begins with that")
    func unstored() {
        let notes = RecordedOutcome(CacheStatus(.forwarded(.uriMiss), detail: "no-store")).notes
        #expect(notes.map(\.word) == ["uri-miss", "no-store"])
        #expect(notes.last?.sentence.hasPrefix("the response was not stored: ") == true)
    }
}
