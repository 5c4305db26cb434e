import ResourceDoubles
import Exchanges
import HTTPCore
import ResourceCore
import ResourceModel
import TestDoubles
import Testing

@Suite("A resource that a program changes without loading")
struct ResourceLocalChangeTests {
    private final class Thing: Sendable {}

    @Test("a local entity of any content replaces data and clears the error (T-032, T-033, S-199)")
    func override() {
        let world = ProgramWorld.failed()
        let thing = Thing()
        world.resource().overrideLocalData(Entity(content: thing, contentType: "application/x-thing"))
        #expect(world.resource().latestData?.content as? Thing === thing)
        #expect(world.resource().latestData?.contentType == "application/x-thing")
        #expect(world.resource().latestError == nil)
    }

    @Test("local content keeps type and fields; it is as of now (T-034, T-035, S-200, S-072)")
    func overrideContent() {
        let world = ProgramWorld.filled([("Content-Type", "text/x-sample"), ("X-Extra", "yes"), ("ETag", "\"v1\"")])
        world.timekeeper.advance(by: .seconds(1000))
        world.resource().overrideLocalContent("other")
        let data = world.resource().latestData
        #expect(data?.content as? String == "other" && data?.contentType == "text/x-sample")
        #expect(data?.header(forKey: "x-extra") == "yes" && data?.etag == nil)
        #expect(data?.timestamp == world.timekeeper.timestamp)
        #expect(world.resource().timestamp == world.timekeeper.timestamp)
    }

    @Test("local content without data is application/binary (S-200)")
    func overrideNothing() {
        let world = ProgramWorld()
        world.resource().overrideLocalContent([1, 2, 3] as [UInt8])
        #expect(world.resource().latestData?.contentType == "application/binary")
    }

    @Test("a load under way goes on and may overwrite a local change (S-199)")
    func overrideDuringLoad() {
        let world = ProgramWorld()
        world.resource().load()
        world.resource().overrideLocalContent("local")
        #expect(world.resource().isLoading)
        world.answer(200, [], "abc")
        #expect(world.resource().latestData?.content as? [UInt8] == Array("abc".utf8))
    }

    @Test("invalidating loads nothing and keeps data and error (T-036, T-042, S-201)")
    func invalidate() {
        let world = ProgramWorld.failed()
        let recorder = EventRecorder()
        world.resource().addObserver(recorder)
        world.resource().invalidate()
        world.runUntilIdle()
        #expect(world.networking.requests.count == 2 && recorder.events == ["observerAdded DE"])
        #expect(world.resource().latestData != nil && world.resource().latestError != nil)
    }

    @Test(
        "what is invalidated is loaded at once, even after a failure; success clears the mark (T-037, T-038, S-201, S-202)"
    )
    func invalidatedThenLoaded() {
        let world = ProgramWorld.failed()
        #expect(world.resource().loadIfNeeded() == nil)
        world.resource().invalidate()
        #expect(world.resource().loadIfNeeded() != nil)
        world.answer(200, [], "new")
        #expect(world.resource().loadIfNeeded() == nil)
    }

    @Test("after another failure the retry time counts again; then the mark, which failures leave (T-039, S-202)")
    func invalidatedThenFailed() {
        let world = ProgramWorld.failed()
        world.resource().invalidate()
        world.resource().loadIfNeeded()
        world.answer(500)
        #expect(world.resource().loadIfNeeded() == nil)
        world.timekeeper.advance(by: .seconds(2))
        #expect(world.resource().snapshot.isInvalidated && world.resource().loadIfNeeded() != nil)
    }

    @Test("local content clears the mark (T-040, S-202)")
    func invalidatedThenOverridden() {
        let world = ProgramWorld.failed()
        world.resource().invalidate()
        world.resource().overrideLocalContent("local")
        #expect(world.resource().loadIfNeeded() == nil)
    }

    @Test("a cancelled load leaves the mark (T-041, S-202, S-100)")
    func invalidatedThenCancelled() {
        let world = ProgramWorld.failed()
        world.resource().invalidate()
        world.resource().load().cancel()
        world.runUntilIdle()
        #expect(world.resource().loadIfNeeded() != nil && world.networking.requests.count == 4)
    }

    // MARK: Wipe

    @Test("a wipe leaves no data and no error (T-043, S-203)")
    func wipe() {
        let world = ProgramWorld.failed()
        world.resource().wipe()
        #expect(world.resource().latestData == nil && world.resource().latestError == nil)
    }

    @Test("a wipe cancels all requests; their answers change nothing (T-044, S-203, S-204)")
    func wipeCancels() {
        let world = ProgramWorld()
        let resource = world.resource()
        let recorder = EventRecorder()
        resource.addObserver(recorder)
        let requests = [resource.load(), resource.request(.put), resource.request(.post)]
        resource.wipe()
        #expect(requests.allSatisfy { $0.result?.response.isCancellation == true } && !resource.isLoading)
        #expect(world.networking.requests.map(\.method) == [.get, .put, .post])
        for exchange in world.networking.exchanges { exchange.answer(200, [], "late") }
        world.runUntilIdle()
        #expect(resource.latestData == nil && resource.latestError == nil)
        #expect(!resource.isLoading && !resource.isRequesting)
        #expect(recorder.events == ["observerAdded", "requested L", "newData(wipe) L", "requestCancelled"])
    }

    @Test("what was answered but not yet taken when the resource was wiped is not taken any more (S-243)")
    func wipeBeforeCommit() {
        let world = ProgramWorld()
        world.resource().load().onSuccess { _ in }
        world.networking.last.answer(200, [], "old")
        world.resource().wipe()
        world.runUntilIdle()
        #expect(world.resource().latestData == nil && !world.resource().isLoading)
    }
}
