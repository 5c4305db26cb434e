import Exchanges
import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing
import Transforms

@testable import ResourceCore
@testable import ResourceModel

extension LogTests {
    @Test("why data is up to date or not is told, with how long ago it was valid (S-232)")
    func staleness() {
        let world = ProgramWorld()
        let resource = world.resource("/mark")
        withLog([.staleness]) { heard in
            _ = resource.isUpToDate
            resource.load()
            world.answer(200, [], "abc")
            for seconds in [20, 11] {
                world.timekeeper.advance(by: .seconds(seconds))
                _ = resource.isUpToDate
            }
            resource.invalidate()
            _ = resource.isUpToDate
            resource.load()
            world.answer(500)
            world.timekeeper.advance(by: .seconds(1))
            _ = resource.isUpToDate
            let expected = [
                "stale: no data", "up to date, last valid 20.0 seconds ago", "stale, last valid 31.0 seconds ago",
                "stale: invalidated", "failed 1.0 seconds ago, not tried again yet",
            ]
            #expect(heard.all == expected.map { "staleness: http://origin.example/mark: \($0)" })
        }
    }

    @Test("that data of a cache is dated in the future is told (S-232, S-251)")
    func future() {
        let jobs = StubCacheJobs()
        let cache = StubCache(jobs)
        withLog([.staleness]) { heard in
            let service = Service(baseURL: "http://origin.example", networking: StubNetworking())
            service.configure { $0.pipeline[.cleanup].cacheUsing(cache) }
            let entity = Entity<any Sendable>(
                content: "x",
                headers: [:],
                timestamp: Timestamp.now + Duration.seconds(86_400)
            )
            cache.entities.change { $0["http://origin.example/mark"] = entity }
            let resource = service.resource("/mark")
            _ = resource.latestData
            jobs.queue.run()
            _ = resource.isUpToDate
            #expect(heard.all == ["staleness: http://origin.example/mark: stale: dated in the future"])
        }
    }

    @Test("each load is told as it begins, by its number (S-232)")
    func loads() {
        let world = ProgramWorld()
        withLog([.stateChanges]) { heard in
            for _ in 0..<2 { world.resource("/mark").load() }
            #expect(heard.all == [1, 2].map { "stateChanges: http://origin.example/mark load \($0) began" })
        }
    }

    @Test("what a cache had is told if there was newer data, a miss is not (S-189, S-232)", arguments: [true, false])
    func lateHit(isHit: Bool) {
        let (world, jobs) = (ProgramWorld(), StubCacheJobs())
        let cache = StubCache(jobs)
        world.service.configure { $0.pipeline[.cleanup].cacheUsing(cache) }
        if isHit { cache.put("kept", at: world.timekeeper.timestamp, "/mark") }
        withLog([.cache]) { heard in
            let resource = world.resource("/mark")
            _ = resource.latestData
            resource.load(using: Resource.hardWiredRequest(returning: .success(Entity(content: "new", headers: [:]))))
            world.runUntilIdle()
            jobs.queue.run()
            let found = "cache: StubCache: \(isHit ? "hit" : "miss") for http://origin.example/mark"
            let ignored = "cache: hit for http://origin.example/mark ignored: there is newer data"
            #expect(heard.all == (isHit ? [found, ignored] : [found]) && resource.text == "new")
        }
    }

    @Test("what is written, dated anew and removed in a cache is reported, with the cache and the URL (S-232)")
    func cacheCalls() {
        let (world, jobs) = (ProgramWorld(), StubCacheJobs())
        let cache = StubCache(jobs)
        world.service.configure { $0.pipeline[.cleanup].cacheUsing(cache) }
        withLog([.cache]) { heard in
            let resource = world.resource("/mark")
            func runUntilIdle() { while world.workers.run() || world.context.run() || jobs.queue.run() {} }
            for status in [200, 304] as [UInt16] {
                resource.load()
                world.networking.last.answer(status, [("ETag", "\"v1\"")], status == 200 ? "abc" : nil)
                runUntilIdle()
            }
            resource.overrideLocalContent("mine")
            runUntilIdle()
            let calls = ["wrote", "new timestamp for", "removed"]
            #expect(heard.all == calls.map { "cache: StubCache: \($0) http://origin.example/mark" })
        }
    }

    @Test("what a cache had is reported with the reason if a later stage rejects it (S-188, S-232)")
    func rejectedHit() {
        let (world, jobs) = (ProgramWorld(), StubCacheJobs())
        let cache = StubCache(jobs)
        world.service.configure {
            $0.pipeline[.rawData].cacheUsing(cache)
            $0.pipeline[.model].add(FullTransformer { _ in .failure(RequestError(userMessage: "bad")) })
        }
        cache.put("kept", at: world.timekeeper.timestamp, "/mark")
        withLog([.cache]) { heard in
            let resource = world.resource("/mark")
            _ = resource.latestData
            jobs.queue.run()
            let hit = "cache: StubCache: hit for http://origin.example/mark"
            #expect(heard.all == [hit, "\(hit) ignored: bad"] && resource.latestData == nil)
        }
    }

    /// A cache that fails in a way that tests recognise.
    private struct FailingCache: EntityCache {
        struct Fault: Error, CustomStringConvertible { var description: String { "mark" } }

        let workQueue: CacheQueue

        func key(for resource: Resource) -> String? { resource.url }
        func readEntity(forKey key: String) throws -> Entity<any Sendable>? { throw Fault() }
        func writeEntity(_ entity: Entity<any Sendable>, forKey key: String) throws { throw Fault() }
        func removeEntity(forKey key: String) throws { throw Fault() }
    }

    @Test("that a cache fails is told once a minute, with what it could not do")
    func failingCache() {
        let (world, jobs) = (ProgramWorld(), ManualContext())
        let cache = FailingCache(workQueue: CacheQueue { jobs.submit($0) })
        world.service.configure { $0.pipeline[.cleanup].cacheUsing(cache) }
        let resource = world.resource()
        withLog([.cache]) { heard in
            for seconds in [0, 59, 1] {
                world.timekeeper.advance(by: .seconds(seconds))
                resource.overrideLocalContent("mine")
                jobs.run()
            }
            #expect(heard.all == [String](repeating: "cache: FailingCache cannot remove: mark", count: 2))
        }
    }

    @Test("a stage that is not listed is told of, since it does not run (S-167)")
    func unlisted() {
        let load = TransformedLoad([]) {
            $0.order = [.model]
            $0[.parsing].add(FullTransformer.suffix("!"))
        }
        let context = PipelineContext(
            uri: World.uri("/mark"),
            method: .get,
            status: 200,
            limits: load.limits,
            environment: CoreEnvironment(timekeeper: load.timekeeper, hasher: PlainHasher())
        )
        withLog([.pipeline]) { heard in
            _ = load.pipeline.run(.success(Entity(content: "x", headers: [:])), context)
            let text = "stage parsing is not in the pipeline's order and does not run"
            #expect(heard.all == ["pipeline: http://origin.example/mark: \(text)"])
        }
    }

    @Test("a request tells its size as it is sent, and of a file that it is one; never a value (S-232)")
    func sizes() {
        let resource = ProgramWorld().resource("/mark")
        withLog([.networkDetails]) { heard in
            resource.request(.get)
            resource.request(.post, data: [1, 2, 3], contentType: "x/y")
            resource.request(.put, file: "/nowhere", contentType: "x/y") { $0[field: "X-A"] = "1" }
            let expected = [
                "GET http://origin.example/mark: 0 bytes of content, 0 fields",
                "POST http://origin.example/mark: 3 bytes of content, 1 fields",
                "PUT http://origin.example/mark: content of a file, 2 fields",
            ]
            #expect(heard.all == expected.map { "networkDetails: \($0)" })
        }
    }

    // MARK: Ends of requests

    /// A delegate with a name, whose results the test brings.
    private final class NamedDelegate: RequestDelegate {
        let handler = LockedBox<(any RequestCompletionHandler)?>(nil)
        let requestDescription = "mark"

        func startUnderlyingOperation(passingResponseTo completionHandler: any RequestCompletionHandler) {
            handler.change { $0 = completionHandler }
        }

        func repeated() -> any RequestDelegate { self }
    }

    @Test(
        "a request tells its end once; what comes then is a warning, or a detail if it was cancelled (S-130, S-133)",
        arguments: [true, false]
    )
    func ends(isCancelled: Bool) {
        let answer = ResponseInfo(response: .success(Entity(content: "", contentType: "a/b")))
        withLog([.network, .networkDetails]) { heard in
            let delegate = NamedDelegate()
            let request = Resource.prepareRequest(using: delegate).start()
            if isCancelled { request.cancel() } else { delegate.handler.value?.broadcastResponse(answer) }
            delegate.handler.value?.broadcastResponse(answer)
            request.receive(answer)
            request.receive(.cancellation())
            request.cancel()
            let detail = "networkDetails: mark was cancelled; ignored: success: a/b"
            let warning = "network: WARNING: mark has a result already; ignored: "
            let expected =
                isCancelled
                ? ["network: mark cancelled", detail, detail]
                : [
                    "network: mark completed: success: a/b", warning + "success: a/b", warning + "success: a/b",
                    warning + "\(ResponseInfo.cancellation().response)",
                ]
            let last = "network: mark is completed: not cancelled"
            #expect(heard.all == ["network: mark started"] + expected + [last])
        }
    }
}
