import Configurations
import Exchanges
import HTTPCore
import Outcomes
import ResourceDoubles
import TestDoubles
import Testing

@testable import ResourceCore

/// What Cache-Status says of each kind of answer (RFC 9211).
@Suite("Cache-Status of answers") struct OutcomeTests {
    /// A world with a response of a minute that came 61 seconds ago.
    private func stale(_ more: String = "") -> World {
        let world = World()
        world.fill("/a", [("Cache-Control", "max-age=60" + more), ("ETag", "\"1\"")])
        world.timekeeper.advance(by: .seconds(61))
        return world
    }

    @Test(
        "what stands in for a failure to reach the origin is no hit at first, and one while that is remembered (C-7.2)"
    )
    func unreachable() {
        let world = stale()
        let first = world.get()
        world.last.fail()
        world.runUntilIdle()
        #expect(first.outcome == CacheOutcome(isHit: false, forward: .stale, detail: "disconnected"))
        #expect(world.get().outcome == CacheOutcome(isHit: true, detail: "disconnected") && world.provider.count == 2)
    }

    @Test("what stands in for an error response has its status, also while that is remembered (C-7.4)")
    func errorResponse() {
        let world = stale(", stale-if-error=600")
        let first = world.get()
        world.last.answer(503, [], "down")
        world.runUntilIdle()
        var expected = CacheOutcome(isHit: false, forward: .stale, forwardStatus: 503, detail: first.outcome?.detail)
        #expect(first.text == "abc" && first.outcome == expected && expected.detail != nil)
        expected.isHit = true
        expected.forward = nil
        #expect(world.get().outcome == expected && world.provider.count == 2)
    }

    @Test("what is served stale says why, and only a window of the response refreshes it (C-7.1)")
    func servedStale() {
        let patient = stale()
        let maxStale = patient.get("/a", [("Cache-Control", "max-stale=100")])
        #expect(maxStale.outcome == CacheOutcome(isHit: true, detail: "max-stale") && patient.provider.count == 1)
        let world = stale(", stale-while-revalidate=100")
        #expect(world.get().outcome == CacheOutcome(isHit: true, detail: "stale-while-revalidate"))
        #expect(world.provider.count == 2 && world.last.value(of: .ifNoneMatch) == "\"1\"")
        #expect(world.get().isHit && world.provider.count == 2)
    }

    @Test("without the origin each answer names the mode, a local override itself (C-25.2, S-199)")
    func local() {
        let world = stale()
        for (mode, detail) in [(.offline, "offline"), (.replay, "replay")] as [(ServiceMode, String)] {
            world.service.configuration.mode = mode
            #expect(world.get().outcome == CacheOutcome(isHit: true, detail: detail))
        }
        world.resource("/b").overrideLocalData([0x78], fields: Fields())
        #expect(world.get("/b", [("Accept", "a/b")]).outcome?.isHit == true)
        world.service.configuration.mode = .auto
        let reload = world.get("/b", [("Cache-Control", "max-age=10")])
        #expect(reload.outcome == CacheOutcome(isHit: true, detail: "override"))
        #expect(world.provider.count == 1)
    }

    @Test("a request that waited for a failure which nobody may share learns of it, and when to ask again (C-23.0)")
    func unshared() {
        let bench = Workbench()
        let context = bench.context
        for (status, lines, pause) in [
            (500, [], context.configuration.retryTime), (503, [("Retry-After", "7")], .seconds(7)),
            (500, [("Retry-After", "7")], context.configuration.retryTime), (503, [], context.configuration.retryTime),
        ] as [(UInt16, [(String, String)], Duration)] {
            let error = ResourceError(unshared: bench.head(lines, status: status).response, context)
            #expect(error.status == 503 && error.kind == nil && error.receivedStatus == status && error.isOfAnother)
            #expect(error.retryAfter == pause && error.time == context.now && !error.isRemembered)
            #expect(
                error.userMessage.hasPrefix("the origin answered \(status) to the request that this one waited for")
            )
        }
    }
}
