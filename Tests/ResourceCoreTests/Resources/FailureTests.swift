import ResourceDoubles
import Exchanges
import HTTPCaching
import HTTPCore
import ResourceCore
import TestDoubles
import Testing

@Suite("Failures")
struct FailureTests {
    @Test("a load that fails before its head: everybody gets the failure, once (C-23.3)")
    func beforeHead() {
        let world = World()
        let clients = (0..<10).map { _ in world.get() }
        world.last.fail(.connectionTimeout)
        world.runUntilIdle()
        #expect(
            clients.allSatisfy { $0.failure?.status == 504 && $0.failure?.isRemembered == false && $0.answers == 1 }
        )
        #expect(world.provider.count == 1)
    }

    @Test("a load that fails amid its content cuts those who read and stores nothing (C-23.3, H-111)")
    func amidContent() {
        let world = World(store: MemoryVariantStore())
        let clients = [world.get(), world.get()]
        world.last.head(200, [("Cache-Control", "max-age=60")], length: 6)
        world.last.content("abc")
        world.runUntilIdle()
        world.last.fail(.responseIncomplete)
        world.runUntilIdle()
        #expect(clients.allSatisfy { $0.ending == .failed && $0.text == "abc" })
        #expect(world.store?.records(of: World.uri("/a")).isEmpty == true)
        world.get()
        #expect(world.provider.count == 2)
    }

    @Test("within the retry time, its end included, the failure is remembered and says so (S-041, S-084)")
    func retryTime() {
        let world = World()
        world.get()
        world.last.fail()
        world.timekeeper.advance(by: .seconds(1))
        let client = world.get()
        #expect(client.failure?.isRemembered == true)
        world.timekeeper.advance(by: .nanoseconds(1))
        #expect(world.get().answers == 0)
        #expect(world.provider.count == 2)
    }

    @Test("a 503 without lifetime is relayed, then remembered for the retry time (T-269)")
    func serverError() {
        let world = World()
        let first = world.get()
        world.last.answer(503, [], "down")
        world.runUntilIdle()
        #expect(first.following?.status == 503 && first.text == "down")
        let second = world.get()
        #expect(second.failure?.status == 503 && second.failure?.isRemembered == true && second.failure?.kind == nil)
        #expect(world.provider.count == 1)
    }

    @Test("a 404 is never remembered as a failure (S-071)")
    func clientError() {
        let world = World()
        world.get()
        world.last.answer(404, [], "no")
        world.runUntilIdle()
        world.get()
        #expect(world.provider.count == 2)
    }

    @Test(
        "a load that brings a status of 400 or more failed; one below brought data",
        arguments: [(399, false), (400, true)] as [(UInt16, Bool)]
    )
    func leastStatus(status: UInt16, isFailure: Bool) {
        let world = World()
        let resource = world.resource()
        let (failed, isNew) = (LockedBox<UInt16?>(nil), LockedBox(false))
        resource.refresh { outcome in
            switch outcome {
            case .failure(let error): failed.change { $0 = error.status }
            case .newData: isNew.change { $0 = true }
            case .notModified, .cancelled: break
            }
        }
        world.runUntilIdle()
        world.last.answer(status, [("Cache-Control", "no-store")], "x")
        world.runUntilIdle()
        #expect(failed.value == (isFailure ? status : nil) && isNew.value != isFailure)
        #expect(resource.latestFailure?.status == failed.value)
    }

    @Test("failures are remembered per partition (S-071)")
    func perPartition() {
        let world = World()
        world.get("/a", [("Authorization", "one")])
        world.last.fail()
        #expect(world.get("/a", [("Authorization", "one")]).failure?.isRemembered == true)
        #expect(world.get("/a", [("Authorization", "two")]).answers == 0)
        #expect(world.get().answers == 0)
    }

    @Test("an unreachable origin: the stale copy each time, one attempt per retry time (T-268, C-7.2)")
    func staleOnFailure() {
        let world = World()
        world.fill()
        world.timekeeper.advance(by: .seconds(61))
        let first = world.get()
        world.last.fail()
        world.runUntilIdle()
        #expect(first.text == "abc" && first.outcome?.detail == "disconnected")
        let second = world.get()
        #expect(second.text == "abc" && second.isHit)
        #expect(world.provider.count == 2)
        world.timekeeper.advance(by: .seconds(2))
        world.get()
        #expect(world.provider.count == 3)
    }

    @Test(
        "a failure is 504 where what is held must not be used without the origin (C-7.3, RFC 9111 §5.2.2.2)",
        arguments: [
            "max-age=60, must-revalidate", "max-age=60, proxy-revalidate", "s-maxage=60", "max-age=60, no-cache",
        ]
    )
    func mustRevalidate(control: String) {
        let world = World()
        world.fill("/a", [("Cache-Control", control), ("ETag", "\"1\"")])
        world.timekeeper.advance(by: .seconds(61))
        let client = world.get()
        world.last.fail()
        world.runUntilIdle()
        #expect(client.failure?.status == 504)
        #expect(client.failure?.kind == .connectionRefused)
        #expect(client.failure?.userMessage.contains("cache-even") == true)
        // Within the retry time the same is told.
        #expect(world.get().failure?.status == 504)
        #expect(world.provider.count == 2)
    }

    @Test("a failure is 502 where nothing is held, or where what is held could be asked for (C-7.3, H-148)")
    func nothingHeld() {
        let world = World()
        let client = world.get("/b")
        world.last.fail()
        world.runUntilIdle()
        #expect(client.failure?.status == 502)
        world.fill("/a", [("Cache-Control", "max-age=60")])
        let reload = world.get("/a", [("Cache-Control", "no-cache")])
        world.last.fail()
        world.runUntilIdle()
        #expect(reload.failure?.status == 502)
    }

    @Test("an answer that cannot be read is 502, whatever is held (C-7.3, H-091)")
    func unreadable() {
        let world = World()
        world.fill("/a", [("Cache-Control", "max-age=60, must-revalidate")])
        world.timekeeper.advance(by: .seconds(61))
        let client = world.get()
        world.last.fail(.protocolError)
        world.runUntilIdle()
        #expect(client.failure?.status == 502)
    }

    @Test(
        "a complete 503 is passed on; within stale-if-error the copy is served instead (C-7.4)",
        arguments: [false, true]
    )
    func staleIfError(isCovered: Bool) {
        let world = World()
        world.fill("/a", [("Cache-Control", isCovered ? "max-age=60, stale-if-error=60" : "max-age=60")])
        world.timekeeper.advance(by: .seconds(61))
        let client = world.get()
        world.last.answer(503, [], "down")
        world.runUntilIdle()
        #expect(client.text == (isCovered ? "abc" : "down"))
        if isCovered { #expect(client.outcome?.forwardStatus == 503) }
    }

    @Test("a forced load that fails leaves fresh data fresh (T-265, S-250)")
    func forcedLoadFails() {
        let world = World()
        world.fill()
        world.get("/a", [("Cache-Control", "no-cache")])
        world.last.fail()
        world.runUntilIdle()
        #expect(world.get().isHit)
    }

    @Test("offline nothing is asked: any copy serves, else the request is refused (C-25.2)")
    func offline() {
        let world = World()
        world.fill()
        world.timekeeper.advance(by: .seconds(1000))
        world.service.configuration.mode = .offline
        #expect(world.get().text == "abc")
        #expect(world.get("/b").refusal == .offline)
        #expect(world.provider.count == 1)
    }

    @Test("a wall clock that jumps makes nothing fresh for longer, and nothing old (H-157)")
    func clockJump() {
        let world = World()
        world.fill()
        world.timekeeper.setWall(HTTPDate(seconds: 1_000_000 - 86_400))
        world.timekeeper.advance(by: .seconds(59))
        #expect(world.get().isHit)
        world.timekeeper.advance(by: .seconds(1))
        #expect(!world.get().isHit)
    }

    @Test(
        "the copy stands in for the statuses that stale-if-error is about, from 500 on, and for no other (C-7.4)",
        arguments: [
            (499, false), (500, true), (501, false), (502, true), (503, true), (504, true), (505, false),
        ] as [(UInt16, Bool)]
    )
    func standsIn(status: UInt16, isCovered: Bool) {
        let world = World()
        world.fill("/a", [("Cache-Control", "max-age=60, stale-if-error=60")])
        world.timekeeper.advance(by: .seconds(61))
        let client = world.get()
        world.last.answer(status, [], "down")
        world.runUntilIdle()
        #expect(client.text == (isCovered ? "abc" : "down"))
        #expect(client.outcome?.forwardStatus == (isCovered ? status : nil))
    }

    @Test(
        "only a failure to reach the origin is remembered: not what breaks the protocol, nor what is refused here (S-071)",
        arguments: [
            (.connectionRefused, true), (.connectionTimeout, true), (.protocolError, false), (.internalError, false),
            (.requestDenied, false), (.destinationProhibited, false),
        ] as [(ExchangeFailure.Kind, Bool)]
    )
    func rememberedKinds(kind: ExchangeFailure.Kind, isRemembered: Bool) {
        let world = World()
        let resource = world.resource()
        world.get()
        world.last.fail(kind)
        world.runUntilIdle()
        #expect(resource.latestFailure?.kind == kind)
        world.get()
        #expect(world.provider.count == (isRemembered ? 1 : 2))
    }

    @Test(
        "a failure of the server is remembered, from 500 on, if it says nothing of caching; a pause always is (S-071)",
        arguments: [
            (499, [], false), (500, [], true), (599, [], true), (500, [("ETag", "\"1\"")], false),
            (500, [("Cache-Control", "no-store")], false), (500, [("Retry-After", "9")], true),
            (429, [], false), (429, [("Retry-After", "9")], true),
            (503, [("Cache-Control", "no-store"), ("Retry-After", "9")], true),
        ] as [(UInt16, [(String, String)], Bool)]
    )
    func remembering(status: UInt16, lines: [(String, String)], isRemembered: Bool) {
        let world = World()
        world.get()
        world.last.answer(status, lines, "down")
        world.runUntilIdle()
        let client = world.get()
        #expect(world.provider.count == (isRemembered ? 1 : 2))
        #expect(client.failure?.isRemembered == (isRemembered ? true : nil))
    }
}
