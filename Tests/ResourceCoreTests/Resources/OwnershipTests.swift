import Exchanges
import HTTPCaching
import HTTPCore
import ResourceCore
import ResourceDoubles
import ResourceModel
import Stores
import TestDoubles
import Testing
import Transforms

@Suite("Ownership of services, resources and loads")
struct OwnershipTests {
    /// What must be gone.
    private struct Traces {
        weak var service: Service?
        weak var table: ResourceTable?
        weak var resource: Resource?

        init(_ world: World?, _ path: String = "/a") {
            service = world?.service
            table = world?.table
            resource = world?.resource(path)
        }

        var areGone: Bool { service == nil && table == nil && resource == nil }
    }

    @Test("a service that is dropped takes the table and its data along, and the eviction policy is told")
    func data() {
        // Given a service with data in memory
        let eviction = Counting()
        var world: World? = World(eviction: eviction)
        world?.fill()
        let traces = Traces(world)
        weak let stored = world?.resource().latestResponse
        #expect(stored != nil && eviction.held.value == 1)
        // When the program drops it
        world = nil
        // Then nothing is left
        #expect(traces.areGone)
        #expect(stored == nil && eviction.held.value == 0)
    }

    @Test("a service that is dropped takes along what left memory and waits to be let go")
    func deferredRelease() {
        var world: World? = World(eviction: KeepOne())
        world?.workers.isImmediate = false
        world?.fill("/a")
        let left = Traces(world)
        for path in ["/b", "/c"] { world?.fill(path) }
        #expect(left.resource != nil)
        let traces = Traces(world, "/c")
        world = nil
        #expect(traces.areGone && left.areGone)
    }

    @Test("a service that is dropped takes observed resources along; their observers hear no more")
    func observers() throws {
        var world: World? = World()
        let owner = LockedBox(0)
        let events = LockedBox(0)
        world?.resource().addObserver(owner: owner) { _, _ in events.change { $0 += 1 } }
        world?.resource().load()
        world?.runUntilIdle()
        let traces = Traces(world)
        let exchange = try #require(world?.last)
        let before = events.value
        world = nil
        #expect(traces.areGone)
        exchange.answer(200, [("Cache-Control", "max-age=60")], "abc")
        #expect(events.value == before)
    }

    @Test("loads under way are given up with their service, and who waits or follows is told")
    func loads() throws {
        // Given a request that waits, one that follows, and a load of the program's own
        let context = ManualContext()
        var world: World? = World()
        let waiting = try #require(world?.get("/waiting", on: context))
        let first = try #require(world?.last)
        let following = try #require(world?.get("/following", on: context))
        let second = try #require(world?.last)
        second.head(200, [("Cache-Control", "max-age=60")], length: 6)
        second.content("abc")
        context.run()
        let request = try #require(world?.resource("/own").load())
        world?.runUntilIdle()
        let third = try #require(world?.last)
        let traces = ["/waiting", "/following", "/own"].map { Traces(world, $0) }
        // When the service goes
        world = nil
        context.run()
        // Then so do the loads, each client knows, and what the origin still says reaches nobody
        #expect(traces.allSatisfy { $0.areGone })
        #expect([first, second, third].allSatisfy { $0.isCancelled })
        #expect(waiting.failure?.kind == .cancelled)
        #expect(following.text == "abc" && following.ending == .failed)
        #expect(request.result?.response.isCancellation == true)
        #expect(request.result?.response.error?.userMessage.contains("its service was dropped") == true)
        first.answer()
        second.content("def")
        second.end()
        third.fail()
        for client in [waiting, following] { client.leave() }
        request.cancel()
        #expect(waiting.answers == 1 && following.text == "abc")
    }

    @Test("who awaits a load is told whether it was cancelled because its service went")
    func reason() {
        var world: World? = World()
        let (first, second) = (CancelledCaller(), CancelledCaller())
        world?.resource().perform { $0.add(ProgramChange(cancelled: [first])) }
        #expect(first.reasons.value == [false])
        if let resource = world?.resource() { _ = resource.perform { $0.load(for: second) } }
        world?.runUntilIdle()
        #expect(second.reasons.value.isEmpty)
        world = nil
        #expect(second.reasons.value == [true] && first.reasons.value == [false])
    }

    @Test("a load that has not begun when its service goes does not begin")
    func queuedLoads() throws {
        let context = ManualContext()
        let provider = ScriptedProvider(context: context)
        var world: World? = World()
        world?.service.defaultProvider = provider
        world?.resource().load()
        let traces = Traces(world)
        world = nil
        context.run()
        #expect(traces.areGone && provider.count == 0)
    }

    @Test("a look-up of the store that ends after its service went calls nobody")
    func lookUp() throws {
        let context = ManualContext()
        let store = MemoryVariantStore(isImmediate: false)
        var world: World? = World(store: store)
        let client = try #require(world?.get(on: context))
        let request = try #require(world?.resource("/b").loadIfNeeded())
        let traces = [Traces(world), Traces(world, "/b")]
        world = nil
        context.run()
        #expect(traces.allSatisfy { $0.areGone })
        #expect(client.failure?.kind == .cancelled && request.isCompleted)
        store.run()
        context.run()
        #expect(client.answers == 1)
    }

    @Test("a remembered failure keeps nothing until its time is over")
    func timers() {
        let time = ManualTimekeeper()
        var world: World? = World(timekeeper: time)
        world?.get()
        world?.last.fail()
        world?.runUntilIdle()
        let traces = Traces(world)
        world = nil
        #expect(traces.areGone)
        time.advance(by: .seconds(60))
    }

    @Test("a resource that is held keeps its data and works on after its service was dropped (S-015)")
    func heldResource() throws {
        // Given a resource with data, held by the program, and another one
        let provider = ScriptedProvider(context: ManualContext())
        var resource: Resource?
        weak var other: Resource?
        do {
            let world = World()
            world.fill()
            world.fill("/other")
            world.service.defaultProvider = provider
            resource = world.resource()
            other = world.resource("/other")
        }
        // Then the data is there, and the other resource is gone
        #expect(resource?.latestResponse?.status == 200 && other == nil)
        // When it is loaded, then it takes the new data
        let request = try #require(resource?.load())
        provider.manualContext.run()
        provider.exchanges.last?.answer(200, [("Cache-Control", "max-age=60")], "new")
        #expect(request.result?.isNew == true && request.result?.response.error == nil)
        #expect(resource?.latestResponse?.record.body.count == 3)
        // And its service, the same as long as it is held, leads to this very object
        var service = resource?.service
        #expect(service === resource?.service && service?.name == "test")
        #expect(service?.resource(for: World.uri("/a")) === resource)
        // When both are dropped, nothing is left
        weak let table = service?.table
        resource = nil
        service = nil
        #expect(table == nil)
    }

    @Test("of the services that share a table, one that is dropped takes its own resources only")
    func sharedTable() {
        let world = World()
        var second: Service? = Service(name: "second", table: world.table, provider: world.provider)
        world.fill()
        second?.resource(for: World.uri("/b")).overrideLocalData(Array("b".utf8), fields: Fields())
        #expect(world.table.count == 2)
        second = nil
        #expect(world.table.count == 1)
        #expect(world.get().isHit)
    }

    @Test("an exchange that fails while it is started is not kept")
    func failureInStart() {
        let provider = FailingProvider()
        let world = World()
        world.service.defaultProvider = provider
        let request = world.resource().load()
        provider.manualContext.run()
        #expect(request.result?.response.error?.isCancellation == false)
        #expect(provider.exchange.value.weak == nil)
    }

    @Test("threads that attend while the service is dropped get one answer each")
    func threads() async {
        let context = ManualContext()
        let service = LockedBox<Service?>(World().service)
        weak let table = service.value?.table
        let clients = (0..<200).map { _ in Client(context: context) }
        await withTaskGroup(of: Void.self) { group in
            for part in 0..<4 {
                group.addTask {
                    for index in stride(from: part, to: clients.count, by: 4) { Self.serve(clients[index], service) }
                }
            }
            group.addTask { service.change { $0 = nil } }
        }
        context.run()
        #expect(table == nil)
        #expect(clients.allSatisfy { $0.answers <= 1 })
    }

    private static func serve(_ client: Client, _ service: LockedBox<Service?>) {
        guard let service = service.value else { return }
        let provider = ScriptedProvider(context: client.manualContext)
        let request = ClientRequest(
            uri: World.uri("/a"),
            fields: Fields(),
            profile: RequestProfile(method: .get),
            arrival: service.table.environment.timekeeper.now,
            provider: provider
        )
        _ = service.resource(for: request.uri).serve(request, to: client)
    }
}

/// Notes each cancellation: whether the service was dropped.
private final class CancelledCaller: LoadCaller {
    let reasons = LockedBox<[Bool]>([])

    func follow(_ load: Load) {}
    func loadDidEnd(_ outcome: LoadOutcome) {}
    func cancel(isServiceDropped: Bool) { reasons.change { $0.append(isServiceDropped) } }
}

/// Counts what is in memory.
private final class Counting: EvictionPolicy {
    let held = LockedBox(0)

    func didStore(_ entry: any MemoryEntry) -> [any MemoryEntry] {
        held.change { $0 += 1 }
        return []
    }

    func didRemove(_ entry: any MemoryEntry) { held.change { $0 -= 1 } }
}

/// Every exchange fails inside `start`, and holds its receiver all the same.
private final class FailingProvider: ExchangeProvider {
    final class Failed: Exchange {
        private let receiver: any ExchangeReceiver

        init(_ receiver: any ExchangeReceiver) { self.receiver = receiver }

        func grant(_ bytes: Int) {}
        func send(_ chunk: ByteChunk) {}
        func finish(trailers: Fields?) {}
        func cancel() {}
    }

    struct Reference: Sendable { weak var weak: Failed? }

    let manualContext = ManualContext()
    let exchange = LockedBox(Reference())

    var context: any DeliveryContext { manualContext }

    func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        receiver.exchangeDidFail(ExchangeFailure(.connectionRefused, "refused at once"))
        let failed = Failed(receiver)
        exchange.change { $0.weak = failed }
        return failed
    }
}
