import Configurations
import HTTPCaching
import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing

@testable import ResourceCore

/// What a local change, or another configuration, leaves.
@Suite("Fields and failures after local changes") struct LocalFieldsTests {
    @Test("other content keeps no field that describes, validates or dates the former one (S-200, S-249)")
    func fieldsOfContent() {
        let kept = [("Content-Type", "text/plain"), ("X-Other", "y"), ("Cache-Control", "max-age=60, public")]
        let gone = [
            "ETag", "Last-Modified", "Content-Length", "Content-Encoding", "Content-Range", "Content-MD5", "Digest",
            "Content-Digest", "Repr-Digest", "Date", "Age", "Expires", "Vary", "Set-Cookie",
        ]
        let fields = Workbench.fields(kept + gone.map { ($0, "1") })
        #expect(Resource.fieldsForOtherContent(fields) == Workbench.fields(kept))
    }

    @Test(
        "a Cache-Control that forbids reuse goes, any other stays (S-249)",
        arguments: [
            ("no-cache", false), ("no-store", false), ("private", false), ("max-age=1, private", false),
            ("no-cache, no-store", false), ("max-age=1", true), ("must-revalidate", true),
        ]
    )
    func control(value: String, stays: Bool) {
        let fields = Workbench.fields([("Cache-Control", value)])
        #expect(Resource.fieldsForOtherContent(fields) == (stays ? fields : Fields()))
    }

    @Test("an invalidation lifts a remembered failure: the next request asks the origin (S-041, S-201)")
    func invalidation() {
        let world = World()
        world.get()
        world.last.fail()
        world.runUntilIdle()
        #expect(world.get().failure?.isRemembered == true && world.provider.count == 1)
        world.resource().invalidate()
        world.get()
        #expect(world.provider.count == 2)
        #expect(!world.resource("/b").snapshot.isInvalidated)
        world.resource("/b").invalidate()
        #expect(!world.resource("/b").snapshot.isInvalidated, "there is nothing to mark")
    }

    @Test(
        "a durable override says its lifetime, unless its fields do; a failed one never lets what was there come back"
    )
    func durable() {
        let world = World(store: MemoryVariantStore())
        let told = LockedBox<[Bool]>([])
        func replace(_ lines: [(String, String)], isDurable: Bool) -> String? {
            let resource = world.resource()
            resource.override(
                content: [0x78],
                fields: Workbench.fields(lines),
                lifetime: .milliseconds(7_900),
                isDurable: isDurable
            ) { kept in told.change { $0.append(kept) } }
            world.runUntilIdle()
            return world.store?.records(of: World.uri("/a")).first?.fields.text(of: .cacheControl)
        }
        #expect(replace([], isDurable: true) == "max-age=7" && told.value == [true])
        #expect(
            replace([("Cache-Control", "max-age=3")], isDurable: true) == "max-age=3" && told.value == [true, true]
        )
        #expect(replace([], isDurable: false) == nil && told.value == [true, true, false])
        #expect(world.store?.records(of: World.uri("/a")).isEmpty == true && world.get().text == "x")
    }

    @Test("a changed configuration is in force at once: for the shared hit, for snapshots, and for what is kept")
    func reconfigured() {
        let store = MemoryVariantStore()
        let world = World(store: store)
        world.fill()
        let resource = world.resource()
        let before = resource.snapshot
        #expect(world.isHit() && before.sharedHit != nil)
        world.service.configuration.mode = .offline
        #expect(!world.isHit())
        let after = resource.snapshot
        #expect(after.sharedHit == nil && after.generation > before.generation)
        #expect(after.generation == world.table.configurationGeneration)
        world.service.configuration.mode = .auto
        world.service.configuration.caching.rules = [CachingRule(name: "r", neverCache: true)]
        #expect(resource.snapshot.variants.isEmpty)
        world.runUntilIdle()
        #expect(store.records(of: World.uri("/a")).isEmpty)
    }

    @Test(
        "a response of 400 or more is an error of the resource, others are data (S-071)",
        arguments: [203, 399, 400, 404, 500]
    )
    func errors(status: UInt16) {
        let world = World()
        let resource = world.resource()
        let client = world.get()
        world.last.answer(status, [("Cache-Control", "no-store")], "abc")
        world.runUntilIdle()
        #expect(client.text == "abc")
        #expect(resource.latestFailure?.status == (status >= 400 ? status : nil))
        world.get()
        world.last.answer(200, [("Cache-Control", "no-store")], "abc")
        world.runUntilIdle()
        #expect(resource.latestFailure == nil)
    }

    @Test("what a table without a store purges by condition is counted, and what stays is not touched (S-019)")
    func purgeWithoutStore() {
        let world = World()
        for path in ["/a", "/b", "/c"] { world.fill(path) }
        let count = LockedBox<Int?>(nil)
        world.table.purge(where: { $0 != World.uri("/b") }) { number in count.change { $0 = number } }
        #expect(count.value == 2 && !world.isHit("/a") && world.isHit("/b") && !world.isHit("/c"))
    }

    @Test("without a store a mark, an override and a purge are reported inside the call")
    func withoutStore() {
        let world = World()
        world.fill()
        let resource = world.resource()
        let told = LockedBox<[String]>([])
        resource.invalidate { isDurable in told.change { $0.append("marked \(isDurable)") } }
        for isDurable in [true, false] {
            resource.override(content: [0x78], fields: Fields(), isDurable: isDurable) { isKept in
                told.change { $0.append("kept \(isKept)") }
            }
        }
        resource.purge { count in told.change { $0.append("purged \(count)") } }
        #expect(told.value == ["marked true", "kept false", "kept false", "purged 0"])
    }
}
