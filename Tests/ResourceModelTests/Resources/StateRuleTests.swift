import Exchanges
import HTTPCore
import ResourceCore
import ResourceModel
import TestDoubles
import Testing

/// What changes the state of a resource that a program loads, and what does not.
@Suite("What counts for a resource's state")
struct StateRuleTests {
    private let world = ProgramWorld()
    private var resource: Resource { world.resource() }

    /// Loads data with a tag at the clock's start; `fails`: then lets a load fail 1000 seconds later.
    private func fill(fails: Bool = false) {
        resource.load()
        world.answer(200, [("ETag", "\"v1\"")], "abc")
        guard fails else { return }
        world.timekeeper.advance(by: .seconds(1000))
        resource.load()
        world.answer(500)
    }

    // MARK: Joining

    @Test("a load in progress is what loadIfNeeded gives, though the data is up to date (S-087)")
    func joinsWhatRuns() {
        fill()
        let request = resource.load()
        #expect(resource.isUpToDate && resource.loadIfNeeded() === request)
        world.answer(304)
        #expect(resource.loadIfNeeded() == nil && world.networking.requests.count == 2)
    }

    // MARK: Cancelling

    @Test("a cancelled load leaves data, error, mark and times as they were, whatever it would have brought (S-100)")
    func cancelled() {
        fill(fails: true)
        resource.invalidate()
        let before = resource.snapshot
        for status in [200, 304, 500] as [UInt16] {
            let request = resource.load()
            world.runUntilIdle()
            request.cancel()
            world.answer(status, [("ETag", "\"v2\"")], "late")
            let after = resource.snapshot
            #expect(request.result?.response.isCancellation == true)
            #expect(after.latestData?.plainText == "abc" && after.latestData?.etag == "\"v1\"")
            #expect(after.latestData?.timestamp == before.latestData?.timestamp)
            #expect(after.latestError?.httpStatusCode == 500 && after.timestamp == before.timestamp)
            #expect(after.isInvalidated && !after.isLoading && resource.loadRequests.isEmpty)
        }
    }

    // MARK: Order

    @Test("an older load's late answer counts only if the origin dates it later (S-107, S-256)", arguments: [-1, 0, 1])
    func dates(seconds: Int64) {
        let (first, second) = (resource.load(), resource.load())
        let now = world.timekeeper.wallNow.seconds
        func answer(_ index: Int, _ date: Int64, _ text: String) {
            let date = String(decoding: HTTPDate(seconds: date).bytes, as: UTF8.self)
            world.networking.exchanges[index].answer(200, [("Date", date)], text)
            world.runUntilIdle()
        }
        answer(1, now - 10, "second")
        answer(0, now - 10 + seconds, "first")
        #expect(resource.latestData?.plainText == (seconds > 0 ? "first" : "second"))
        #expect(first.result?.isNew == true && second.result?.isNew == true && !resource.isLoading)
    }

    @Test(
        "an older load's late failure or 304 changes nothing after a newer one's success (S-256)",
        arguments: [500, 304]
    )
    func lateEnd(status: UInt16) {
        fill()
        resource.load()
        resource.load()
        world.networking.exchanges[2].answer(200, [("ETag", "\"v2\"")], "new")
        world.runUntilIdle()
        world.timekeeper.advance(by: .seconds(5))
        world.networking.exchanges[1].answer(status)
        world.runUntilIdle()
        #expect(resource.latestData?.plainText == "new" && resource.latestError == nil)
        #expect(resource.latestData?.timestamp != world.timekeeper.timestamp)
    }

    // MARK: Local changes

    @Test("a 304 to a load from before a local change confirms nothing of it (S-249)")
    func overriddenMeanwhile() {
        fill()
        resource.load()
        #expect(world.networking.last.request[field: "If-None-Match"] == "\"v1\"")
        world.timekeeper.advance(by: .seconds(5))
        resource.overrideLocalContent("local")
        let time = resource.latestData?.timestamp
        world.timekeeper.advance(by: .seconds(20))
        world.answer(304, [("ETag", "\"v1\"")])
        #expect(resource.latestData?.plainText == "local" && resource.latestData?.etag == nil)
        #expect(resource.latestData?.timestamp == time)
        // Thirty seconds from the change on, not from the 304.
        world.timekeeper.advance(by: .seconds(11))
        #expect(resource.loadIfNeeded() != nil)
        #expect(world.networking.last.request[field: "If-None-Match"] == nil)
    }

    // MARK: Configuration

    @Test("expiration and retry time are those of GET, whatever method brought the data or the error (S-040, S-041)")
    func onlyGET() {
        world.service.configure(requestMethods: [.get]) {
            $0.expirationTime = .seconds(10)
            $0.retryTime = .seconds(3)
        }
        world.service.configure(requestMethods: [.post]) {
            $0.expirationTime = .seconds(1000)
            $0.retryTime = .seconds(1000)
        }
        resource.load(using: resource.request(.post))
        world.answer(200, [], "posted")
        world.timekeeper.advance(by: .seconds(10))
        #expect(resource.isUpToDate)
        world.timekeeper.advance(by: .milliseconds(1))
        #expect(!resource.isUpToDate)
        resource.load(using: resource.request(.post))
        world.answer(500)
        world.timekeeper.advance(by: .seconds(3))
        #expect(resource.isUpToDate)
        world.timekeeper.advance(by: .milliseconds(1))
        #expect(!resource.isUpToDate)
    }

    @Test("a configuration that changes judges what is held anew, and loads nothing (S-043, S-045, S-046)")
    func reconfigured() {
        fill()
        world.timekeeper.advance(by: .seconds(20))
        #expect(resource.isUpToDate)
        world.service.configure(requestMethods: [.post]) { $0.expirationTime = .seconds(5) }
        #expect(resource.isUpToDate)
        world.service.configure { $0.expirationTime = .seconds(5) }
        #expect(!resource.isUpToDate && world.networking.requests.count == 1)
    }

    // MARK: Empty resources

    @Test("a resource without data and error is loaded, though data may live for ever: wiped, or nothing found (S-240)")
    func empty() {
        world.service.configure { $0.expirationTime = .seconds(Int64.max) }
        fill()
        #expect(resource.loadIfNeeded() == nil)
        resource.wipe()
        world.runUntilIdle()
        #expect(!resource.isUpToDate && resource.loadIfNeeded() != nil)
        world.runUntilIdle()
        #expect(world.networking.requests.count == 2)
        resource.load().cancel()
        world.networking.exchanges[1].answer(500)
        world.runUntilIdle()
        // Within the retry time nothing is tried; behind it the resource is as empty as before.
        #expect(resource.loadIfNeeded() == nil)
        world.timekeeper.advance(by: .milliseconds(1001))
        #expect(resource.loadIfNeeded() != nil)
    }
}
