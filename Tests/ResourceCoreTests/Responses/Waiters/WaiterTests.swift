import Exchanges
import HTTPCore
import Locking
import Outcomes
import ResourceDoubles
import TestDoubles
import Testing

@testable import ResourceCore

/// Results on their way to requests that wait.
@Suite("Waiters and what is delivered to them") struct WaiterTests {
    private let bench = Workbench()

    private func waiter(_ client: Client) -> Waiter {
        Waiter(request: bench.request(), delegate: client, owner: ResourceLink(bench.resource))
    }

    private func client(_ context: ManualContext? = nil) -> Client { Client(context: context ?? bench.world.context) }

    private func failure(_ message: String = "failed") -> CacheResult {
        .failure(ResourceError(status: 502, kind: nil, userMessage: message, time: bench.context.now))
    }

    @Test("a delegate is taken once; a waiter that has left has none")
    func delegate() {
        let (one, other) = (client(), client())
        let (first, second) = (waiter(one), waiter(other))
        #expect(first.delegate === one && !first.isCancelled)
        #expect(first.takeDelegate() === one && first.takeDelegate() == nil && first.delegate == nil)
        second.cancel()
        #expect(second.isCancelled && second.takeDelegate() == nil)
        let third = waiter(other)
        third.end()
        third.cancel()
        #expect(third.isCancelled && third.takeDelegate() == nil)
    }

    @Test("a link has three words, so that waiters and loads need no allocation for it")
    func size() { #expect(MemoryLayout<ResourceLink>.size == 3 * MemoryLayout<UInt64>.size) }

    @Test("a reader that has everything stays a follower when it leaves; one that leaves early does not")
    func end() {
        let (resource, world, clients) = (bench.resource, bench.world, [client(), client()])
        func followers() -> Int? { resource.state.withLock { $0.loads[1]?.followers.count } }
        guard case .waiting(let first) = resource.serve(bench.request(), to: clients[0]) else {
            Issue.record("it does not wait")
            return
        }
        world.runUntilIdle()
        world.last.head(200, [("Cache-Control", "max-age=60")], length: 3)
        world.runUntilIdle()
        guard case .answered(_, let second?) = resource.serve(bench.request(), to: clients[1]) else {
            Issue.record("it does not follow")
            return
        }
        // What has its result keeps nobody.
        #expect(followers() == 2 && first.delegate == nil && second.delegate == nil)
        first.end()
        #expect(first.isCancelled && followers() == 2)
        first.cancel()
        #expect(followers() == 2)
        second.cancel()
        #expect(second.isCancelled && followers() == 1)
        second.end()
        #expect(followers() == 1)
        withExtendedLifetime(clients) {}
    }

    @Test("a result reaches its client once, on the client's context, and none that has left meanwhile")
    func single() {
        let client = client()
        let waiter = waiter(client)
        Delivery.deliver([WaiterResult(waiter, failure("one"))])
        #expect(client.answers == 0)
        bench.world.context.run()
        #expect(client.answers == 1 && client.failure?.userMessage == "one")
        Delivery.deliver([WaiterResult(waiter, failure("two"))])
        bench.world.context.run()
        #expect(client.answers == 1)
        let left = self.client()
        let leaving = self.waiter(left)
        Delivery.deliver([WaiterResult(leaving, failure())])
        leaving.cancel()
        bench.world.context.run()
        #expect(left.answers == 0)
    }

    @Test("on its own context a client gets its result at once")
    func current() {
        let (here, left) = (client(), client())
        let leaving = waiter(left)
        bench.world.context.perform {
            Delivery.deliver([WaiterResult(waiter(here), failure())])
            #expect(here.answers == 1)
            Delivery.deliver([WaiterResult(leaving, failure()), WaiterResult(waiter(client()), failure())])
        }
        #expect(left.answers == 1)
    }

    @Test("each context gets all of its results in one call, in their order")
    func several() {
        let contexts = (0..<2).map { _ in ManualContext() }
        let clients = (0..<6).map { client(contexts[$0 % 2]) }
        let waiters = clients.map(waiter)
        let before = contexts.map(\.submissions)
        Delivery.deliver(waiters.enumerated().map { WaiterResult($1, failure("\($0)")) })
        #expect(contexts.map(\.submissions) == before.map { $0 + 1 })
        #expect(clients.allSatisfy { $0.answers == 0 })
        waiters[2].cancel()
        contexts[0].run()
        #expect(clients.map(\.answers) == [1, 0, 0, 0, 1, 0])
        contexts[1].run()
        #expect(clients.map(\.answers) == [1, 1, 0, 1, 1, 1])
        #expect(clients.map { $0.failure?.userMessage } == ["0", "1", nil, "3", "4", "5"])
        #expect(waiters.allSatisfy { $0.delegate == nil })
    }

    @Test("interim heads go to those that still wait, and leave them waiting (C-19.1)")
    func interim() {
        let clients = (0..<3).map { _ in client() }
        let requests = clients.map { WaitingRequest(waiter: waiter($0)) }
        requests[1].waiter.cancel()
        Delivery.deliver(ResponseHead(status: 103), to: TinyArray(requests))
        requests[2].waiter.cancel()
        bench.world.context.run()
        #expect(clients.map(\.interims) == [[103], [], []] && requests[0].waiter.delegate === clients[0])
        Delivery.deliver(ResponseHead(status: 100), to: [requests[0]])
        bench.world.context.run()
        #expect(clients[0].interims == [103, 100])
        bench.world.context.perform { Delivery.deliver(ResponseHead(status: 103), to: [requests[0]]) }
        #expect(clients[0].interims == [103, 100, 103])
    }
}
