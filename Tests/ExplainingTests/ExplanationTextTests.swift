import Configurations
import Exchanges
import Explaining
import HTTPCaching
import HTTPCore
import ResourceCore
import ResourceDoubles
import TestDoubles
import Testing

/// What a person reads, word for word.
@Suite("The text of an explanation") struct ExplanationTextTests {
    private static let tagged = [("Cache-Control", "max-age=60"), ("ETag", "\"v1\"")]
    private static let weak = [("Cache-Control", "max-age=60"), ("ETag", "W/\"v1\"")]

    /// All lines for a request of `/api/x`.
    private func text(_ world: World, _ method: Method = .get, _ lines: [(String, String)] = []) -> [String] {
        var fields = Fields()
        for (name, value) in lines { fields.append(name: name, value: value) }
        let box = LockedBox<[String]>([])
        world.resource("/api/x").explain(method, fields) { explanation in box.change { $0 = explanation.text } }
        world.runUntilIdle()
        return box.value
    }

    /// The lines from the outcome on, up to what is stored.
    private func outcome(_ world: World, _ method: Method = .get, _ lines: [(String, String)] = []) -> [String] {
        text(world, method, lines).drop { !$0.hasPrefix("outcome") }.prefix { !$0.hasPrefix("holds") }.map { $0 }
    }

    private func world(_ change: (inout Configuration) -> Void) -> World {
        var configuration = Configuration()
        change(&configuration)
        return World(configuration: configuration, origins: CircuitBreakers(chance: { 1 }))
    }

    private func fill(_ world: World, _ request: [(String, String)] = [], _ lines: [(String, String)] = Self.tagged) {
        world.get("/api/x", request)
        world.last.answer(200, lines, "abc")
        world.runUntilIdle()
    }

    /// Loads a part of ten digits.
    private func fillPart(
        _ world: World,
        _ range: String,
        of total: String,
        _ lines: [(String, String)] = Self.tagged
    ) {
        world.get("/api/x", [("Range", "bytes=\(range)")])
        let bounds = range.split(separator: "-").compactMap { Int($0) }
        let text = String(repeating: "x", count: bounds[1] - bounds[0] + 1)
        world.last.answer(206, lines + [("Content-Range", "bytes \(range)/\(total)")], text)
        world.runUntilIdle()
    }

    // MARK: The beginning and what is stored

    @Test("it begins with the request, its service and rules, the mode, and where it looks")
    func beginning() throws {
        let world = World()
        let start = ["GET http://origin.example/api/x", "service: none", "rules: none", "mode: auto"]
        #expect(text(world).prefix(5) == (start + ["looks into: shared"])[...])
        try world.service.reconfigure { list throws(ServiceBases.Conflict) in
            list.bases = try ServiceBases([ServiceBase(name: "api", url: World.uri("/api"))])
            list.configure(description: "rule 1") { $0.mode = .online }
            list.configure(description: "rule 2") { $0.retryTime = .seconds(2) }
        }
        let lines = text(world, .head, [("Authorization", "x"), ("Cookie", "a=b")])
        #expect(
            lines.prefix(7) == [
                "HEAD http://origin.example/api/x", "service: api", "rules: rule 1, rule 2", "mode: online",
                "looks into: personal, by Authorization, Cookie", "looks into: credential, by Authorization",
                "looks into: shared",
            ]
        )
    }

    @Test("a request without credentials may look into what is private to such requests")
    func withoutCredential() {
        let world = world { $0.caching.rules = [CachingRule(name: "r", cacheEven: .responsePrivate)] }
        let lines = text(world).filter { $0.hasPrefix("looks into") }
        #expect(lines == ["looks into: private, without credential", "looks into: shared"])
    }

    @Test("a stored response is told with its tags; what a rule does to requests comes before the reasons")
    func tagsAndRules() throws {
        let edits = try FieldEdits(set: [FieldEdits.Line(name: "X-A", value: "secret")], of: .request)
        let world = world { $0.requestEdits = [edits] }
        fill(world, [], Self.tagged + [("Surrogate-Key", "one two")])
        let lines = text(world)
        #expect(lines.contains("  tags: one, two") && !lines.joined().contains("secret"))
        #expect(outcome(world)[1] == "  rule: a rule sets X-A in requests (docs/traffic.md)")
        let plain = World()
        fill(plain)
        #expect(!text(plain).contains { $0.hasPrefix("  tags:") || $0.hasPrefix("  rule:") })
    }

    // MARK: Misses

    @Test("of several variants the fields are told in which a request differs from them")
    func variants() {
        let world = World()
        for kind in ["a", "b"] { fill(world, [("X-Kind", kind)], Self.tagged + [("Vary", "X-Kind, Accept")]) }
        let difference = "2 variants are stored, and the request differs from each in accept, x-kind"
        #expect(
            outcome(world, .get, [("X-Kind", "c"), ("Accept", "a/b")]) == [
                "outcome: load (Cache-Status: respite; fwd=vary-miss)",
                "  vary-miss: \(difference) (RFC 9111 §4.1)",
                "    would change with: a request with the same fields, or another Vary of the origin",
            ]
        )
    }

    @Test("what belongs to credentials is told so, and cookies with the setting that has them shared")
    func credentials() {
        let remedy =
            "    would change with: public, must-revalidate or s-maxage of the origin, or a request with the same "
            + "credential"
        for (cookies, more) in [
            (.share, ""), (.partition, "; if they differ only in Cookie, cache.cookies = \"share\""),
        ] as [(CookieSharing, String)] {
            let world = world { $0.caching.cookies = cookies }
            fill(world, [("Authorization", "alice")])
            #expect(
                outcome(world) == [
                    "outcome: load (Cache-Status: respite; fwd=uri-miss)",
                    "  uri-miss: the stored responses belong to requests with credentials (RFC 9111 §3.5)",
                    remedy + more,
                ]
            )
            let other = outcome(world, .get, [("Authorization", "bob")])
            #expect(other[1] == "  uri-miss: the stored responses belong to another credential (RFC 9111 §3.5)")
        }
    }

    @Test("of stored parts it is told what they have, and what is asked for besides")
    func parts() {
        let first = World()
        fillPart(first, "0-3", of: "10")
        let more = "if the origin sends the same strong entity tag (RFC 9111 §3.4)"
        let miss = "outcome: load (Cache-Status: respite; fwd=partial)"
        #expect(
            outcome(first) == [
                miss, "  partial: bytes 0-3 of 10 are stored; the rest is requested, and completes it \(more)",
            ]
        )
        #expect(
            outcome(first, .get, [("Range", "bytes=2-6")]) == [
                miss, "  partial: bytes 0-3 of 10 are stored; 4-6 is requested next, and added \(more)",
            ]
        )
        for (total, number) in [("10", "10"), ("*", "an unknown number")] {
            let world = World()
            fillPart(world, "2-5", of: total, Self.weak)
            #expect(
                outcome(world, .get, [("Range", "bytes=0-3")]) == [
                    miss,
                    "  partial: bytes 2-5 of \(number) are stored, which does not answer the request (RFC 9111 §3.3)",
                    "    would change with: a range inside that, or a request for the whole",
                ]
            )
        }
    }

    @Test("five ranges of a part are told, of more the number of the others", arguments: [5, 6, 7])
    func ranges(count: Int) {
        let world = World()
        for number in 0..<count { fillPart(world, "\(number * 2)-\(number * 2)", of: "20") }
        let more = count == 5 ? "" : " and \(count - 5) more ranges"
        let line = "  part: bytes 0-0, 2-2, 4-4, 6-6, 8-8\(more) of 20 are stored (RFC 9111 §3.3)"
        #expect(text(world, .get, [("Range", "bytes=1-1")]).contains(line))
    }

    // MARK: Requests that go past what is stored

    @Test(
        "why a request goes past what is stored, and what would change that",
        arguments: [
            (
                .get, [("Cache-Control", "no-store")],
                "request-no-store: the request has no-store, and no stored response may be used (RFC 9111 §5.2.1.5)",
                "the same request without no-store"
            ),
            (
                .get, [("Accept", "text/event-stream")],
                "event-stream: the request asks for a stream of its own (RFC 9111 §3)",
                "record-streams = true in a rule"
            ),
            (
                .get, [("Range", "bytes=0-1"), ("If-Range", "\"1\"")],
                "range: the request has a range and conditions, and nothing stored answers it: the origin's response "
                    + "may be of use to this request only (RFC 9110 §15.3.7)",
                "the same request without If-Range and conditions, or a request for the whole"
            ),
            (
                .head, [],
                "head: no stored response answers the HEAD, and the response to it cannot be stored (RFC 9110 §9.3.2)",
                "a GET"
            ),
            (
                .get, [("If-Match", "\"1\"")],
                "origin-condition: only the origin may evaluate If-Match and If-Unmodified-Since (RFC 9111 §4.3.2)", nil
            ),
        ] as [(Method, [(String, String)], String, String?)]
    )
    func passes(method: Method, lines: [(String, String)], sentence: String, remedy: String?) {
        let word = sentence.prefix { $0 != ":" }
        let reason = ["  \(sentence)"] + (remedy.map { ["    would change with: \($0)"] } ?? [])
        let head = "outcome: pass (Cache-Status: respite; fwd=bypass; detail=\(word))"
        #expect(outcome(World(), method, lines) == [head] + reason)
    }

    @Test("a request that only the origin can answer is refused where that is not asked")
    func bypassOffline() {
        let lines = outcome(world { $0.mode = .offline }, .post)
        #expect(
            lines == [
                "outcome: refuse (Cache-Status: respite; detail=offline)",
                "  method: only GET and HEAD are answered from stored responses; POST goes to the origin (RFC 9111 §4)",
                "    would change with: a GET",
                "  offline: the origin is not asked in this mode, and only it can answer the request (RFC 9111 §4.2.4)",
                "    would change with: mode = \"auto\"",
            ]
        )
    }

    @Test("content that belongs to the key makes a POST a request that is loaded, without a word of Cache-Status")
    func question() {
        let world = world { $0.caching.rules = [CachingRule(name: "r", keyBody: .bytes)] }
        #expect(
            outcome(world, .post) == [
                "outcome: load",
                "  key-body: the content of POST is part of the key (bytes), by r; in listings each has a URL of its "
                    + "own (RFC 10008)",
                "    would change with: key-body in r",
            ]
        )
    }

    // MARK: Refusals and failures

    @Test("a rule that refuses requests is told with its text, whatever is stored and whatever the method")
    func denied() {
        let world = World()
        fill(world)
        world.service.configuration.policies.denial = Denial("not here", rule: "rule 4")
        for method in [Method.get, .head, .post] {
            #expect(
                outcome(world, method) == [
                    "outcome: refuse (Cache-Status: respite; detail=denied)",
                    "  denied: rule 4 refuses the request: not here (RFC 9110 §15.5.4)",
                    "    would change with: `deny = false` in a later rule",
                ]
            )
        }
    }

    @Test("in a mode that does not ask the origin what is stored is served, with that as the only reason")
    func offline() {
        for (mode, sentence) in [
            (.offline, "the origin is not asked in this mode: a stored response is served, however old"),
            (
                .replay,
                "the origin is not asked in this mode, and ages do not grow: a stored response is served as it was "
                    + "received"
            ),
        ] as [(ServiceMode, String)] {
            let world = World()
            fill(world)
            world.service.configuration.mode = mode
            #expect(
                outcome(world) == [
                    "outcome: serve (Cache-Status: respite; hit; ttl=60; detail=\(mode.rawValue))",
                    "  \(mode.rawValue): \(sentence) (RFC 9111 §4.2.4)", "    would change with: mode = \"auto\"",
                ]
            )
        }
    }

    @Test("a request more than may wait is told of the limit")
    func waiters() {
        let world = world { $0.waiterLimit = 1 }
        world.get("/api/x")
        #expect(
            outcome(world) == [
                "outcome: refuse (Cache-Status: respite; detail=too-many-waiters)",
                "  too-many-waiters: the limit of requests that wait for one response is reached (RFC 9111 §4)",
                "    would change with: time, or the setting limits.waiters-per-load",
            ]
        )
    }

    /// Has the origin down.
    private func unplug(_ world: World) {
        for number in 0..<5 {
            world.get("/fail/\(number)")
            world.last.fail()
            world.runUntilIdle()
        }
    }

    private static let down = "5 attempts in a row at http://origin.example failed, the last with connection_refused"

    @Test("while another request tries an origin that is down, that is told in place of a time")
    func probing() {
        let world = world { _ in }
        unplug(world)
        let remedy = "    would change with: an answer of the origin, or the setting upstream.circuit-breaker"
        let failed = "outcome: fail (Cache-Status: respite; detail=origin-down)"
        let start = "  origin-down: \(Self.down); "
        let end = " (RFC 9111 §4.2.4)"
        #expect(outcome(world) == [failed, start + "the next attempt is made in 1 s at the earliest\(end)", remedy])
        world.timekeeper.advance(by: .seconds(1))
        world.get("/probe")
        #expect(outcome(world) == [failed, start + "an attempt is under way\(end)", remedy])
    }

    @Test("what is served stale without a refresh is told with what prevents that")
    func notRefreshed() {
        let window = [("Cache-Control", "max-age=60, stale-while-revalidate=600"), ("ETag", "\"1\"")]
        let down = world { _ in }
        fill(down, [], window)
        down.timekeeper.advance(by: .seconds(61))
        #expect(!outcome(down).contains { $0.hasPrefix("  origin-down") })
        unplug(down)
        #expect(outcome(down).contains { $0.hasPrefix("  origin-down: \(Self.down); ") })
        let paused = world { $0.policies.retryAfter = .origin }
        fill(paused, [], window)
        paused.timekeeper.advance(by: .seconds(61))
        paused.get("/b")
        paused.last.answer(429, [("Retry-After", "10")])
        paused.runUntilIdle()
        let wish = "  retry-after: http://origin.example answered 429 and asked to be left alone; "
        #expect(outcome(paused).contains { $0.hasPrefix(wish) })
    }

    @Test("a load whose content has come, and is only not stored yet, is a hit for a request that joins it")
    func almostStored() {
        let world = World(store: MemoryVariantStore())
        world.get("/api/x")
        world.last.head(200, Self.tagged, length: 100_000)
        world.last.content([UInt8](repeating: 1, count: 100_000))
        world.runUntilIdle()
        #expect(outcome(world).first == "outcome: join (Cache-Status: respite; fwd=uri-miss; collapsed)")
        world.last.end()
        world.runUntilIdle()
        #expect(outcome(world).first == "outcome: join (Cache-Status: respite; hit)")
    }
}
