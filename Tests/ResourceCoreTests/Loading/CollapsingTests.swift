import Configurations
import Exchanges
import HTTPCaching
import HTTPCore
import Outcomes
import ResourceCore
import ResourceDoubles
import TestDoubles
import Testing

@Suite("Collapsing")
struct CollapsingTests {
    @Test("a thousand identical requests on several contexts cause one load, and all get its content (C-23.1)")
    func thousandFollowers() {
        let world = World()
        let contexts = (0..<4).map { _ in ManualContext() }
        let clients = (0..<1000).map { world.get(on: contexts[$0 % 4]) }
        #expect(world.provider.count == 1)
        let before = contexts.map(\.submissions)
        world.last.head(200, [("Cache-Control", "max-age=60")], length: 6)
        for context in contexts { context.run() }
        world.last.content("abc")
        for context in contexts { context.run() }
        world.last.content("def")
        world.last.end()
        for context in contexts { context.run() }
        #expect(clients.allSatisfy { $0.text == "abcdef" && $0.ending == .complete })
        // One for the head, one for each of two chunks, perhaps one for the end; not one for each client.
        #expect(zip(contexts, before).allSatisfy { $0.submissions - $1 <= 4 })
        #expect(world.get().isHit)
        #expect(clients.count { $0.outcome?.isCollapsed == true } == 999)
    }

    @Test("a late follower gets the content from byte 0 (C-23.2)")
    func lateFollower() {
        let world = World()
        world.get()
        world.last.head(200, [("Cache-Control", "max-age=60")], length: 6)
        world.last.content("abc")
        let late = world.get()
        #expect(late.text == "abc")
        world.last.content("def")
        world.last.end()
        world.runUntilIdle()
        #expect(late.text == "abcdef")
        #expect(world.provider.count == 1)
        #expect(late.outcome?.isCollapsed == true)
    }

    @Test("an incremental response is nobody else's while it comes, and is stored when it is complete (C-24.5)")
    func incremental() {
        let world = World()
        let leader = world.get()
        let waiting = world.get()
        world.last.head(200, [("Cache-Control", "max-age=60"), ("Incremental", "?1")], length: 6)
        let first = world.provider.exchanges[0]
        #expect(world.provider.count == 2 && waiting.answers == 0)
        first.content("abc")
        #expect(leader.text == "abc")
        // One that comes after the head does not follow either.
        world.get()
        #expect(world.provider.count == 3)
        first.content("def")
        first.end()
        world.runUntilIdle()
        #expect(leader.text == "abcdef")
        #expect(world.get().isHit && world.provider.count == 3)
    }

    @Test("requests that waited share a response without any lifetime; one that comes after its head does not (C-23.0)")
    func zeroLifetime() {
        let world = World()
        let first = world.get()
        let second = world.get()
        world.last.head(200, [], length: 3)
        let late = world.get()
        #expect(world.provider.count == 2)
        world.provider.exchanges[0].content("abc")
        world.provider.exchanges[0].end()
        world.runUntilIdle()
        #expect(first.text == "abc" && second.text == "abc")
        #expect(late.answers == 0)
    }

    @Test(
        "a response that may not be shared goes to the leader; the others proceed at once, each for itself (C-23.4)",
        arguments: [
            [("Cache-Control", "no-store")], [("Cache-Control", "private, max-age=60")], [("Vary", "*")],
            [("Set-Cookie", "a=b")], [("Content-Type", "text/event-stream")], [("Cache-Control", "no-cache")],
        ]
    )
    func unshareable(lines: [(String, String)]) {
        let world = World()
        let clients = (0..<3).map { _ in world.get() }
        #expect(world.provider.count == 1)
        world.last.answer(200, lines, "abc")
        world.runUntilIdle()
        #expect(clients.count { $0.text == "abc" } == 1)
        #expect(world.provider.count == 3)
        // The memory of it keeps a later request from waiting.
        world.get()
        #expect(world.provider.count == 4)
        for exchange in world.provider.exchanges.dropFirst() { exchange.answer(200, lines, "def") }
        world.runUntilIdle()
        #expect(clients.count { $0.text == "def" } == 2)
    }

    @Test("the memory of a response nobody may share ends with the next storable response (C-23.4)")
    func memoryEnds() {
        let world = World()
        let clients = [world.get(), world.get()]
        world.last.answer(200, [("Cache-Control", "no-store")], "abc")
        world.runUntilIdle()
        world.last.answer(200, [("Cache-Control", "max-age=60")], "def")
        world.runUntilIdle()
        #expect(clients.allSatisfy { $0.ending == .complete })
        world.timekeeper.advance(by: .seconds(61))
        _ = (world.get(), world.get())
        #expect(world.provider.count == 3)
    }

    @Test("the memory of a response nobody may share lasts ten seconds (C-23.4)")
    func memoryExpires() {
        let world = World()
        _ = (world.get(), world.get())
        world.last.answer(200, [("Cache-Control", "no-store")], "abc")
        world.runUntilIdle()
        world.last.answer(200, [("Cache-Control", "no-store")], "abc")
        world.runUntilIdle()
        world.timekeeper.advance(by: .seconds(9))
        _ = (world.get(), world.get())
        #expect(world.provider.count == 4)
        for exchange in world.provider.exchanges { if exchange.credit > 0 { exchange.answer(200, [], "") } }
        world.timekeeper.advance(by: .seconds(2))
        _ = (world.get(), world.get())
        #expect(world.provider.count == 5)
    }

    @Test("followers whom Vary does not fit are sent on in groups, one load for each variant (C-23.1)")
    func varyGroups() {
        let world = World()
        let clients = (0..<9).map { world.get("/a", [("X-Kind", "\($0 % 3)")]) }
        #expect(world.provider.count == 1)
        world.last.answer(200, [("Cache-Control", "max-age=60"), ("Vary", "X-Kind")], "first")
        world.runUntilIdle()
        #expect(world.provider.count == 3)
        for exchange in world.provider.exchanges.dropFirst() {
            let kind = String(decoding: exchange.request.fields.values(named: Array("x-kind".utf8))[0], as: UTF8.self)
            exchange.answer(200, [("Cache-Control", "max-age=60"), ("Vary", "X-Kind")], "kind \(kind)")
        }
        world.runUntilIdle()
        #expect(clients.allSatisfy { $0.ending == .complete })
        #expect(Set(clients.map(\.text)).count == 3)
        for kind in 0..<3 { #expect(world.get("/a", [("X-Kind", "\(kind)")]).isHit) }
    }

    @Test("an answer that nobody stores tells what others differ in; a failure that nobody stores does not (C-11.1)")
    func unstoredVary() {
        for (status, loads) in [(200, 3), (500, 2)] as [(UInt16, Int)] {
            let world = World()
            let resource = world.resource()
            world.get()
            world.last.answer(status, [("Cache-Control", "no-store"), ("Vary", "X-Kind")], "abc")
            world.runUntilIdle()
            // Two that differ in that field wait for each other only while nobody knows that it matters.
            for kind in 0..<2 { world.get("/a", [("X-Kind", "\(kind)")]) }
            #expect(world.provider.count == loads, "\(status)")
            withExtendedLifetime(resource) {}
        }
    }

    @Test("requests with different credentials do not wait for each other's heads (C-20.3)")
    func credentials() {
        let world = World()
        let one = world.get("/a", [("Authorization", "one")])
        let two = world.get("/a", [("Authorization", "two")])
        #expect(world.provider.count == 2)
        world.provider.exchanges[0].answer(200, [("Cache-Control", "max-age=60")], "for one")
        world.provider.exchanges[1].answer(200, [("Cache-Control", "max-age=60")], "for two")
        world.runUntilIdle()
        #expect(one.text == "for one" && two.text == "for two")
        #expect(world.get("/a", [("Authorization", "one")]).text == "for one")
        #expect(world.get("/a", [("Authorization", "two")]).text == "for two")
        world.get("/a")
        #expect(world.provider.count == 3)
    }

    @Test("after the head a response that proves shareable serves other credentials too (C-20.3)")
    func shareableAfterHead() {
        let world = World()
        world.get("/a", [("Authorization", "one")])
        world.last.head(200, [("Cache-Control", "public, max-age=60")], length: 3)
        let other = world.get("/a", [("Authorization", "two")])
        #expect(world.provider.count == 1)
        world.last.content("abc")
        world.last.end()
        world.runUntilIdle()
        #expect(other.text == "abc")
    }

    @Test("a request with no-cache joins only a load sent after it arrived (C-23.0)")
    func noCache() {
        let world = World()
        world.get()
        world.timekeeper.advance(by: .milliseconds(1))
        world.get("/a", [("Cache-Control", "no-cache")])
        #expect(world.provider.count == 2)
        world.get("/a", [("Cache-Control", "no-cache")])
        #expect(world.provider.count == 2)
    }

    @Test(
        "requests with Range, no-store or for an event stream, and HEAD, neither wait nor make others wait (C-23.0)",
        arguments: [
            ([("Range", "bytes=0-1"), ("If-Range", "\"a\"")], PassReason.range),
            ([("Cache-Control", "no-store")], .requestNoStore), ([("Accept", "text/event-stream")], .eventStream),
            ([("If-Match", "\"a\"")], .originCondition),
        ]
    )
    func passes(lines: [(String, String)], reason: PassReason) {
        let world = World()
        world.get()
        #expect(world.get("/a", lines).pass == reason)
        #expect(world.get("/a", method: .head).pass == .head)
        #expect(world.provider.count == 1)
    }

    @Test("a stored response answers a Range; C-23.5 and a HEAD (C-16.1)")
    func storedServesRange() {
        let world = World()
        world.fill()
        #expect(world.get("/a", [("Range", "bytes=0-1")]).isHit)
        #expect(world.get("/a", method: .head).isHit)
    }

    @Test("no more requests wait for one load than the limit says; the others are refused and cause no load (H-134)")
    func waiterLimit() {
        var configuration = Configuration()
        configuration.waiterLimit = 3
        let world = World(configuration: configuration)
        let clients = (0..<5).map { _ in world.get() }
        #expect(clients.map(\.refusal) == [nil, nil, nil, .tooManyWaiters, .tooManyWaiters])
        #expect(world.provider.count == 1)
        // What nobody may share does not wait, and is not refused.
        #expect(world.get("/a", [("Cache-Control", "no-store")]).pass == .requestNoStore)
        world.last.answer(200, [("Cache-Control", "max-age=60")], "abc")
        world.runUntilIdle()
        #expect(clients.prefix(3).allSatisfy { $0.text == "abc" } && world.get().isHit)
    }

    @Test("no more requests wait for the store's look-up than the limit says, of those that could share a load (H-134)")
    func lookUpLimit() {
        var configuration = Configuration()
        configuration.waiterLimit = 3
        let world = World(store: MemoryVariantStore(isImmediate: false), configuration: configuration)
        let clients = (0..<4).map { _ in world.get() } + [world.get("/a", [("Cache-Control", "no-store")])]
        #expect(clients.map(\.refusal) == [nil, nil, nil, .tooManyWaiters, nil])
        world.store?.run()
        world.runUntilIdle()
        #expect(world.provider.count == 1 && clients[4].pass == .requestNoStore)
    }

    @Test("a request too many gets what is held, where stale content may stand in for an error (H-134)")
    func waiterLimitStale() {
        var configuration = Configuration()
        configuration.waiterLimit = 1
        let world = World(configuration: configuration)
        world.fill("/a", [("Cache-Control", "max-age=1, stale-if-error=60"), ("ETag", "\"1\"")])
        world.timekeeper.advance(by: .seconds(2))
        let waiting = world.get()
        #expect(waiting.answers == 0)
        let second = world.get()
        #expect(second.text == "abc" && second.outcome?.forwardStatus == 503 && second.isHit)
        #expect(world.provider.count == 2)
    }

    @Test(
        "requests that waited for a failure nobody may share get a 503 of our own, and cause no further load (H-151)",
        arguments: [
            (503, [("Cache-Control", "no-store")], 1), (503, [("Cache-Control", "no-store"), ("Retry-After", "7")], 7),
            (500, [("Set-Cookie", "a=b")], 1), (502, [("Cache-Control", "private")], 1), (504, [("Vary", "*")], 1),
        ]
    )
    func unshareableFailure(status: UInt16, lines: [(String, String)], seconds: Int64) {
        let world = World()
        let clients = (0..<100).map { _ in world.get() }
        world.last.answer(status, lines, "for the leader")
        world.runUntilIdle()
        #expect(world.provider.count == 1)
        #expect(clients[0].following?.status == status && clients[0].text == "for the leader")
        let failures = clients.dropFirst().compactMap(\.failure)
        #expect(failures.count == 99)
        #expect(failures.allSatisfy { $0.status == 503 && $0.receivedStatus == status })
        #expect(failures.allSatisfy { $0.retryAfter == .seconds(seconds) })
        // Nor does it keep the next ones from waiting for each other.
        world.timekeeper.advance(by: .seconds(8))
        let next = (0..<3).map { _ in world.get() }
        #expect(world.provider.count == 2)
        world.last.answer(200, [("Cache-Control", "max-age=60")], "abc")
        world.runUntilIdle()
        #expect(next.allSatisfy { $0.text == "abc" })
    }

    @Test("interim heads go to every request that waits (C-19.1)")
    func interim() {
        let world = World()
        let clients = [world.get(), world.get()]
        world.last.interim(103)
        world.runUntilIdle()
        #expect(clients.allSatisfy { $0.interims == [103] })
    }

    // MARK: Leaving

    @Test("the leader's leaving changes nothing for followers (H-150)")
    func leaderLeaves() {
        let world = World()
        let leader = world.get()
        let follower = world.get()
        leader.leave()
        #expect(!world.last.isCancelled)
        world.last.answer(200, [("Cache-Control", "max-age=60")], "abc")
        world.runUntilIdle()
        #expect(follower.text == "abc")
        #expect(leader.answers == 0)
    }

    @Test("the last one's leaving amid the start of the exchange ends that, too (S-105)")
    func leavesAmidStart() {
        let world = World()
        let client = Client(context: world.context)
        let provider = InterruptedProvider(world.provider) { client.leave() }
        let usual = world.request()
        let request = ClientRequest(
            uri: usual.uri,
            fields: usual.fields,
            profile: usual.profile,
            arrival: usual.arrival,
            provider: provider
        )
        if case .waiting(let waiter) = world.resource().serve(request, to: client) { client.note(waiter) }
        #expect(world.provider.count == 0)
        world.runUntilIdle()
        #expect(world.provider.count == 1 && world.last.isCancelled && !world.resource().isLoading)
        #expect(provider.sawWholeResponses.value == [true], "a load takes a response in one piece")
    }

    @Test("the last one's leaving before the exchange starts leaves nothing to start (S-105)")
    func leavesBeforeStart() {
        let world = World()
        let client = Client(context: world.context)
        if case .waiting(let waiter) = world.resource().serve(world.request(), to: client) { client.note(waiter) }
        client.leave()
        world.runUntilIdle()
        #expect(world.provider.count == 0 && !world.resource().isLoading)
    }

    @Test("the last one's leaving before the head ends the load (S-105)")
    func lastLeaves() {
        let world = World()
        let clients = [world.get(), world.get()]
        for client in clients { client.leave() }
        #expect(world.last.isCancelled)
        world.get()
        #expect(world.provider.count == 2)
    }

    @Test(
        "an abandoned load is finished if a quarter is there or less than 1 MiB is missing (H-150)",
        arguments: [(8, 1, true), (8, 3, false), (2, 1, false), (1, 0, false)]
    )
    func fillPolicy(mebibytes: Int, received: Int, isCancelled: Bool) {
        let world = World(store: MemoryVariantStore())
        let client = world.get()
        world.last.head(200, [("Cache-Control", "max-age=60")], length: Int64(mebibytes) * 1_048_576 - 1)
        if received > 0 { world.last.content([UInt8](repeating: 1, count: received * 1_048_576)) }
        world.runUntilIdle()
        client.leave()
        #expect(world.last.isCancelled == isCancelled)
    }

    @Test("an abandoned load of unknown length is given up once it has grown past 1 MiB (H-150)")
    func fillUnknown() {
        let world = World(store: MemoryVariantStore())
        let client = world.get()
        world.last.head(200, [("Cache-Control", "max-age=60")])
        world.runUntilIdle()
        client.leave()
        world.last.content([UInt8](repeating: 1, count: 900_000))
        #expect(!world.last.isCancelled)
        world.last.content([UInt8](repeating: 1, count: 900_000))
        #expect(world.last.isCancelled)
    }

    @Test("an abandoned response that is not stored is given up")
    func abandonedUnstorable() {
        let world = World()
        let client = world.get()
        world.last.head(200, [("Cache-Control", "no-store")], length: 1_000_000)
        world.runUntilIdle()
        client.leave()
        #expect(world.last.isCancelled)
    }

    @Test("a load given up while its head is being judged leaves nothing behind (H-150)")
    func givenUpAmidHead() {
        let hasher = InterruptingHasher()
        let world = World(hasher: hasher)
        do {
            let client = world.get("/a", [("Authorization", "Bearer a")])
            hasher.interruption.change { $0 = { client.leave() } }
        }
        world.last.head(200, [("Cache-Control", "public, max-age=60"), ("Vary", "Authorization")], length: 3)
        world.runUntilIdle()
        #expect(hasher.interruption.value == nil && world.last.isCancelled)
        #expect(world.table.count == 0)
    }
}

/// Does something amid the start of an exchange.
private final class InterruptedProvider: ExchangeProvider {
    /// Whether each receiver accepts responses in one piece.
    let sawWholeResponses = LockedBox<[Bool]>([])
    private let inner: ScriptedProvider
    private let interruption: @Sendable () -> Void

    init(_ inner: ScriptedProvider, _ interruption: @escaping @Sendable () -> Void) {
        self.inner = inner
        self.interruption = interruption
    }

    var context: any DeliveryContext { inner.context }

    func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        sawWholeResponses.change { $0.append(receiver.acceptsWholeResponses) }
        let exchange = inner.start(request, receiver: receiver)
        interruption()
        return exchange
    }
}
