import HTTPCore
import Testing

@testable import HTTPCaching

/// What explanations say that would change an outcome, and the words for refusals and stale content.
@Suite("Notes and their remedies") struct RemedyTests {
    private static func text(_ note: DecisionNote) -> String {
        "\(note.word): \(note.sentence) (\(note.section))" + (note.remedy.map { "; \($0)" } ?? "")
    }

    @Test("why a response is not stored is told with the section, and with what would change it")
    func refusals() {
        let control = "the origin's Cache-Control"
        let notes: [(reason: RefusalReason, section: String, remedy: String?)] = [
            (.interim, "RFC 9111 §3", nil), (.method, "RFC 9111 §3", "a GET"),
            (.requestNoStore, "RFC 9111 §5.2.1.5", "a request without no-store"),
            (.noStore, "RFC 9111 §5.2.2.5", control), (.statusNotUnderstood, "RFC 9111 §5.2.2.3", control),
            (.statusNotCacheable, "RFC 9111 §4.2.2", "max-age of the origin, or ttl in a rule"),
            (.partialContent, "RFC 9111 §3.3", "a request for one range"),
            (.contentRange, "RFC 9110 §14.4", "Content-Range of the origin"),
            (.wholeIsStored, "RFC 9111 §3.3", "a request without Range"), (.statusForOneRequest, "RFC 9111 §3", nil),
            (.varyAny, "RFC 9111 §4.1", "the origin's Vary"),
            (.varyTooLong, "RFC 9111 §4.1", "the origin's Vary, or cache.vary-names"),
            (.privateWithoutCredential, "RFC 9111 §5.2.2.7", control),
            (.setCookie, "RFC 9111 §7.3", "set-cookie in a rule"),
            (.eventStream, "RFC 9111 §3", "record-streams = true in a rule"),
            (
                .noLifetimeNoValidator, "RFC 9111 §4.2.2",
                "max-age or a validator of the origin, or ttl in a rule"
            ),
            (.noCacheWithoutValidator, "RFC 9111 §5.2.2.4", "a validator of the origin"),
            (
                .zeroLifetimeNoValidator, "RFC 9111 §4.2",
                "a lifetime or a validator of the origin, or ttl in a rule"
            ),
            (.neverCache, "RFC 9111 §3", "never-cache = false in a later rule"),
            (.tooLarge, "RFC 9111 §3", "storage.limit and storage.max-object-size, or a store at all"),
            (.notTheTarget, "RFC 9110 §9.3.3", "Content-Location of the origin"),
        ]
        for (reason, section, remedy) in notes {
            let note = reason.note
            #expect(note.word == reason.rawValue && note.section == section && note.remedy == remedy, "\(reason)")
            #expect(note.sentence.count > 15, "\(reason)")
        }
        #expect(Set(notes.map { $0.reason.note.sentence }).count == notes.count)
    }

    @Test("why stale content is served, and why not, is told with the section and what would change it")
    func staleness() {
        let window = "RFC 5861 §4"
        let reasons: [(StaleReason, DecisionNote)] = [
            (
                .disconnected,
                DecisionNote(
                    "disconnected",
                    "the origin cannot be reached, and nothing forbids to use the stored response",
                    "RFC 9111 §4.2.4",
                    remedy: "must-revalidate of the origin, or stale-if-error in a rule"
                )
            ),
            (.staleIfError, DecisionNote("stale-if-error", "within the response's stale-if-error window", window)),
            (
                .rule,
                DecisionNote("rule-stale-if-error", "within a rule's stale-if-error window", window, remedy: "the rule")
            ),
            (
                .requestStaleIfError,
                DecisionNote("request-stale-if-error", "within the window of the request's stale-if-error", window)
            ),
            (
                .configured,
                DecisionNote(
                    "configured-stale-if-error",
                    "within the window of the setting",
                    window,
                    remedy: "the setting cache.stale-if-error"
                )
            ),
        ]
        for (reason, note) in reasons { #expect(reason.note == note) }
        let obstacles: [(StaleObstacle, String)] = [
            (
                .mustRevalidate,
                "must-revalidate: must-revalidate or proxy-revalidate forbids stale content (RFC 9111 §5.2.2.2)"
            ),
            (.noCache, "no-cache: no-cache forbids use without validation (RFC 9111 §5.2.2.4)"),
            (.sMaxAge, "s-maxage: s-maxage forbids stale content (RFC 9111 §5.2.2.10)"),
            (.invalidated, "invalidated: it was invalidated since it was stored (RFC 9111 §4.4)"),
            (.requestNoCache, "request-no-cache: the request says no-cache (RFC 9111 §5.2.1.4)"),
            (
                .statusNotCovered,
                "status-not-covered: the origin answered, and no stale-if-error window covers its status (RFC 5861 §4)"
                    + "; stale-if-error, by the origin or a rule"
            ),
            (
                .windowExceeded,
                "stale-if-error-exceeded: older than the stale-if-error window (RFC 5861 §4); a wider window"
            ),
        ]
        for (obstacle, expected) in obstacles { #expect(Self.text(obstacle.note) == expected) }
    }

    @Test("what would change a decision is told, where a client, an origin or a rule can change it")
    func decisions() {
        let longer = "a longer lifetime, by the origin or a rule (ttl)"
        let remedies: [(String, String, Int64, String?)] = [
            ("max-age=60", "x", 20, nil),
            ("max-age=60", "max-stale=15", 70, "a request without max-stale is answered after validation"),
            (
                "max-age=60, stale-while-revalidate=30", "x", 70,
                "a window of 0 makes requests wait for the validation"
            ),
            (
                "max-age=60", "x", 70,
                "a longer lifetime or stale-while-revalidate, by the origin or a rule (ttl, stale-while-revalidate)"
            ),
            ("max-age=60, must-revalidate", "x", 70, longer), ("s-maxage=60", "x", 70, longer),
            ("no-cache", "x", 20, "the origin's Cache-Control, or cache-even in a rule"),
            ("max-age=60", "no-cache", 20, "the same request without no-cache in Cache-Control or Pragma"),
            ("max-age=60", "max-age=10", 20, "the same request without max-age"),
            ("max-age=60", "min-fresh=50", 20, "the same request without min-fresh"),
        ]
        for (control, asked, age, remedy) in remedies {
            let (stored, request) = (response(control), directives(asked))
            let decision = stored.decision(for: request, ageSeconds: age)
            #expect(stored.note(of: decision, for: request, ageSeconds: age).remedy == remedy, "\(control) \(asked)")
        }
        let note = response("").note(of: .validate(.invalidated), for: RequestDirectives(), ageSeconds: 0)
        #expect(note.remedy == nil)
    }

    @Test(
        "what a policy for Set-Cookie does is told",
        arguments: [
            (.careful, "Set-Cookie is shared only with a stated lifetime, and if the request had no credential"),
            (.refuse, "a response with Set-Cookie is not stored"),
            (.reuse, "Set-Cookie is stored and reused as any field"),
            (.private, "a response with Set-Cookie is for the credential of its request"),
            (.strip, "Set-Cookie is removed"),
        ] as [(SetCookiePolicy, String)]
    )
    func policies(policy: SetCookiePolicy, sentence: String) {
        var options = CachingOptions()
        options.rules = [CachingRule(name: "r", setCookie: policy)]
        let notes = response([("Set-Cookie", "a=b")], options: options).ruleNotes(for: RequestDirectives())
        #expect(
            notes == [DecisionNote("set-cookie", "\(sentence), by r", "RFC 9111 §7.3", remedy: "set-cookie in r")]
        )
    }

    @Test("each user of a login has a partition, by a rule; a cookie's meaning is told in full")
    func partitions() {
        var options = CachingOptions()
        options.rules = [CachingRule(name: "r", partition: .user)]
        #expect(options.keying.notes.map(\.sentence) == ["each user of a login has their own responses, by r"])
        options.rules = []
        func told(_ control: String) -> String? {
            let stored = response(control, [("ETag", "\"a\"")])
            return stored.cookieNote(for: get([("Cookie", "a=b")]), options: options).map(Self.text)
        }
        #expect(
            told("max-age=60")
                == "cookie-shared: the request has a Cookie, but all clients share the response: it states a lifetime, "
                + "and does not say private (RFC 9111 §3); private of the origin, cache.cookies = \"partition\", or "
                + "partition = \"credential\" in a rule"
        )
        #expect(
            told("")
                == "cookie: the request has a Cookie, and no lifetime is stated: only requests with the same credentials "
                + "get it (RFC 9111 §4.2.2); max-age of the origin"
        )
        options.cookies = .partition
        #expect(
            told("max-age=60")
                == "cookie: the request has a Cookie, which is treated as Authorization is: only requests with the same "
                + "credentials get it (RFC 9111 §3.5); public or s-maxage of the origin, or cache.cookies = \"share\""
        )
    }
}
