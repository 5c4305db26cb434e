import Exchanges
import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing

@testable import ResourceCore
@testable import ResourceModel

/// What confirms data, and what takes the mark of an invalidation away.
@Suite("Confirmed and invalidated data")
struct ConfirmationTests {
    private static let tag = ("ETag", "\"v1\"")

    private let world = ProgramWorld()
    private let jobs = StubCacheJobs()
    private var resource: Resource { world.resource() }

    private func runUntilIdle() {
        while world.workers.run() || world.context.run() || jobs.queue.run() {}
    }

    private func cache() -> StubCache {
        let cache = StubCache(jobs)
        world.service.configure { $0.pipeline[.cleanup].cacheUsing(cache) }
        return cache
    }

    private func load(
        _ status: UInt16 = 200,
        _ lines: [(String, String)] = [ConfirmationTests.tag],
        _ text: String? = "abc"
    ) {
        resource.load()
        world.networking.last.answer(status, lines, text)
        runUntilIdle()
    }

    @Test("a 304 takes the mark of an invalidation away (S-097, S-202)")
    func notModified() {
        load()
        resource.invalidate()
        #expect(resource.snapshot.isInvalidated && !resource.isUpToDate)
        load(304, [], nil)
        #expect(!resource.snapshot.isInvalidated && resource.isUpToDate)
    }

    @Test(
        "a look-up that finds nothing takes the mark away: nothing is left to be invalid (S-201)",
        arguments: [false, true]
    )
    func nothingFound(isKept: Bool) {
        let (cache, resource) = (cache(), resource)
        if isKept { cache.put("kept", at: world.timekeeper.timestamp) }
        resource.invalidate()
        #expect(resource.snapshot.isInvalidated)
        _ = resource.latestData
        runUntilIdle()
        #expect(resource.snapshot.isInvalidated == isKept)
    }

    @Test("cookies that come with a 304 are those of the data (S-097)")
    func cookies() {
        load(200, [Self.tag, ("Set-Cookie", "a=1"), ("X-Kept", "1"), ("X-Changed", "1")])
        load(304, [Self.tag, ("Set-Cookie", "b=2"), ("X-Changed", "2"), ("X-New", "3")], nil)
        let data = resource.latestData
        #expect(data?.header(forKey: "Set-Cookie") == "b=2" && data?.plainText == "abc")
        #expect(["X-Kept", "X-Changed", "X-New"].map { data?.header(forKey: $0) } == ["1", "2", "3"])
    }

    @Test("a confirmation that came from elsewhere dates the data now, and no cache (S-242)")
    func elsewhere() {
        let cache = cache()
        load()
        let loaded = world.timekeeper.timestamp
        #expect(cache.calls.value == ["write"])
        world.timekeeper.advance(by: .seconds(100))
        let old = Entity<any Sendable>(content: "other", contentType: "text/plain", timestamp: Timestamp(seconds: 7))
        resource.load(using: Resource.hardWiredRequest(returning: .success(old), isNew: false))
        runUntilIdle()
        #expect(resource.latestData?.plainText == "abc" && resource.latestData?.timestamp == world.timekeeper.timestamp)
        #expect(cache.calls.value == ["write"] && cache.entities.value.values.map(\.timestamp) == [loaded])
    }

    @Test("after a local change nothing is looked up, and what was kept is removed once (S-192, S-246)")
    func overridden() {
        let (cache, resource) = (cache(), resource)
        cache.put("kept", at: world.timekeeper.timestamp)
        resource.overrideLocalContent("mine")
        _ = resource.latestData
        #expect(resource.isUpToDate && resource.loadIfNeeded() == nil)
        runUntilIdle()
        #expect(cache.calls.value == ["remove"] && resource.latestData?.plainText == "mine")
    }

    @Test("a look-up that brings fresh data makes no request that a decorator could see (S-053, S-091)")
    func noRequest() {
        cache().put("kept", at: world.timekeeper.timestamp)
        let count = LockedBox(0)
        world.service.configure { configuration in
            configuration.decorateRequests { _, request in
                count.change { $0 += 1 }
                return request
            }
        }
        let request = resource.loadIfNeeded()
        runUntilIdle()
        #expect(request?.result?.response.contentText == "kept" && count.value == 0)
    }

    @Test("what a look-up has brought confirms nothing once all data is gone (S-098, S-103)")
    func nothingLeft() throws {
        cache().put("kept", at: world.timekeeper.timestamp)
        let resource = resource
        let request = try #require(resource.loadIfNeeded())
        runUntilIdle()
        resource.purge()
        runUntilIdle()
        resource.load(using: request)
        runUntilIdle()
        #expect(resource.latestData == nil && resource.latestError?.cause is RequestError.Cause.NoLocalDataFor304)
    }

    @Test("once a look-up has brought what was asked for, or its request was cancelled, no request is listed (S-073)")
    func listed() {
        cache().put("kept", at: world.timekeeper.timestamp)
        let resource = resource
        resource.loadIfNeeded()
        #expect(resource.allRequests.count == 1 && resource.isRequesting)
        runUntilIdle()
        #expect(resource.allRequests.isEmpty && !resource.isRequesting && resource.latestData != nil)
        let other = world.resource("/b")
        other.loadIfNeeded()?.cancel()
        #expect(other.allRequests.isEmpty && !other.isRequesting)
    }
}
