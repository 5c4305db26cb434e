import Exchanges
import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing

@testable import ResourceCore
@testable import ResourceModel

/// Resources that clients of a proxy and a program use at once.
@Suite("Loads over exchanges beside those of requests")
struct MixedLoadTests {
    private let world = World()
    private var resource: Resource { world.resource() }

    @Test("of a load over an exchange and one of a request the older is joined (S-088)", arguments: [true, false])
    func oldest(isExchangeFirst: Bool) {
        let resource = resource
        func begin(_ isExchange: Bool) -> Request {
            isExchange ? resource.load() : resource.load(using: resource.request(.post))
        }
        let loads = [begin(isExchangeFirst), begin(!isExchangeFirst)]
        #expect(resource.loadIfNeeded() === loads[0] && isSame(resource.loadRequests, loads))
    }

    @Test("data that a request brought replaces the responses that clients got (S-101)")
    func replaced() {
        world.fill()
        let resource = resource
        #expect(world.isHit() && resource.snapshot.latestResponse != nil)
        resource.load(using: resource.request(.post))
        world.runUntilIdle()
        world.last.answer(200, [], "posted")
        world.runUntilIdle()
        #expect(resource.latestData?.plainText == "posted" && resource.snapshot.latestResponse == nil && !world.isHit())
    }

    @Test("a resource that loads for a client is requesting, though the program has no request (S-074)")
    func clientLoad() {
        let resource = resource
        world.get()
        #expect(resource.isLoading && resource.isRequesting)
        #expect(resource.allRequests.isEmpty && resource.loadRequests.isEmpty)
        let request = resource.loadIfNeeded()
        #expect(isSame(resource.allRequests, [request].compactMap(\.self)) && request?.state == .inProgress)
        #expect(world.provider.count == 1 && isSame(resource.loadRequests, resource.allRequests))
        world.last.answer(200, [], "abc")
        world.runUntilIdle()
        #expect(request?.isCompleted == true && resource.allRequests.isEmpty)
        #expect(!resource.isLoading && !resource.isRequesting)
    }

    @Test("a local change is up to date for the expiration time, whatever its fields say (S-249)")
    func localChange() {
        var fields = Fields()
        fields.append(.cacheControl, "max-age=5")
        let resource = resource
        resource.overrideLocalData([1], fields: fields)
        world.timekeeper.advance(by: .seconds(30))
        #expect(resource.isUpToDate)
        world.timekeeper.advance(by: .milliseconds(1))
        #expect(!resource.isUpToDate)
    }

    @Test("without a delivery context a delayed cancellation tells its end at once (S-106)")
    func delay() {
        let (resource, calls) = (resource, LockedBox(0))
        let request = resource.load()
        resource.cancelLoadIfUnobserved(afterDelay: .milliseconds(1)) { calls.change { $0 += 1 } }
        #expect(calls.value == 0 && !request.isCompleted)
        world.timekeeper.advance(by: .milliseconds(1))
        #expect(calls.value == 1 && request.result?.response.isCancellation == true)
    }

    @Test("a request that was cancelled keeps neither its exchange nor its provider")
    func letsGo() {
        let load: Request
        weak var provider: ScriptedProvider?
        do {
            let world = World()
            load = world.resource().load()
            world.runUntilIdle()
            load.cancel()
            world.runUntilIdle()
            provider = world.provider
            world.service.defaultProvider = nil
        }
        #expect(load.isCompleted && provider == nil)
    }
}
