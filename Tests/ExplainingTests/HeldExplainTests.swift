import Configurations
import Exchanges
import Explaining
import HTTPCaching
import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing

/// What `explain` says of responses that are held, or under way.
@Suite struct HeldExplainTests {
    private let tagged = [("Cache-Control", "max-age=60"), ("ETag", "\"v1\"")]

    @Test("a load under way is shared")
    func joined() {
        let world = World()
        world.get()
        let text = world.explain()
        #expect(text.count == 2)
        #expect(text[0].hasPrefix("outcome: join (Cache-Status: respite; fwd=uri-miss"))
        #expect(text[0].contains("; collapsed"))
        #expect(text[1].hasPrefix("  collapsed: load "))
        #expect(text[1].hasSuffix(" is under way, and the request may share it (RFC 9111 §4)"))
    }

    @Test("a response for another credential is held, but not by a partition of this request, and not selected")
    func otherCredential() {
        let world = World()
        world.get("/a", [("Authorization", "alice")])
        world.last.answer(200, tagged)
        world.runUntilIdle()
        let text = world.explain([("Authorization", "bob")])
        #expect(text.contains("holds: 200, private, age 0 s, another credential's"))
        #expect(!text.contains { $0.hasSuffix("selected") })
    }

    @Test("a response that all clients share has no word of credentials, unless a Cookie is shared")
    func shared() {
        let world = World()
        world.fill("/a", tagged)
        let text = world.explain([("Authorization", "alice")])
        for word in ["private", "set-cookie", "authorization", "cookie-shared"] {
            #expect(!text.contains { $0.hasPrefix("  \(word):") }, "\(word)")
        }
        #expect(text.contains { $0.hasPrefix("holds: 200, shared,") })
    }

    @Test("up to five ranges of a part are told, and the number of the others")
    func ranges() {
        let world = World()
        for start in [0, 2, 4, 6, 8] { world.fillPart(start..<(start + 1)) }
        let held = world.explain([("Range", "bytes=1-1")])
        #expect(
            held.contains { $0.hasPrefix("  part: bytes 0-0, 2-2, 4-4, 6-6, 8-8 of 10 are stored (") },
            "\(held)"
        )
    }

    @Test("an event stream of one piece is a recorded one")
    func onePiece() {
        var configuration = Configuration()
        configuration.caching.rules = [CachingRule(name: "r", ttlSeconds: 60, recordsStreams: true)]
        let world = World(configuration: configuration)
        world.get()
        world.last.head(200, [("Content-Type", "text/event-stream")])
        world.timekeeper.advance(by: .milliseconds(1950))
        world.last.content("data: one\n\n")
        world.last.end()
        world.runUntilIdle()
        #expect(world.explain().contains { $0.hasPrefix("  stream: a stream of 1 piece within 1.9 s is stored") })
    }

    @Test("a request for what is held only, which is stale, gets the refusal and the reason, nothing else")
    func staleOnly() {
        let world = World()
        world.fill("/a", [("Cache-Control", "max-age=60, must-revalidate"), ("ETag", "\"v1\"")])
        world.timekeeper.advance(by: .seconds(70))
        let text = world.explain([("Cache-Control", "only-if-cached")])
        #expect(text[0] == "outcome: refuse (Cache-Status: respite; detail=only-if-cached)")
        let words = text.prefix { !$0.hasPrefix("holds:") }.dropFirst().filter { !$0.hasPrefix("    ") }
            .map { $0.drop { $0 == " " }.prefix { $0 != ":" } }
        #expect(words == ["only-if-cached", "must-revalidate"])
    }

    @Test("the pause after a response that may not be shared lasts as long as it is said to")
    func uncollapsed() {
        let world = World()
        _ = (world.get("/b"), world.get("/b"))
        world.last.answer(200, [("Cache-Control", "no-store")], "abc")
        world.runUntilIdle()
        world.last.answer(200, [("Cache-Control", "no-store")], "abc")
        world.runUntilIdle()
        world.timekeeper.advance(by: .seconds(4))
        #expect(
            world.explain([], "/b").contains(
                "  not-collapsed: a recent response may not be shared: for 7 s at most, requests do not wait for each other "
                    + "(RFC 9111 §4)"
            )
        )
    }

    @Test(
        "the seconds for which an origin's wish is still honoured are rounded up",
        arguments: [(0, 10), (1, 10), (999, 10), (1000, 9), (9000, 1), (9999, 1)]
    )
    func pause(milliseconds: Int, seconds: Int) {
        for scope in [RetryAfterScope.resource, .origin] {
            var configuration = Configuration()
            configuration.policies.retryAfter = scope
            let world = World(configuration: configuration, origins: CircuitBreakers(chance: { 1 }))
            let path = scope == .origin ? "/b" : "/a"
            world.get(path)
            world.last.answer(503, [("Retry-After", "10")])
            world.runUntilIdle()
            world.timekeeper.advance(by: .milliseconds(milliseconds))
            #expect(
                world.explain().contains { $0.contains("is honoured for \(seconds) s more (RFC ") },
                "\(scope): \(world.explain())"
            )
        }
    }

    @Test("an unsafe method marks what is held if it succeeds, a safe one does not")
    func methods() {
        func words(_ method: Method) -> [String] {
            let world = World()
            let box = LockedBox<[String]>([])
            world.resource().explain(method, Fields()) { explanation in
                box.change { $0 = explanation.notes.map(\.word) }
            }
            world.runUntilIdle()
            return box.value
        }
        #expect(words(.post) == ["method", "invalidated"])
        #expect(words(.options) == ["method"])
    }

    @Test(
        "only credentials are told as what identifies a partition, and a request without any looks into the shared one"
    )
    func partitions() {
        func partitions(_ lines: [(String, String)]) -> [[String]] {
            var fields = Fields()
            for (name, value) in lines { fields.append(name: name, value: value) }
            let world = World()
            let box = LockedBox<[[String]]>([])
            world.resource().explain(.get, fields) { explanation in
                box.change { $0 = explanation.partitions.map { [$0.name] + $0.fields } }
            }
            world.runUntilIdle()
            return box.value
        }
        #expect(partitions([("Accept", "*/*")]) == [["shared"]])
        #expect(partitions([("Cookie", "a=b")]) == [["personal", "Cookie"], ["shared"]])
        #expect(partitions([("AUTHORIZATION", "x")]) == [["personal", "AUTHORIZATION"], ["shared"]])
    }
}
