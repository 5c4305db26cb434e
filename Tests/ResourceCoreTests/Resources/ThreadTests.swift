import ResourceDoubles
import Exchanges
import HTTPCaching
import HTTPCore
import ResourceCore
import TestDoubles
import TestSupport
import Testing

@Suite("Many threads")
struct ThreadTests {
    /// An origin that answers at once, on whatever thread asks, and counts.
    private final class InstantProvider: ExchangeProvider {
        final class Done: Exchange {
            func grant(_ bytes: Int) {}
            func send(_ chunk: ByteChunk) {}
            func finish(trailers: Fields?) {}
            func cancel() {}
        }

        let manualContext: ManualContext
        let count = LockedBox(0)

        private let cacheControl: String

        init(_ context: ManualContext, cacheControl: String = "max-age=60") {
            manualContext = context
            self.cacheControl = cacheControl
        }

        var context: any DeliveryContext { manualContext }

        func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
            count.change { $0 += 1 }
            manualContext.submit { [cacheControl] in
                var fields = Fields()
                fields.append(.cacheControl, cacheControl)
                receiver.exchangeDidReceive(ResponseHead(status: 200, fields: fields, framing: .length(3)))
                receiver.exchangeDidReceive(ByteChunk("abc"))
                receiver.exchangeDidEnd(trailers: nil)
            }
            return Done()
        }
    }

    /// One thread's client side.
    private struct Side: Sendable {
        let context: ManualContext
        let clients: [Client]
    }

    @Test("threads that get, purge, invalidate, wipe and cancel at once leave every client one whole answer")
    func storm() async {
        let world = World(store: MemoryVariantStore())
        #expect(await Self.isEveryAnswer("abc", world))
        // With the clients everything that holds a resource has gone.
        world.table.flushUnused()
        world.timekeeper.advance(by: .seconds(20))
        #expect(world.table.count == 0)
    }

    @Test(
        "the same through a pipeline: every client gets the derived response, and nothing stays",
        arguments: [ScriptedTransformer.suffix("!"), ScriptedTransformer.suffix("!").redacting]
    )
    func pipelineStorm(_ transformer: ScriptedTransformer) async {
        let world = PipelineTests.world(transformer, ScriptedTransformer.upper, store: MemoryVariantStore())
        #expect(await Self.isEveryAnswer("ABC!", world))
        world.table.flushUnused()
        world.timekeeper.advance(by: .seconds(20))
        #expect(world.table.count == 0)
    }

    @Test("threads whose resources leave nothing behind let go of each other's, of which some are in hand")
    func emptyResources() async {
        let world = World(shardCount: 1)
        let wrong = LockedBox(0)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for step in 0..<2000 where !passesOn("/\(task)/\(step)", world) { wrong.change { $0 += 1 } }
                }
            }
        }
        #expect(wrong.value == 0)
        #expect(world.table.count == 0)
    }

    @Test("what the store is to do for a resource is done in its order, one after another, whichever threads ask")
    func errandsInOrder() {
        let store = MemoryVariantStore()
        let world = World(store: store)
        world.fill()
        // Given a store that is amid an invalidation while another thread has the resource purged
        let resource = world.resource()
        store.interruption.change { $0 = { Threads.run(1) { _ in resource.purge() } } }
        // When the invalidation goes on
        resource.invalidate()
        // Then the purge comes behind it
        #expect(store.log.suffix(2) == ["invalidate", "removeAll"])
        store.interruption.change { $0 = nil }
    }

    /// Whether a client gets what may not be stored.
    private func passesOn(_ path: String, _ world: World) -> Bool {
        let context = ManualContext()
        let provider = InstantProvider(context, cacheControl: "no-store")
        let client = Client(context: context)
        let request = Self.request(world, path, isReload: false, provider)
        let resource = world.service.resourceToServe(World.uri(path))
        context.perform { Self.serve(resource, request, client) }
        context.run()
        return client.text == "abc"
    }

    private static func serve(_ resource: Resource, _ request: ClientRequest, _ client: Client) {
        switch resource.serve(request, to: client) {
        case .answered(let answer, let waiter):
            client.note(waiter)
            client.take(answer)
        case .waiting(let waiter):
            client.note(waiter)
        }
    }

    private static func isEveryAnswer(_ text: String, _ world: World) async -> Bool {
        // Not as results of the tasks: these may outlive the group for a moment, and with them what they hold.
        let box = LockedBox<[Side]>([])
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    let side = storm(world, seed: task)
                    box.change { $0.append(side) }
                }
            }
        }
        let sides = box.change { sides in
            defer { sides = [] }
            return sides
        }
        // What one side caused may have to be done on another's context.
        while sides.contains(where: { $0.context.run() }) || world.store?.run() == true || world.workers.run() {}
        return sides.flatMap(\.clients).allSatisfy { $0.answers == 1 && $0.text == text }
    }

    private static func storm(_ world: World, seed: Int) -> Side {
        let context = ManualContext()
        let provider = InstantProvider(context)
        var clients: [Client] = []
        for step in 0..<1000 {
            let path = "/\((step &* 7 &+ seed) % 5)"
            let client = Client(context: context)
            let request = request(world, path, isReload: step % 11 == 0, provider)
            context.perform { serve(world.resource(path), request, client) }
            if step % 13 == 0 { client.leave() } else { clients.append(client) }
            if step % 17 == 0 { world.resource(path).purge() }
            if step % 19 == 0 { world.service.resource(for: World.uri(path)).invalidate() }
            if step % 23 == 0 { world.table.wipe { $0 == World.uri(path) } }
            if step % 5 == 0 { context.run() }
            if step % 3 == 0 { world.workers.run() }
            world.store?.run()
        }
        return Side(context: context, clients: clients)
    }

    private static func request(
        _ world: World,
        _ path: String,
        isReload: Bool,
        _ provider: InstantProvider
    ) -> ClientRequest {
        var fields = Fields()
        if isReload { fields.append(.cacheControl, "no-cache") }
        return ClientRequest(
            uri: World.uri(path),
            fields: fields,
            profile: RequestProfile(method: .get, fields: fields, credentialFields: CredentialFields()),
            arrival: world.timekeeper.now,
            provider: provider
        )
    }
}
