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

    @Test(
        "a load that a client and a request share is cancelled when the last of them leaves",
        arguments: [true, false]
    )
    func lastToLeave(isClientLast: Bool) {
        let resource = resource
        let client = world.get()
        let request = resource.loadIfNeeded()
        let steps = [{ client.leave() }, { request?.cancel() }]
        for step in isClientLast ? steps.reversed() : steps {
            #expect(resource.isLoading && !world.last.isCancelled)
            step()
            world.runUntilIdle()
        }
        #expect(!resource.isLoading && world.last.isCancelled && world.provider.count == 1)
    }

    /// Awaits a load, as an administrator does.
    private final class OtherCaller: LoadCaller {
        let ends = LockedBox(0)

        func follow(_ load: Load) {}
        func loadDidEnd(_ outcome: LoadOutcome) { ends.change { $0 += 1 } }
        func cancel(isServiceDropped: Bool) {}
    }

    @Test("who asks for data that another caller loads gets one request, the same each time (S-087)")
    func otherCaller() {
        let (resource, other) = (resource, OtherCaller())
        resource.perform { _ = $0.load(for: other) }
        world.runUntilIdle()
        #expect(resource.isLoading && resource.loadRequests.isEmpty)
        let request = resource.loadIfNeeded()
        #expect(request != nil && resource.loadIfNeeded() === request && world.provider.count == 1)
        #expect(isSame(resource.loadRequests, [request].compactMap(\.self)))
        world.last.answer(200, [], "abc")
        world.runUntilIdle()
        #expect(request?.result?.response.contentText == "abc" && other.ends.value == 1)
    }

    @Test("of a load of a range for a client a program hears nothing, and does not join it (S-088, S-219)")
    func range() {
        let (resource, recorder) = (resource, EventRecorder())
        world.part("0-3")
        resource.addObserver(recorder)
        world.last.head(206, [("Content-Range", "bytes 0-3/10"), ("ETag", "\"v1\"")], length: 4)
        world.last.content("01")
        world.runUntilIdle()
        world.timekeeper.advance(by: .milliseconds(50))
        world.runUntilIdle()
        #expect(recorder.notes.value == ["observerAdded"] && recorder.progress.value.isEmpty)
        #expect(!resource.isLoading && !resource.isRequesting && resource.loadRequests.isEmpty)
        resource.loadIfNeeded()
        world.runUntilIdle()
        #expect(world.provider.count == 2 && resource.isLoading)
    }

    @Test("a local change of bytes is for clients, too, with its fields; another value is for the program (S-199)")
    func localValues() {
        let world = World(store: MemoryVariantStore())
        let resource = world.resource()
        func recordCount() -> Int? { world.store?.records(of: World.uri("/a")).count }
        world.fill()
        #expect(recordCount() == 1)
        resource.overrideLocalContent(7)
        world.runUntilIdle()
        #expect(resource.latestData?.content as? Int == 7 && resource.snapshot.latestResponse == nil)
        #expect(recordCount() == 0 && !world.isHit())
        let headers = ["X-A": "1", "X-B": "2"]
        resource.overrideLocalData(Entity(content: Array("mine".utf8), contentType: "text/x-mine", headers: headers))
        world.runUntilIdle()
        #expect(world.get().text == "mine" && world.provider.count == 1)
        #expect(resource.latestData?.contentType == "text/x-mine" && resource.latestData?.plainText == "mine")
        #expect(["X-A", "X-B"].map { resource.latestData?.header(forKey: $0) } == ["1", "2"])
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
