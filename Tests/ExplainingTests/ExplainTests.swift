import Configurations
import Exchanges
import Explaining
import HTTPCaching
import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing

/// Ten situations, and what `explain` says of each.
@Suite("Explanations")
struct ExplainTests {
    private func explain(_ world: World, _ lines: [(String, String)] = [], _ path: String = "/a") -> [String] {
        world.explain(lines, path)
    }

    private let tagged = [("Cache-Control", "max-age=60"), ("ETag", "\"v1\"")]

    @Test("a fresh response: the lifetime, its field, and what is left of it")
    func fresh() {
        let world = World()
        world.fill("/a", tagged)
        world.timekeeper.advance(by: .seconds(12))
        #expect(
            explain(world) == [
                "outcome: serve (Cache-Status: respite; hit; ttl=48)",
                "  fresh: age 12 s is below the lifetime; 48 s are left (RFC 9111 §4.2)",
                "holds: 200, shared, age 12 s, selected",
                "  max-age: fresh for 60 s, by max-age in Cache-Control (RFC 9111 §5.2.2.1)",
                "  fresh: age 12 s is below the lifetime; 48 s are left (RFC 9111 §4.2)",
            ]
        )
    }

    @Test("a stale one: by how much, and what would change it")
    func stale() {
        let world = World()
        world.fill("/a", tagged)
        world.timekeeper.advance(by: .seconds(70))
        #expect(
            explain(world).prefix(3) == [
                "outcome: validate (Cache-Status: respite; fwd=stale)",
                "  stale: age 70 s, lifetime 60 s: stale by 10 s (RFC 9111 §4.2)",
                "    would change with: a longer lifetime or stale-while-revalidate, by the origin or a rule (ttl, "
                    + "stale-while-revalidate)",
            ]
        )
        #expect(world.get().answers == 0 && world.last.value(of: .ifNoneMatch) == "\"v1\"")
    }

    @Test("within stale-while-revalidate: the same word as Cache-Status's")
    func staleWhileRevalidate() {
        let world = World()
        world.fill("/a", [("Cache-Control", "max-age=10, stale-while-revalidate=30")])
        world.timekeeper.advance(by: .seconds(15))
        #expect(
            explain(world).prefix(2) == [
                "outcome: serve-and-refresh (Cache-Status: respite; hit; ttl=-5; detail=stale-while-revalidate)",
                "  stale-while-revalidate: stale by 5 s, within the window of 30 s: served, and validated in the background "
                    + "(RFC 5861 §3)",
            ]
        )
        #expect(world.get().outcome?.detail == "stale-while-revalidate")
    }

    @Test("each partition that is looked into is told with the fields that identify it, and with no others")
    func partitions() {
        let world = World()
        var fields = Fields()
        for (name, value) in [("Accept", "*/*"), ("Cookie", "a=b"), ("Authorization", "alice"), ("X-A", "1")] {
            fields.append(name: name, value: value)
        }
        let box = LockedBox<[[String]]>([])
        world.resource().explain(.get, fields) { explanation in
            box.change { $0 = explanation.partitions.map { [$0.name] + $0.fields } }
        }
        world.runUntilIdle()
        #expect(
            box.value == [["personal", "Cookie", "Authorization"], ["credential", "Authorization"], ["shared"]]
        )
    }

    @Test("a variant of other fields: which")
    func vary() {
        let world = World()
        world.get("/a", [("X-Kind", "a")])
        world.last.answer(200, tagged + [("Vary", "X-Kind, Accept")])
        world.runUntilIdle()
        let text = explain(world, [("X-Kind", "b")])
        #expect(
            text.prefix(2) == [
                "outcome: load (Cache-Status: respite; fwd=vary-miss)",
                "  vary-miss: one variant is stored, and the request differs from it in x-kind (RFC 9111 §4.1)",
            ]
        )
        #expect(text.contains("holds: 200, shared, age 0 s, differs in x-kind"))
    }

    @Test("another credential's: that it is")
    func credential() {
        let world = World()
        world.get("/a", [("Authorization", "alice")])
        world.last.answer(200, tagged)
        world.runUntilIdle()
        #expect(
            explain(world, [("Authorization", "bob")]).prefix(3) == [
                "outcome: load (Cache-Status: respite; fwd=uri-miss)",
                "  uri-miss: the stored responses belong to another credential (RFC 9111 §3.5)",
                "    would change with: public, must-revalidate or s-maxage of the origin, or a request with the same "
                    + "credential",
            ]
        )
        #expect(explain(world, [("Authorization", "alice")]).contains("holds: 200, personal, age 0 s, selected"))
    }

    @Test("why a response is for one credential: it sets a cookie, says private, or answered a credential")
    func ownOnly() {
        let authorization = [("Authorization", "alice")]
        for (request, fields, sentence) in [
            ([("Cookie", "id=1")], [("Set-Cookie", "a=b")], "  set-cookie: the response sets a cookie"),
            (authorization, [("Set-Cookie", "a=b")], "  set-cookie: the response sets a cookie"),
            (authorization, [("Cache-Control", "private, max-age=60")], "  private: the response says private"),
            (authorization, [], "  authorization: it answered a request with credentials"),
        ] as [([(String, String)], [(String, String)], String)] {
            let world = World()
            world.get("/a", request)
            world.last.answer(200, fields.contains { $0.0 == "Cache-Control" } ? fields : tagged + fields)
            world.runUntilIdle()
            let text = explain(world, request)
            #expect(text.contains { $0.hasPrefix(sentence) }, "\(sentence): \(text)")
            for other in ["set-cookie", "private", "authorization"] where !sentence.contains("  \(other):") {
                #expect(!text.contains { $0.hasPrefix("  \(other):") }, "\(other)")
            }
        }
    }

    @Test("a local override, and a recent response that may not be shared")
    func overrideAndUncollapsed() {
        let world = World()
        world.resource().override(content: Array("mine".utf8), fields: Fields(), status: 200, lifetime: .seconds(60))
        #expect(explain(world).contains { $0.hasPrefix("  override: a local override replaces the origin's content") })
        #expect(!explain(world).contains { $0.hasPrefix("  not-collapsed") })
        _ = (world.get("/b"), world.get("/b"))
        world.last.answer(200, [("Cache-Control", "no-store")], "abc")
        world.runUntilIdle()
        #expect(
            explain(world, [], "/b").contains {
                $0.hasPrefix("  not-collapsed: a recent response may not be shared: for 11 s")
            }
        )
        world.last.answer(200, [("Cache-Control", "no-store")], "abc")
        world.runUntilIdle()
        world.timekeeper.advance(by: .seconds(11))
        #expect(!explain(world, [], "/b").contains { $0.hasPrefix("  not-collapsed") })
    }

    @Test("a request that says no-cache")
    func requestNoCache() {
        let world = World()
        world.fill("/a", tagged)
        #expect(
            explain(world, [("Cache-Control", "no-cache")]).prefix(2) == [
                "outcome: validate (Cache-Status: respite; fwd=request; detail=request-no-cache)",
                "  request-no-cache: the request says no-cache (RFC 9111 §5.2.1.4)",
            ]
        )
    }

    @Test("a request for what is held, and nothing that may be used is")
    func onlyIfCached() {
        let world = World()
        #expect(
            explain(world, [("Cache-Control", "only-if-cached")]) == [
                "outcome: refuse (Cache-Status: respite; detail=only-if-cached)",
                "  only-if-cached: the request accepts only stored responses, and none may be used (RFC 9111 §5.2.1.7)",
                "    would change with: the same request without only-if-cached",
            ]
        )
    }

    @Test("a rule: the lifetime it gives, and by which name (C-25.1)")
    func rule() {
        var configuration = Configuration()
        configuration.caching.rules = [CachingRule(name: "rule 3", ttlSeconds: 100)]
        let world = World(configuration: configuration)
        world.fill("/a", [])
        #expect(
            explain(world).suffix(3) == [
                "  rule: fresh for 100 s, by rule 3 (RFC 9111 §4.2.1)",
                "    would change with: ttl in rule 3",
                "  fresh: age 0 s is below the lifetime; 100 s are left (RFC 9111 §4.2)",
            ]
        )
        configuration.caching.rules.append(CachingRule(name: "rule 4", neverCache: true))
        #expect(
            explain(World(configuration: configuration)).prefix(2) == [
                "outcome: pass (Cache-Status: respite; fwd=bypass; detail=never-cache)",
                "  never-cache: rule 4 forbids to cache (RFC 9111 §3)",
            ]
        )
    }

    @Test("offline: what is held is served however old, and of what is not held it is told (C-25.2)")
    func offline() {
        var configuration = Configuration()
        configuration.mode = .offline
        let world = World(configuration: configuration)
        #expect(
            explain(world) == [
                "outcome: refuse (Cache-Status: respite; detail=offline)",
                "  offline: the origin is not asked in this mode, and nothing is stored (RFC 9111 §4.2.4)",
                "    would change with: mode = \"auto\"",
            ]
        )
    }

    @Test("an origin that failed a moment ago, with and without something held (C-25.3)")
    func remembered() {
        let world = World()
        world.get()
        world.last.fail(.connectionRefused)
        world.runUntilIdle()
        #expect(
            explain(world).prefix(2) == [
                "outcome: fail (Cache-Status: respite; detail=remembered-failure)",
                "  remembered-failure: the last load failed 0 s ago: connection_refused; it is remembered for 1.0 seconds "
                    + "(RFC 9111 §4.2.4)",
            ]
        )
        world.timekeeper.advance(by: .seconds(2))
        world.fill("/a", tagged)
        world.timekeeper.advance(by: .seconds(70))
        world.get()
        world.last.fail(.connectionRefused)
        world.runUntilIdle()
        #expect(
            explain(world).prefix(2) == [
                "outcome: serve (Cache-Status: respite; hit; ttl=-10; detail=disconnected)",
                "  disconnected: the origin cannot be reached, and nothing forbids to use the stored response (RFC 9111 §4.2.4)",
            ]
        )
        #expect(world.get().outcome?.detail == "disconnected")
    }

    @Test("what is only in the store is found there, and stays there")
    func stored() {
        let store = MemoryVariantStore()
        let first = World(store: store)
        first.fill("/a", tagged)
        let world = World(timekeeper: first.timekeeper, store: store)
        #expect(explain(world).first == "outcome: serve (Cache-Status: respite; hit; ttl=60)")
        #expect(world.resource().snapshot.variants.isEmpty)
    }

    @Test("a Vary that makes variants explode is named, with the fields that do it, by the word of Cache-Status")
    func crowded() {
        let world = World()
        for number in 0..<8 {
            world.get("/a", [("User-Agent", "agent \(number)"), ("Accept", number % 2 == 0 ? "a/b" : "c/d")])
            world.last.answer(200, tagged + [("Vary", "User-Agent, Accept, Accept-Language")])
            world.runUntilIdle()
        }
        let text = explain(world, [("User-Agent", "agent 9")])
        #expect(text[0] == "outcome: load (Cache-Status: respite; fwd=vary-miss; detail=many-variants)")
        #expect(
            text[1]
                == "  many-variants: 8 variants are stored; they differ in user-agent (8 values), accept (2 values) "
                + "(RFC 9110 §12.5.5)"
        )
        let client = world.get("/a", [("User-Agent", "agent 9")])
        world.last.answer(200, tagged + [("Vary", "User-Agent, Accept, Accept-Language")])
        world.runUntilIdle()
        #expect(client.outcome?.detail == "many-variants" && client.outcome?.forward == .varyMiss)
    }

    @Test("answers of as many credentials are no variants by Vary")
    func credentialsAreNoCrowd() {
        let world = World()
        for number in 0..<9 {
            world.get("/a", [("Authorization", "user \(number)")])
            world.last.answer(200, tagged + [("Vary", "Accept")])
            world.runUntilIdle()
        }
        let text = explain(world, [("Authorization", "user 1")])
        #expect(text[0] == "outcome: serve (Cache-Status: respite; hit; ttl=60)")
        #expect(!text.contains { $0.contains("many-variants") })
    }

    @Test(
        "a response that was not stored: why, until one is",
        arguments: ["no-store", "private, max-age=9", "max-age=0"]
    )
    func unstored(control: String) {
        let world = World()
        world.get()
        world.last.answer(200, [("Cache-Control", control)])
        world.runUntilIdle()
        world.timekeeper.advance(by: .seconds(3))
        let reason = [
            "no-store":
                "no-store: the last response, 200, 3 s ago, was not stored: it says no-store (RFC 9111 §5.2.2.5)",
            "private, max-age=9":
                "private: the last response, 200, 3 s ago, was not stored: it says private, and the request has no "
                + "credentials to store it for (RFC 9111 §5.2.2.7)",
            "max-age=0":
                "zero-lifetime-no-validator: the last response, 200, 3 s ago, was not stored: its lifetime is 0 s "
                + "and it has no validator (RFC 9111 §4.2)",
        ]
        let text = explain(world)
        #expect(text[0] == "outcome: load (Cache-Status: respite; fwd=uri-miss)")
        #expect(text[1] == "  uri-miss: nothing is stored for this URI (RFC 9111 §4)")
        #expect(text[3] == "  " + (reason[control] ?? ""))
        world.fill("/a", tagged)
        world.resource().purge()
        world.runUntilIdle()
        #expect(
            explain(world)[1]
                == "  uri-miss: nothing is stored for this URI, and no response to it is remembered (RFC 9111 §4)"
        )
    }

    @Test("another method than GET and HEAD: that it goes past what is held, and what it does to that")
    func method() {
        let world = World()
        world.fill("/a", tagged)
        let box = LockedBox<Explanation?>(nil)
        world.resource().explain(.post, Fields()) { explanation in box.change { $0 = explanation } }
        world.runUntilIdle()
        #expect(
            box.value?.text.drop { !$0.hasPrefix("outcome") }.prefix(4) == [
                "outcome: pass (Cache-Status: respite; fwd=method)",
                "  method: only GET and HEAD are answered from stored responses; POST goes to the origin (RFC 9111 §4)",
                "    would change with: a GET",
                "  invalidated: if it succeeds, stored responses must be validated before they are used again (RFC 9111 §4.4)",
            ]
        )
    }

    @Test("a part that was not stored beside what is held: why (C-16.2)")
    func unstoredPart() {
        let world = World()
        world.fill("/a", [("Cache-Control", "max-age=60")], World.digits)
        world.timekeeper.advance(by: .seconds(61))
        world.part("2-5")
        world.answerPart(2..<6)
        #expect(
            explain(world, [("Range", "bytes=2-5")]).contains(
                "  whole-is-stored: the last response, 206, 0 s ago, was not stored: it is a part, and the whole is stored "
                    + "(RFC 9111 §3.3)"
            )
        )
        let other = World()
        other.fillPart(2..<6)
        other.part("7-8")
        other.answerPart(7..<9, total: "11")
        #expect(
            explain(other, [("Range", "bytes=7-8")]).contains(
                "  content-range: the last response, 206, 0 s ago, was not stored: its Content-Range does not fit its content "
                    + "(RFC 9110 §14.4)"
            )
        )
    }
}
