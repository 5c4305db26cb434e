import HTTPCore
import Testing

@testable import HTTPCaching

@Suite("Notes that explain decisions")
struct NotesTests {
    private func options(_ rules: CachingRule...) -> CachingOptions {
        var options = CachingOptions()
        options.rules = rules
        options.targetedFields = CachingOptions.originTargetedFields
        return options
    }

    // MARK: Lifetimes

    @Test("a lifetime is told with its source and what could change it")
    func lifetimes() {
        let ruled = options(CachingRule(name: "rule 3", ttlSeconds: 30))
        let notes: [(ResponseMetadata, DecisionNote)] = [
            (
                response("s-maxage=5, max-age=6"),
                DecisionNote("s-maxage", "fresh for 5 s, by s-maxage in Cache-Control", "RFC 9111 §5.2.2.10")
            ),
            (
                response([("CDN-Cache-Control", "max-age=7")], options: options()),
                DecisionNote("max-age", "fresh for 7 s, by max-age in CDN-Cache-Control", "RFC 9111 §5.2.2.1")
            ),
            (
                response([("Expires", date(8)), ("Date", date(0))]),
                DecisionNote("expires", "fresh for 8 s, by Expires minus Date", "RFC 9111 §5.3")
            ),
            (
                response([("Last-Modified", date(-100)), ("Date", date(0))]),
                DecisionNote(
                    "heuristic",
                    "fresh for 10 s, a part of the time since Last-Modified, since no lifetime is stated",
                    "RFC 9111 §4.2.2",
                    remedy: "max-age in Cache-Control of the origin, ttl in a rule, or cache.heuristic-fraction"
                )
            ),
            (
                response([], options: ruled),
                DecisionNote("rule", "fresh for 30 s, by rule 3", "RFC 9111 §4.2.1", remedy: "ttl in rule 3")
            ),
            (
                response(),
                DecisionNote(
                    "no-lifetime",
                    "no lifetime is stated, and none may be guessed",
                    "RFC 9111 §4.2.2",
                    remedy: "max-age in Cache-Control of the origin, or ttl in a rule"
                )
            ),
        ]
        for (stored, note) in notes { #expect(stored.lifetimeNote == note) }
    }

    // MARK: Decisions

    private func sentence(_ control: String, _ asked: String, age: Int64, isInvalidated: Bool = false) -> String {
        let stored = response(control)
        let directives = directives(asked)
        let decision = stored.decision(for: directives, ageSeconds: age, isInvalidated: isInvalidated)
        let note = stored.note(of: decision, for: directives, ageSeconds: age)
        return "\(note.word): \(note.sentence) (\(note.section))"
    }

    @Test("a decision is told with ages, lifetimes and windows")
    func decisions() {
        let stale = "age 70 s, lifetime 60 s: stale by 10 s"
        let sentences: [(String, String, Int64, String)] = [
            ("max-age=60", "x", 20, "fresh: age 20 s is below the lifetime; 40 s are left (RFC 9111 §4.2)"),
            (
                "max-age=60", "max-stale=15", 70,
                "max-stale: stale by 10 s, which the request's max-stale allows (RFC 9111 §5.2.1.2)"
            ),
            (
                "max-age=60, stale-while-revalidate=30", "x", 70,
                "stale-while-revalidate: stale by 10 s, within the window of 30 s: served, and validated in the background "
                    + "(RFC 5861 §3)"
            ),
            ("max-age=60", "x", 70, "stale: \(stale) (RFC 9111 §4.2)"),
            (
                "max-age=60, must-revalidate", "x", 70,
                "must-revalidate: \(stale), and must-revalidate forbids use without validation (RFC 9111 §5.2.2.2)"
            ),
            (
                "max-age=60, proxy-revalidate", "x", 70,
                "must-revalidate: \(stale), and proxy-revalidate forbids use without validation (RFC 9111 §5.2.2.2)"
            ),
            (
                "s-maxage=60", "x", 70,
                "must-revalidate: \(stale), and s-maxage forbids use without validation (RFC 9111 §5.2.2.10)"
            ),
            (
                "max-age=60", "no-cache", 20,
                "request-no-cache: the request says no-cache (RFC 9111 §5.2.1.4)"
            ),
            (
                "max-age=60", "max-age=10", 20,
                "request-max-age: age 20 s is not within the request's max-age of 10 s (RFC 9111 §5.2.1.1)"
            ),
            (
                "max-age=60", "min-fresh=50", 20,
                "request-min-fresh: 40 s of the lifetime are left, and the request's min-fresh asks for 50 s "
                    + "(RFC 9111 §5.2.1.3)"
            ),
            (
                "no-cache", "x", 20,
                "no-cache: no-cache in the response asks for validation before each use (RFC 9111 §5.2.2.4)"
            ),
            (
                "max-age=60", "only-if-cached", 70,
                "stale: \(stale); and only-if-cached keeps the request from the origin (RFC 9111 §4.2)"
            ),
        ]
        for (control, asked, age, expected) in sentences {
            #expect(sentence(control, asked, age: age) == expected)
        }
        #expect(
            sentence("max-age=60", "x", age: 1, isInvalidated: true)
                == "invalidated: marked by an unsafe request to the URI, or by an administrator, since it was stored "
                + "(RFC 9111 §4.4)"
        )
    }

    @Test("the window that is told is a rule's before the origin's; what nobody stated is told as 0")
    func windows() {
        func sentence(_ stored: ResponseMetadata, _ decision: ServeDecision) -> String {
            stored.note(of: decision, for: directives("x"), ageSeconds: 70).sentence
        }
        let rule = CachingRule(name: "r", staleWhileRevalidateSeconds: 50)
        let ruled = response([("Cache-Control", "max-age=60, stale-while-revalidate=30")], options: options(rule))
        #expect(sentence(ruled, .staleWhileRevalidate(staleBySeconds: 10)).contains(" within the window of 50 s: "))
        let plain = response("max-age=60")
        #expect(sentence(plain, .staleWhileRevalidate(staleBySeconds: 10)).contains(" within the window of 0 s: "))
        #expect(sentence(plain, .validate(.requestMaxAge)).hasSuffix(" max-age of 0 s"))
        #expect(sentence(plain, .validate(.requestMinFresh)).hasSuffix(" min-fresh asks for 0 s"))
    }

    // MARK: Rules

    @Test("what rules did is told in one order, with the rule and the key that undoes it")
    func rules() {
        let rule = CachingRule(
            name: "rule 2",
            staleIfErrorSeconds: 5,
            staleWhileRevalidateSeconds: 6,
            refreshAheadPercent: 7,
            ignoresClientNoCache: true,
            cacheEven: [.noStore],
            varyAdd: ["Accept".bytes],
            varyIgnore: ["Origin".bytes],
            setCookie: .private,
            recordsStreams: true,
            replayPace: .speed(2)
        )
        let lines: [FieldLine] = [
            ("Cache-Control", "no-store"), ("Vary", "Origin"), ("Set-Cookie", "a=b"),
            ("Content-Type", "text/event-stream"),
        ]
        let notes = response(lines, options: options(rule)).ruleNotes(for: directives("no-cache"))
        let expected = [
            "cache-even: no-store in the response is ignored, by rule 2; the response to a credential stays with that "
                + "credential",
            "stale-while-revalidate: the window is 6 s, by rule 2", "stale-if-error: the window is 5 s, by rule 2",
            "refresh-ahead: a use in the last 7 % of the lifetime makes us validate in the background, by rule 2",
            "vary-add: accept selects, too, by rule 2", "vary-ignore: origin in Vary does not select, by rule 2",
            "set-cookie: a response with Set-Cookie is for the credential of its request, by rule 2",
            "record-streams: a complete stream is stored, and identical requests join it, by rule 2",
            "replay-pace: its pieces are sent 2.0 times as fast as they came, by rule 2",
            "ignore-client-no-cache: the request asks for a reload, which is ignored, by rule 2",
        ]
        #expect(notes.map { "\($0.word): \($0.sentence)" } == expected)
        #expect(notes.map(\.remedy) == notes.map { "\($0.word) in rule 2" })
        #expect(response(lines).ruleNotes(for: directives("no-cache")).isEmpty)
    }

    @Test("a pace of one is the pace at which the pieces came, and instant is no pace", arguments: [1.0, 0.0])
    func paces(speed: Double) {
        let pace = speed == 0 ? ReplayPace.instant : .speed(speed)
        let rule = CachingRule(name: "r", recordsStreams: true, replayPace: pace)
        let lines: [FieldLine] = [("Cache-Control", "max-age=9"), ("Content-Type", "text/event-stream")]
        let notes = response(lines, options: options(rule)).ruleNotes(for: directives("x"))
        let sent = speed == 0 ? [] : ["its pieces are sent as they came, by r"]
        #expect(notes.map(\.sentence).dropFirst() == sent[...] && notes.count == 1 + sent.count)
    }

    @Test("what belongs to the key besides the URI is told with its rules")
    func keying() {
        let rules = [
            CachingRule(name: "a", keyFields: ["X-B".bytes, "X-A".bytes], partition: .user),
            CachingRule(name: "b", keyFields: ["X-C".bytes], partition: .credential), CachingRule(name: "c"),
        ]
        var options = CachingOptions()
        options.rules = rules
        #expect(
            options.keying.notes == [
                DecisionNote(
                    "key-header",
                    "the request's x-a, x-b, x-c is part of the key, by a, b",
                    "RFC 9111 §2",
                    remedy: "key-header in a, b"
                ),
                DecisionNote(
                    "partition",
                    "each credential has its own responses, by b",
                    "RFC 9111 §2",
                    remedy: "partition in b"
                ),
            ]
        )
        options.rules = [CachingRule(name: "a", partition: .named("n"))]
        let named = "responses are stored under the name n, apart from others, by a"
        #expect(options.keying.notes.map(\.sentence) == [named] && !options.keying.isEmpty)
        options.rules = [CachingRule(name: "a", partition: .shared)]
        #expect(options.keying.notes.isEmpty && options.keying.isEmpty && Keying().isEmpty)
    }

    @Test("reasons to serve and not to serve what is stale have the words that logs and fields have")
    func staleness() {
        let reasons: [StaleReason] = [.disconnected, .staleIfError, .rule, .requestStaleIfError, .configured]
        #expect(reasons.map(\.note.word) == reasons.map(\.rawValue))
        let obstacles: [StaleObstacle] = [
            .mustRevalidate, .noCache, .sMaxAge, .invalidated, .requestNoCache, .statusNotCovered, .windowExceeded,
        ]
        #expect(obstacles.map(\.note.word) == obstacles.map(\.rawValue))
        #expect(obstacles.map(\.isOfResponse) == [true, true, true, false, false, false, false])
    }
}
