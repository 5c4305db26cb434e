import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing

@testable import ResourceCore
@testable import ResourceModel

/// Hooks of decorators come before the resource gets a result; meanwhile it knows only that the request has ended.
@Suite("Loads that have ended, while decorators are still to be told")
struct PendingEndTests {
    private let world = ProgramWorld()
    private var resource: Resource { world.resource() }

    init() {
        world.service.configure { $0.decorateRequests { _, request in request.onCompletion { _ in } } }
    }

    @Test("a load that was cancelled is none any more, and another one begins (S-087, S-100)")
    func cancelled() {
        let (resource, recorder) = (resource, EventRecorder())
        let request = resource.addObserver(recorder).load()
        request.cancel()
        #expect(!resource.isLoading && !resource.isRequesting)
        #expect(resource.loadRequests.isEmpty && resource.allRequests.isEmpty)
        let next = resource.loadIfNeeded()
        #expect(next != nil && next !== request && world.networking.requests.count == 2)
        world.runUntilIdle()
        #expect(resource.isLoading && resource.loadIfNeeded() === next && isSame(resource.allRequests, [next!]))
        #expect(recorder.events == ["observerAdded", "requested L", "requested L", "requestCancelled L"])
    }

    @Test("a load that has its result counts until the resource has it, too (S-087, S-124)")
    func completed() {
        let resource = resource
        let request = resource.load()
        world.networking.last.answer(200, [], "abc")
        world.workers.run()
        #expect(request.isCompleted && resource.latestData == nil && resource.isLoading && resource.isRequesting)
        #expect(resource.loadIfNeeded() === request && isSame(resource.loadRequests, [request]))
        world.runUntilIdle()
        #expect(resource.latestData?.plainText == "abc" && !resource.isLoading && resource.allRequests.isEmpty)
        #expect(world.networking.requests.count == 1)
    }

    @Test("a result that the resource does not have when it is wiped is none for it (S-203, S-243)")
    func wiped() {
        let resource = resource
        let request = resource.load()
        world.networking.last.answer(200, [], "abc")
        world.workers.run()
        resource.wipe()
        #expect(request.result?.isNew == true && !resource.isLoading && resource.loadRequests.isEmpty)
        world.runUntilIdle()
        #expect(resource.latestData == nil && resource.allRequests.isEmpty)
    }

    @Test(
        "a plain request is listed until it has ended, not until all hooks are called (S-073)",
        arguments: [false, true]
    )
    func plain(isCancelled: Bool) {
        let resource = resource
        let request = resource.request(.post)
        #expect(isSame(resource.allRequests, [request]))
        if isCancelled { request.cancel() } else { world.networking.last.answer() }
        world.workers.run()
        #expect(request.isCompleted && resource.allRequests.isEmpty && !resource.isRequesting)
    }

    // MARK: Loads that are not needed

    @Test(
        "if a decorator begins another load, the one that was being made is cancelled, and nothing is left (S-087)",
        arguments: [false, true]
    )
    func decoratorLoads(isLookedUp: Bool) throws {
        let world = ProgramWorld()
        let (made, other) = (LockedBox<Request?>(nil), LockedBox<Request?>(nil))
        world.service.configure(requestMethods: [.get]) { configuration in
            configuration.decorateRequests { resource, request in
                made.change { $0 = request }
                let post = resource.load(using: resource.request(.post))
                other.change { $0 = post }
                return request
            }
        }
        let resource = world.resource()
        if isLookedUp { _ = resource.latestData }
        let request = try #require(resource.loadIfNeeded())
        let post = try #require(other.value)
        #expect(world.networking.requests.map(\.method) == [.post] && (request === post) == isLookedUp)
        #expect(made.value?.result?.response.isCancellation == true && !request.isCompleted)
        #expect(isSame(resource.loadRequests, isLookedUp ? [post] : [post, request]))
        post.cancel()
        world.runUntilIdle()
        #expect(!resource.isLoading && request.result?.response.isCancellation == true)
        #expect(resource.state.withLock { $0.activity?.value.program == nil })
    }

    @Test("a plain request keeps its resource through a flush (S-015, S-215)")
    func kept() {
        let world = ProgramWorld()
        world.resource("/held").request(.post)
        world.service.flushUnusedResources()
        #expect(world.service.table.count == 1)
        world.answer()
        world.service.flushUnusedResources()
        #expect(world.service.table.count == 0)
    }
}
