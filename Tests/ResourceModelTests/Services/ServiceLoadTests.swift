import ResourceDoubles
import HTTPCore
import Testing
import Transforms
import TestDoubles

@testable import ResourceCore
@testable import ResourceModel

/// A program's service with a stub in the place of the network.
private struct ServiceWorld {
    let context = ManualContext()
    let workers = ScriptedWorkers()
    let networking: StubNetworking
    let service: Service

    init(
        _ base: String? = "https://h.example/v1",
        transformers: [StandardTransformer] = StandardTransformer.all,
        _ rule: @escaping StubNetworking.Rule = { _ in
            .answer(200, [("Content-Type", "application/json")], #"{"a": 1}"#)
        }
    ) {
        networking = StubNetworking(rule)
        service = Service(
            baseURL: base,
            standardTransformers: transformers,
            networking: networking,
            environment: CoreEnvironment(
                timekeeper: ManualTimekeeper(),
                hasher: PlainHasher(),
                transformWorkers: workers
            ),
            delivery: context
        )
    }

    /// Runs everything that waits.
    func runUntilIdle() { while workers.run() || context.run() {} }

    /// Loads, and returns how that ended.
    func load(_ resource: Resource) -> Response? {
        let request = resource.load()
        runUntilIdle()
        return request.result?.response
    }
}

@Suite("Loads by URL")
struct ServiceLoadTests {
    private func failsWithoutNetwork(_ world: ServiceWorld, _ resource: Resource, _ source: String?) -> Bool {
        let before = world.networking.requests.count
        let responses = [world.load(resource), resource.request(.post).result?.response]
        world.runUntilIdle()
        let isRight = responses.allSatisfy { response in
            (response?.error?.cause as? RequestError.Cause.InvalidURL)?.urlSource == source && response?.error != nil
        }
        return isRight && world.networking.requests.count == before && resource.latestData == nil
            && resource.latestError?.cause is RequestError.Cause.InvalidURL
    }

    @Test("without a base a path fails at once, an absolute URL is loaded (T-177, T-178, S-005)")
    func noBase() {
        let world = ServiceWorld(nil)
        #expect(failsWithoutNetwork(world, world.service.resource("/a"), nil))
        let resource = world.service.resource(absoluteURL: "http://x.example/y?z")
        #expect(world.load(resource)?.error == nil)
        #expect(world.networking.requests.map(\.url.text) == ["http://x.example/y?z"])
        #expect(resource.jsonDict["a"] as? Int == 1)
    }

    @Test("what is no URL fails at once, each time, before any network (T-189, S-011, S-012)")
    func invalid() {
        let world = ServiceWorld()
        for _ in 0..<2 {
            #expect(failsWithoutNetwork(world, world.service.resource(absoluteURL: "\0"), "\0"))
            #expect(failsWithoutNetwork(world, world.service.resource(absoluteURL: nil as String?), nil))
            #expect(failsWithoutNetwork(world, world.service.resource(absoluteURL: nil as TargetURI?), nil))
            #expect(failsWithoutNetwork(world, world.service.resource("/a").relative(""), nil))
        }
        #expect(world.service.table.count == 1)
    }

    @Test("JSON, text and images are values; without transformers content is bytes (S-006)")
    func transformers() {
        let world = ServiceWorld()
        let resource = world.service.resource("/a")
        _ = world.load(resource)
        #expect(resource.jsonDict["a"] as? Int == 1)
        let bare = ServiceWorld(transformers: [])
        let raw = bare.service.resource("/a")
        _ = bare.load(raw)
        #expect(raw.typedContent() as [UInt8]? == Array(#"{"a": 1}"#.utf8))
    }

    @Test(
        "loaded data stays through a flush where it is held, and goes with a wipe (T-192, T-211, T-212, T-213, S-017, S-019)"
    )
    func wiping() {
        let world = ServiceWorld()
        let (one, other) = (world.service.resource("/1"), world.service.resource("/2"))
        func full() -> [Bool] { [one, other].map { $0.latestData != nil } }
        func fill() { for resource in [one, other] { _ = world.load(resource) } }
        fill()
        _ = world.load(world.service.resource("/unheld"))
        #expect("\(one)" == "Resource(…/1)[D]" && world.service.table.count == 3)
        world.service.respondToMemoryPressure()
        #expect(full() == [true, true] && world.service.table.count == 2)
        world.service.wipeResources(matching: "/2")
        #expect(full() == [true, false])
        fill()
        world.service.wipeResources(matching: one)
        #expect(full() == [false, true])
        fill()
        world.service.wipeResources { $0 === other }
        #expect(full() == [true, false])
        world.service.wipeResources()
        #expect(full() == [false, false])
    }

    @Test("a wipe drops what nobody holds, whatever it wipes, and leaves other services alone (S-019)")
    func wipingDrops() {
        let world = ServiceWorld()
        let held = world.service.resource("/held")
        let other = Service(name: "other", table: world.service.table, networking: world.networking)
        let foreign = other.resource(absoluteURL: "https://other.example/")
        for resource in [held, world.service.resource("/unheld")] { _ = world.load(resource) }
        foreign.overrideLocalContent("theirs")
        #expect(world.service.table.count == 3)
        world.service.wipeResources(matching: { _ in false })
        #expect(world.service.table.count == 2 && held.latestData != nil)
        world.service.wipeResources()
        #expect(held.latestData == nil && foreign.text == "theirs")
        other.wipeResources()
        #expect(foreign.latestData == nil)
    }

    @Test("what loads stays through a flush, held or not (S-015, S-215)")
    func loading() {
        let world = ServiceWorld { _ in nil }
        weak var resource: Resource?
        resource = world.service.resource("/a")
        let request = resource?.load()
        world.service.flushUnusedResources()
        #expect(resource?.isLoading == true)
        world.networking.last.answer(200, [], "abc")
        world.runUntilIdle()
        #expect(request?.isCompleted == true && resource?.latestData != nil)
        world.service.flushUnusedResources()
        #expect(resource == nil)
    }

    @Test("names, links and parameters ask neither closures nor caches; the first use does (S-037)")
    func cheap() {
        let world = ServiceWorld()
        let (cache, runs) = (RecordingCache(on: world.context), LockedBox(0))
        world.service.configure {
            runs.change { $0 += 1 }
            $0.pipeline[.parsing].cacheUsing(cache)
        }
        let resource = world.service.resource("/a").child("b").relative("c").withParam("d", "e")
        _ = (world.service.resource(absoluteURL: "https://x.example/"), "\(resource)")
        world.runUntilIdle()
        #expect(runs.value == 0 && cache.calls.isEmpty)
        #expect(resource.latestData == nil)
        world.runUntilIdle()
        #expect(runs.value == 1 && cache.calls == ["read /v1/a/c?d=e"])
    }
}
