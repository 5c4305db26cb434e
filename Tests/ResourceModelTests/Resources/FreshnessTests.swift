import Configurations
import Exchanges
import HTTPCore
import ResourceCore
import ResourceDoubles
import ResourceModel
import TestDoubles
import Testing

@Suite("Freshness of what a program loads")
struct FreshnessTests {
    private func filled(
        _ lines: [(String, String)] = [],
        _ configure: @escaping Configuration.Change = { _ in }
    ) -> ProgramWorld {
        let world = ProgramWorld()
        world.service.configure { configure(&$0) }
        world.resource().load()
        world.answer(200, lines, "abc")
        return world
    }

    @Test("an empty resource is never up to date, however long data may live (T-254, S-240, S-085)")
    func empty() {
        let world = ProgramWorld()
        world.service.configure { $0.expirationTime = .seconds(Int64.max) }
        #expect(world.resource().loadIfNeeded() != nil && world.networking.requests.count == 1)
    }

    @Test("data may live for ever (T-255, S-040)")
    func endless() {
        let world = filled { $0.expirationTime = .seconds(Int64.max) }
        world.timekeeper.advance(by: .seconds(10 * 365 * 86400))
        #expect(world.resource().loadIfNeeded() == nil)
    }

    @Test("a time without end is legal wherever a time is configured, with the system's clocks, too (S-040)")
    func endlessTimes() async {
        let service = Service(
            baseURL: "http://origin.example",
            networking: StubNetworking { _ in .answer(500) },
            environment: .program
        )
        service.configure {
            $0.expirationTime = .seconds(Int64.max)
            $0.retryTime = .seconds(Int64.max)
            $0.progressReportingInterval = .seconds(Int64.max)
        }
        let resource = service.resource("/a")
        resource.cancelLoadIfUnobserved(afterDelay: .seconds(Int64.max))
        let request = resource.load().onProgress { _ in }
        let endless = SystemTimekeeper.shared.after(.seconds(Int64.max)) {}
        await withCheckedContinuation { continuation in
            _ = SystemTimekeeper.shared.after(.milliseconds(1)) { continuation.resume() }
        }
        endless.cancel()
        _ = await request.outcome
        #expect(resource.latestError != nil && resource.loadIfNeeded() == nil)
    }

    @Test("data is up to date at the very end of the expiration time, not behind it (T-256, S-084)")
    func border() {
        let world = filled()
        world.timekeeper.advance(by: .seconds(30))
        #expect(world.resource().loadIfNeeded() == nil)
        world.timekeeper.advance(by: .milliseconds(1))
        #expect(world.resource().loadIfNeeded() != nil)
    }

    @Test("a lifetime the response states decides; at its very end the data is stale (S-084)")
    func stated() {
        let world = filled([("Cache-Control", "max-age=60")])
        world.timekeeper.advance(by: .seconds(59))
        #expect(world.resource().isUpToDate)
        world.timekeeper.advance(by: .seconds(1))
        #expect(!world.resource().isUpToDate)
    }

    @Test("what says no-cache or no-store is loaded each time", arguments: ["no-cache", "no-store"])
    func noCache(directive: String) {
        let world = filled([("Cache-Control", directive)])
        #expect(!world.resource().isUpToDate)
    }

    @Test("a 304 brings a new lifetime")
    func freshened() {
        let world = filled([("Cache-Control", "max-age=10"), ("ETag", "\"v1\"")])
        world.timekeeper.advance(by: .seconds(20))
        world.resource().load()
        world.answer(304, [("Cache-Control", "max-age=100"), ("ETag", "\"v1\"")])
        world.timekeeper.advance(by: .seconds(99))
        #expect(world.resource().isUpToDate)
        #expect(world.resource().latestData?.header(forKey: "Cache-Control") == "max-age=100")
    }

    @Test("what was changed locally is never confirmed by the server (T-258, S-249)", arguments: [true, false])
    func localChange(isContent: Bool) {
        let world = filled([("ETag", "\"v1\""), ("Last-Modified", "Sat, 21 Nov 2026 19:00:00 GMT")])
        if isContent {
            world.resource().overrideLocalContent("local")
        } else {
            world.resource().overrideLocalData(Entity(content: "local", headers: ["ETag": "\"own\""]))
        }
        world.resource().load()
        let request = world.networking.last.request
        #expect(request[field: "If-None-Match"] == nil && request[field: "If-Modified-Since"] == nil)
    }

    @Test("after a failed load, data within its lifetime is up to date (S-250)")
    func failedReload() {
        let world = filled([("Cache-Control", "max-age=60")])
        world.timekeeper.advance(by: .seconds(10))
        world.resource().load()
        world.answer(500)
        world.timekeeper.advance(by: .seconds(10))
        #expect(world.resource().latestError != nil && world.resource().loadIfNeeded() == nil)
    }

    @Test(
        "a forced load that fails leaves stored data fresh: a client is served without asking upstream (T-265, S-250)"
    )
    func servedAfterFailure() {
        let world = World()
        world.fill()
        world.timekeeper.advance(by: .seconds(10))
        world.resource().load()
        world.runUntilIdle()
        world.last.fail()
        world.runUntilIdle()
        world.timekeeper.advance(by: .seconds(10))
        #expect(world.get().text == "abc" && world.provider.count == 2)
    }

    @Test("a wall clock that is set back makes nothing fresh (S-251)")
    func clockSetBack() {
        let world = filled()
        world.timekeeper.setWall(HTTPDate(seconds: 0))
        world.timekeeper.advance(by: .seconds(31))
        #expect(!world.resource().isUpToDate)
    }

    @Test(
        "the retry time of an error that a program made counts from its timestamp, but not from a later one (S-164)",
        arguments: [(-0.5, 500), (0, 1000), (100, 1000)] as [(Double, Int)]
    )
    func retryAfterMadeError(seconds: Double, milliseconds: Int) {
        let world = ProgramWorld()
        let resource = world.resource()
        let time = Timestamp(seconds: world.timekeeper.timestamp.seconds + seconds)
        let error = RequestError(userMessage: "made", timestamp: time)
        resource.load(using: Resource.failedRequest(returning: error))
        world.runUntilIdle()
        world.timekeeper.advance(by: .milliseconds(milliseconds))
        #expect(resource.latestError?.userMessage == "made" && resource.loadIfNeeded() == nil)
        world.timekeeper.advance(by: .milliseconds(1))
        #expect(resource.loadIfNeeded() != nil)
    }

    @Test("the retry time counts from the error (S-086)")
    func retryAfterError() {
        let world = ProgramWorld()
        world.resource().load()
        world.answer(500)
        #expect(world.resource().loadIfNeeded() == nil)
        world.timekeeper.advance(by: .milliseconds(1001))
        #expect(world.resource().loadIfNeeded() != nil)
    }
}
