import Configurations
import HTTPCaching
import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing

@Suite("Explanations where a rule adds request fields to the key")
struct KeyedExplainTests {
    private static func world() -> World {
        var configuration = Configuration()
        configuration.caching.rules = [CachingRule(name: "r", keyFields: [Array("X-Tenant".utf8)])]
        return World(configuration: configuration)
    }

    @Test("a response stored under another key is not said to belong to another credential alone")
    func otherKey() {
        let world = Self.world()
        world.get("/a", [("X-Tenant", "one")])
        world.last.answer(200, [("Cache-Control", "max-age=60")])
        world.runUntilIdle()
        #expect(
            world.explain([("X-Tenant", "two")]).contains(
                "  uri-miss: the stored responses have another key, or belong to another credential (RFC 9111 §2)"
            )
        )
    }

    @Test("without a stored response nothing is said of other keys")
    func nothingHeld() {
        let text = Self.world().explain([("X-Tenant", "two")])
        #expect(text.contains { $0.hasPrefix("  uri-miss: nothing is stored for this URI") })
    }
}
