import ResourceDoubles
import Exchanges
import HTTPCore
import ResourceCore
import ResourceModel
import TestDoubles
import Testing
import Transforms

@Suite("Persistent caches of a resource: what is found")
struct CachedDataTests: CachingSuite {
    let world = ProgramWorld()
    let jobs = StubCacheJobs()

    // MARK: Looking up

    @Test("reading the data has it looked up; it is there a moment later, with its own time (T-123, S-187, S-189)")
    func hit() {
        let cache = cache()
        cache.put("kept", at: Timestamp(seconds: 900_000))
        let resource = resource
        #expect(cache.calls.value.isEmpty)
        #expect(resource.latestData == nil)
        runUntilIdle()
        #expect(resource.latestData?.plainText == "kept")
        #expect(resource.latestData?.timestamp == Timestamp(seconds: 900_000))
        _ = resource.latestData
        runUntilIdle()
        #expect(cache.calls.value == ["read"])
    }

    @Test("the staleness test and the first observer have it looked up, too (S-187, S-218)")
    func triggers() {
        let cache = cache()
        _ = world.resource("/test").isUpToDate
        let owner = Owner()
        world.resource("/observed").addObserver(owner: owner) { _, _ in }
        _ = world.resource("/nothing").url
        runUntilIdle()
        #expect(cache.calls.value == ["read", "read"])
    }

    @Test("an empty cache brings nothing (T-124, S-188)")
    func miss() {
        _ = cache()
        let resource = resource
        _ = resource.latestData
        runUntilIdle()
        #expect(resource.latestData == nil && !resource.isLoading)
    }

    @Test("local content that was set during the look-up stays (T-125, S-189)")
    func overriddenMeanwhile() {
        let cache = cache()
        cache.put("kept", at: now)
        let recorder = observed()
        resource.overrideLocalContent("local")
        runUntilIdle()
        #expect(resource.latestData?.plainText == "local")
        #expect(recorder.events == ["observerAdded", "newData(localOverride) D"])
    }

    @Test("loadIfNeeded with a fresh hit: the data comes, then the load turns out to be needless (T-126, S-091)")
    func freshHit() {
        cache().put("kept", at: now)
        let recorder = observed()
        let request = resource.loadIfNeeded()
        #expect(resource.isLoading && resource.loadIfNeeded() === request)
        runUntilIdle()
        #expect(request?.result?.response.contentText == "kept" && request?.result?.isNew == false)
        #expect(recorder.events == ["observerAdded", "newData(cache) LD", "notModified D"])
        #expect(world.networking.requests.isEmpty && !resource.isLoading)
    }

    @Test("a look-up's request that is promoted again confirms nothing: no server was asked (S-103, S-241)")
    func promotedLookUp() throws {
        let cache = cache()
        cache.put("kept", at: now)
        let looked = try #require(resource.loadIfNeeded())
        runUntilIdle()
        resource.load()
        answer(200, [], "newer")
        let loaded = resource.latestData?.timestamp
        world.timekeeper.advance(by: .seconds(100))
        let recorder = observed()
        resource.load(using: looked)
        runUntilIdle()
        #expect(resource.latestData?.plainText == "newer" && resource.latestData?.timestamp == loaded)
        #expect(recorder.events.last == "notModified D")
        #expect(cache.entities.value.values.first?.timestamp == loaded)
    }

    @Test("once fresh data came from the cache there is nothing to load (T-127, S-092)")
    func freshHitBefore() {
        cache().put("kept", at: now)
        _ = observed()
        runUntilIdle()
        #expect(resource.loadIfNeeded() == nil && world.networking.requests.isEmpty)
    }

    @Test("loadIfNeeded with nothing cached: one load, however often it is asked (T-128, T-129, S-091, S-087)")
    func missThenLoad() {
        _ = cache()
        let recorder = observed()
        let requests = (0..<3).map { _ in resource.loadIfNeeded() }
        #expect(requests[0] != nil && requests.allSatisfy { $0 === requests[0] })
        runUntilIdle()
        #expect(recorder.events == ["observerAdded", "requested L"] && resource.loadIfNeeded() === requests[0])
        answer(200, [], "new")
        #expect(requests[0]?.result?.response.contentText == "new" && requests[0]?.result?.isNew == true)
        #expect(recorder.events == ["observerAdded", "requested L", "newData(network) D"])
        #expect(world.networking.requests.count == 1)
    }

    @Test("loadIfNeeded with a stale hit: the data comes, then a load's (T-130, S-091)")
    func staleHit() {
        cache().put("kept", at: Timestamp(seconds: now.seconds - 1000))
        let recorder = observed()
        let request = resource.loadIfNeeded()
        runUntilIdle()
        answer(200, [], "new")
        #expect(request?.result?.response.contentText == "new")
        #expect(
            recorder.events == ["observerAdded", "newData(cache) LD", "requested LD", "newData(network) D"]
        )
        #expect(recorder.states.value.map { $0.latestData?.plainText } == [nil, "kept", "kept", "new"])
        #expect(world.networking.requests.count == 1)
    }

    @Test(
        "a load that begins during the look-up is the one who waits for that gets (S-087, S-090)",
        arguments: [true, false]
    )
    func loadDuringLookUp(isStale: Bool) {
        let cache = cache()
        if isStale { cache.put("kept", at: Timestamp(seconds: 1)) }
        let recorder = observed()
        let waiting = resource.loadIfNeeded()
        let load = resource.load()
        #expect(waiting != nil && isSame(resource.loadRequests, [waiting!, load]))
        runUntilIdle()
        #expect(world.networking.requests.count == 1 && isSame(resource.loadRequests, [load, waiting!]))
        #expect(resource.loadIfNeeded() === load)
        let log = HookLog(waiting!)
        answer(200, [], "new")
        #expect(log.notes.value.suffix(2) == ["success new", "newData new"] && load.result?.isNew == true)
        #expect(resource.loadRequests.isEmpty && resource.allRequests.isEmpty && !resource.isLoading)
        let found = isStale ? ["newData(cache) LD"] : []
        #expect(recorder.events == ["observerAdded", "requested L"] + found + ["newData(network) D"])
        #expect(world.networking.requests.count == 1)
    }

    @Test("who has joined such a load and gives up leaves it to the others; a wipe ends all (S-087, S-129)")
    func leavingJoinedLoad() {
        _ = cache()
        let waiting = resource.loadIfNeeded()
        let load = resource.load()
        runUntilIdle()
        waiting?.cancel()
        runUntilIdle()
        #expect(waiting?.result?.response.isCancellation == true && !world.networking.last.isCancelled)
        #expect(isSame(resource.loadRequests, [load]) && isSame(resource.allRequests, [load]))
        answer(200, [], "new")
        #expect(resource.latestData?.plainText == "new")
        let other = world.resource("/b")
        let requests = [other.loadIfNeeded(), other.load()]
        runUntilIdle()
        other.wipe()
        runUntilIdle()
        #expect(requests.allSatisfy { $0?.result?.response.isCancellation == true } && !other.isLoading)
    }

    @Test("of several caches the last stage's counts (T-131, S-188)")
    func lastStage() {
        cache(at: .model).put("model", at: now)
        cache(at: .cleanup).put("cleanup", at: now)
        _ = resource.latestData
        runUntilIdle()
        #expect(resource.latestData?.plainText == "cleanup")
    }

    @Test("a hit goes through the stages behind it; nothing is written for it (T-132, T-252, S-188, S-244)")
    func laterStages() {
        let (raw, model) = (cache(at: .rawData), cache(at: .model))
        tagAll(PipelineStageKey.standard)
        raw.put("kept", at: now)
        let resource = resource
        resource.loadIfNeeded()
        runUntilIdle()
        #expect(resource.latestData?.plainText == "kept decoding parsing model cleanup")
        #expect(raw.calls.value == ["read"] && model.calls.value == ["read"])
    }

    @Test("a hit amid the pipeline is written neither where it was nor into the caches behind it (T-252, S-244)")
    func nothingWritten() {
        let caches = [PipelineStageKey.rawData, .parsing, .model, .cleanup].map { cache(at: $0) }
        tagAll()
        caches[1].put("kept", at: now)
        let request = resource.loadIfNeeded()
        runUntilIdle()
        #expect(resource.latestData?.plainText == "kept model cleanup" && request?.result?.isNew == false)
        #expect(caches.map(\.calls.value) == [[], ["read"], ["read"], ["read"]])
    }

    // MARK: Time

    @Test("data read at each restart expires all the same (S-241)")
    func restarts() {
        let jobs = jobs
        let cache = StubCache(jobs)
        cache.put("kept", at: Timestamp(seconds: 1_000_000))
        var isUpToDate: [Bool] = []
        for age in [20, 29, 31] {
            let world = ProgramWorld()
            world.service.configure { $0.pipeline[.cleanup].cacheUsing(cache) }
            world.timekeeper.advance(by: .seconds(age))
            _ = world.resource().latestData
            while world.context.run() || jobs.queue.run() {}
            isUpToDate.append(world.resource().isUpToDate)
        }
        #expect(isUpToDate == [true, true, false])
    }

    @Test("data that is wiped and found again and again expires all the same (S-241, S-193)")
    func wipedAgainAndAgain() {
        cache().put("kept", at: now)
        let resource = resource
        var isUpToDate: [Bool] = []
        for _ in 0..<4 {
            resource.wipe()
            resource.loadIfNeeded()
            runUntilIdle()
            #expect(resource.latestData?.plainText == "kept")
            isUpToDate.append(resource.isUpToDate)
            world.timekeeper.advance(by: .seconds(10))
        }
        #expect(isUpToDate == [true, true, true, true] && world.networking.requests.isEmpty)
        world.timekeeper.advance(by: .milliseconds(1))
        resource.wipe()
        #expect(resource.loadIfNeeded() != nil)
        runUntilIdle()
        #expect(world.networking.requests.count == 1)
    }

    @Test("the retry time counts from the error, not from data that was found later (S-086, S-084)")
    func retryAfterLateHit() {
        let cache = cache()
        let resource = resource
        _ = resource.latestData
        resource.load()
        world.networking.last.answer(500)
        world.runUntilIdle()
        world.timekeeper.advance(by: .milliseconds(900))
        // As new as can be, and stale nevertheless.
        cache.put("kept", at: now, headers: ["Cache-Control": "max-age=0"])
        runUntilIdle()
        #expect(resource.latestData?.plainText == "kept" && resource.latestError != nil)
        #expect(resource.loadIfNeeded() == nil)
        world.timekeeper.advance(by: .milliseconds(101))
        #expect(resource.loadIfNeeded() != nil)
    }

    // MARK: Traps

    @Test("content that came during the look-up is what loadIfNeeded brings (T-257, S-247, S-246)")
    func overriddenWhileWaiting() {
        _ = cache()
        let recorder = observed()
        let request = resource.loadIfNeeded()
        resource.overrideLocalContent("local")
        runUntilIdle()
        #expect(request?.result?.response.contentText == "local" && world.networking.requests.isEmpty)
        #expect(recorder.events == ["observerAdded", "newData(localOverride) LD", "notModified D"])
        #expect(!resource.isLoading && resource.loadIfNeeded() == nil)
    }

    @Test("a load that is faster than the look-up ends it for nobody; later ones take the short way (S-246)")
    func loadedMeanwhile() {
        cache().put("kept", at: now)
        let recorder = observed()
        resource.load()
        world.networking.last.answer(200, [], "new")
        world.runUntilIdle()
        runUntilIdle()
        #expect(resource.latestData?.plainText == "new")
        #expect(recorder.events == ["observerAdded", "requested L", "newData(network) D"])
        #expect(resource.loadIfNeeded() == nil)
        // Nothing is looked up any more: the next load is on its way at once.
        world.timekeeper.advance(by: .seconds(31))
        resource.loadIfNeeded()
        #expect(world.networking.requests.count == 2)
    }

    @Test("a late hit leaves the error of a faster load, and an invalidation (S-248)")
    func lateHit() {
        cache().put("kept", at: now)
        let recorder = observed()
        resource.load()
        world.networking.last.answer(500)
        world.runUntilIdle()
        runUntilIdle()
        #expect(resource.latestData?.plainText == "kept" && resource.latestError?.httpStatusCode == 500)
        #expect(recorder.events.suffix(2) == ["error E", "newData(cache) DE"])
        let other = world.resource("/b")
        _ = other.latestData
        other.invalidate()
        runUntilIdle()
        #expect(!other.isUpToDate)
    }

    @Test("what is found after an invalidation is not up to date (S-248)")
    func invalidatedMeanwhile() {
        cache().put("kept", at: now)
        let resource = resource
        _ = resource.latestData
        resource.invalidate()
        runUntilIdle()
        #expect(resource.latestData?.plainText == "kept" && !resource.isUpToDate)
    }

    @Test(
        "an invalidation counts for what was not looked up yet, however fresh it is (S-201, S-248)",
        arguments: [true, false]
    )
    func invalidatedBefore(isKept: Bool) {
        let cache = cache()
        if isKept { cache.put("kept", at: now) }
        let resource = resource
        resource.invalidate()
        #expect(cache.calls.value.isEmpty)
        let request = resource.loadIfNeeded()
        runUntilIdle()
        #expect(resource.latestData?.plainText == (isKept ? "kept" : nil))
        #expect(world.networking.requests.count == 1 && request?.isCompleted == false)
        answer(200, [], "new")
        #expect(request?.result?.response.contentText == "new" && resource.loadIfNeeded() == nil)
    }

    @Test("the retry time counts from the error, however new the data is that came since (S-086)")
    func retryTimeAndLateHit() {
        let cache = cache()
        cache.put("kept", at: now, headers: ["Cache-Control": "no-cache"])
        _ = resource.latestData
        resource.load()
        world.networking.last.answer(500)
        world.runUntilIdle()
        world.timekeeper.advance(by: .milliseconds(900))
        cache.put("kept", at: now, headers: ["Cache-Control": "no-cache"])
        runUntilIdle()
        #expect(resource.latestData?.plainText == "kept" && resource.loadIfNeeded() == nil)
        world.timekeeper.advance(by: .milliseconds(101))
        #expect(resource.loadIfNeeded() != nil)
    }

    @Test("cancelling the request that waits for the look-up takes it away at once, and says so (S-257)")
    func cancelledWhileLooking() {
        cache().put("kept", at: Timestamp(seconds: 1))
        let recorder = observed()
        let request = resource.loadIfNeeded()
        request?.cancel()
        #expect(!resource.isLoading && resource.loadRequests.isEmpty)
        runUntilIdle()
        #expect(recorder.events == ["observerAdded", "requestCancelled", "newData(cache) D"])
        #expect(world.networking.requests.isEmpty)
    }

    @Test("cancelling it once the look-up has led to a load cancels that (S-257)")
    func cancelledAfterLookUp() {
        _ = cache()
        let request = resource.loadIfNeeded()
        runUntilIdle()
        request?.cancel()
        runUntilIdle()
        #expect(world.networking.last.isCancelled && !resource.isLoading && !resource.isRequesting)
    }

    @Test("what a cache dates in the future is stale (S-251)")
    func future() {
        cache().put("kept", at: Timestamp(seconds: now.seconds + 100))
        _ = resource.latestData
        runUntilIdle()
        #expect(resource.latestData?.plainText == "kept" && !resource.isUpToDate)
    }

    @Test("a cache that throws is a miss")
    func broken() {
        let broken = StubCache(jobs, isBroken: true)
        world.service.configure { $0.pipeline[.cleanup].cacheUsing(broken) }
        let request = resource.loadIfNeeded()
        runUntilIdle()
        answer(200, [], "new")
        #expect(request?.result?.isNew == true && resource.latestData?.plainText == "new")
    }
}
