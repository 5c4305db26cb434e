import ResourceDoubles
import Exchanges
import HTTPCore
import ResourceCore
import ResourceModel
import TestDoubles
import Testing
import Transforms

@Suite("Persistent caches of a resource: what is kept")
struct CacheWritesTests: CachingSuite {
    let world = ProgramWorld()
    let jobs = StubCacheJobs()

    @Test("a load is kept once, under the resource's key, as it is in the end (T-133, S-190)")
    func written() {
        let cache = cache()
        tagAll()
        resource.load()
        answer(200, [], "new")
        #expect(cache.entities.value.count == 1)
        #expect(cache.text() == "new decoding parsing model cleanup")
    }

    @Test("each caching stage keeps what it puts out (T-134, S-190, S-186)")
    func writtenByStage() {
        let (parsing, model) = (cache(at: .parsing), cache(at: .model))
        tagAll()
        resource.load()
        answer(200, [], "new")
        #expect(parsing.text() == "new decoding parsing" && model.text() == "new decoding parsing model")
    }

    @Test("a failure is not kept (S-190)")
    func failureNotWritten() {
        let cache = cache()
        resource.load()
        answer(500, [], "no")
        #expect(cache.entities.value.isEmpty)
    }

    @Test("after a 304 what is kept has the new time (T-135, S-191)")
    func touched() {
        let cache = cache()
        resource.load()
        answer(200, [("ETag", "\"v1\"")], "new")
        world.timekeeper.advance(by: .seconds(1000))
        resource.load()
        answer(304)
        #expect(cache.entities.value.values.map(\.timestamp) == [now])
        #expect(resource.latestData?.timestamp == now && cache.text() == "new")
    }

    @Test("a local change removes what is kept, and is not kept itself (T-136, S-192)")
    func overridden() {
        let cache = cache()
        cache.put("kept", at: now)
        resource.overrideLocalData(Entity(content: "local", contentType: "text/plain"))
        runUntilIdle()
        #expect(cache.entities.value.isEmpty && !cache.calls.value.contains("write"))
        #expect(resource.latestData?.plainText == "local")
    }

    @Test("a cache without a key for the resource is asked for nothing (T-137, S-185)")
    func noKey() {
        let cache = cache(hasKeys: false)
        let request = resource.loadIfNeeded()
        runUntilIdle()
        answer(200, [], "new")
        resource.overrideLocalContent("local")
        runUntilIdle()
        #expect(request?.result?.isNew == true && cache.calls.value.isEmpty)
    }

    @Test("a wipe leaves what is kept, and has it looked up again (S-193)")
    func wiped() {
        let cache = cache()
        let resource = resource
        resource.load()
        answer(200, [], "new")
        resource.wipe()
        #expect(resource.latestData == nil)
        runUntilIdle()
        #expect(resource.latestData?.plainText == "new" && cache.text() == "new")
    }

    @Test("a purge removes what is kept; it is not found again (S-194)")
    func purged() {
        let cache = cache()
        let resource = resource
        resource.load()
        answer(200, [], "new")
        resource.purge()
        _ = resource.latestData
        runUntilIdle()
        #expect(resource.latestData == nil && cache.entities.value.isEmpty)
    }

    @Test("a hit keeps its time, and nothing is written for it (T-249, S-241, S-189)")
    func hitIsNotTouched() {
        let cache = cache()
        let stored = Timestamp(seconds: now.seconds - 9)
        cache.put("kept", at: stored)
        resource.loadIfNeeded()
        runUntilIdle()
        #expect(resource.latestData?.timestamp == stored && cache.calls.value == ["read"])
    }

    @Test("a promoted GET of this resource is kept, of another one it is not (T-250, T-251, S-242, S-102)")
    func promoted() {
        let cache = cache()
        resource.load(using: resource.request(.get))
        answer(200, [], "own")
        #expect(cache.text() == "own")
        world.resource("/b").load(using: resource.request(.get))
        answer(200, [], "foreign")
        #expect(cache.text("/b") == nil && cache.text() == "own")
        resource.load(using: resource.request(.post))
        answer(200, [], "posted")
        #expect(cache.text() == "own" && resource.latestData?.plainText == "posted")
    }

    @Test("a pattern can take all caches away: nothing is looked up, nothing kept (S-239)")
    func sensitive() {
        let cache = cache()
        cache.put("kept", at: now, "/secret/a")
        world.service.configure(PredicatePattern { $0.text.contains("/secret/") }) { $0.pipeline.removeAllCaches() }
        let secret = world.resource("/secret/a")
        secret.loadIfNeeded()
        runUntilIdle()
        answer(200, [], "new")
        secret.overrideLocalContent("local")
        runUntilIdle()
        #expect(secret.latestData?.plainText == "local" && cache.calls.value.isEmpty)
        resource.load()
        answer(200, [], "open")
        #expect(cache.text() == "open")
    }

    @Test("a plain GET is not kept (S-242)")
    func plainRequest() {
        let cache = cache()
        resource.request(.get)
        answer(200, [], "new")
        #expect(cache.calls.value.isEmpty)
    }

    @Test("a request that is promoted again is kept again (T-253, S-103, S-190)")
    func promotedAgain() {
        let cache = cache()
        let first = resource.load()
        answer(200, [], "one")
        resource.load()
        answer(200, [], "two")
        #expect(cache.text() == "two")
        resource.load(using: first)
        runUntilIdle()
        #expect(cache.text() == "one" && resource.latestData?.plainText == "one")
    }

    @Test("a purge beats what is still being transformed (T-259, S-243, S-193)")
    func purgedWhileTransforming() {
        let cache = cache()
        let resource = resource
        let request = resource.load()
        world.networking.last.answer(200, [], "old")
        resource.purge()
        runUntilIdle()
        #expect(request.result?.response.isCancellation == true)
        #expect(resource.latestData == nil && cache.entities.value.isEmpty)
    }

    @Test("after a local change nothing from before it is found, not even by another process (T-264, S-192, S-194)")
    func overrideSurvivesRestart() {
        let cache = cache()
        resource.load()
        answer(200, [], "before")
        resource.overrideLocalContent("local")
        runUntilIdle()
        let restarted = ProgramWorld()
        restarted.service.configure { $0.pipeline[.cleanup].cacheUsing(cache) }
        let resource = restarted.resource()
        _ = resource.latestData
        while restarted.context.run() || jobs.queue.run() {}
        #expect(resource.latestData == nil)
    }
}
