import ResourceDoubles
@testable import Exchanges
@testable import ResourceCore
@testable import ResourceModel
import HTTPCore
import Outcomes
import TestDoubles
import Testing
import Transforms

@Suite("Requests of loads over exchanges, and of loads that wait for a look-up")
struct ExchangeLoadTests {
    /// The content a request brought, once it has.
    private func text(_ request: Request) -> String? { request.result?.response.contentText }

    // MARK: Repeating (S-135)

    @Test("a repeated load over an exchange is a plain GET: it completes and changes nothing of the resource (S-135)")
    func repeated() {
        let world = World()
        let resource = world.resource()
        let recorder = EventRecorder()
        resource.addObserver(recorder)
        let load = resource.load()
        world.runUntilIdle()
        world.last.answer(200, [("ETag", "\"1\""), ("Cache-Control", "max-age=60")], "abc")
        world.runUntilIdle()
        let again = load.repeated()
        #expect(again.state == .notStarted && world.provider.count == 1)
        again.start()
        world.runUntilIdle()
        #expect(world.provider.count == 2 && again.state == .inProgress && resource.loadRequests.isEmpty)
        #expect(world.last.request.method == .get && world.last.request.uri == World.uri("/a"))
        #expect(world.last.value(of: .ifNoneMatch) == "\"1\"")
        world.last.answer(200, [("ETag", "\"2\"")], "def")
        world.runUntilIdle()
        #expect(text(again) == "def" && again.result?.isNew == true && text(load) == "abc")
        #expect(resource.latestData?.plainText == "abc" && resource.latestData?.etag == "\"1\"")
        #expect(recorder.events == ["observerAdded", "requested L", "newData(network) D"])
    }

    @Test("a repeated load whose data is confirmed has that data (S-135, S-128)")
    func repeatedNotModified() {
        let world = World()
        let load = world.resource().load()
        world.runUntilIdle()
        world.last.answer(200, [("ETag", "\"1\""), ("Cache-Control", "max-age=60")], "abc")
        world.runUntilIdle()
        let again = load.repeated().start()
        world.runUntilIdle()
        world.last.answer(304, [("ETag", "\"1\"")])
        world.runUntilIdle()
        #expect(text(again) == "abc" && again.result?.isNew == false)
    }

    @Test("a repetition of a repetition runs too; a failed one leaves the resource without error (S-135)")
    func repeatedAgain() {
        let world = World()
        let resource = world.resource()
        let load = resource.load()
        load.cancel()
        let again = load.repeated().repeated().start()
        world.runUntilIdle()
        world.last.fail()
        world.runUntilIdle()
        #expect(again.result?.response.error != nil && resource.latestError == nil)
        #expect((again.result?.response.error?.cause as? RequestError.Cause.Network)?.kind == .connectionRefused)
    }

    @Test("a repetition goes by the resource's policies, like its load (S-135)")
    func policies() {
        let world = World()
        world.service.configure { $0.policies = ExchangePolicies(retry: RetryPolicy()) }
        world.resource().load().repeated().start()
        world.runUntilIdle()
        #expect(world.provider.exchanges.map { $0.request.policies.retry != nil } == [true, true])
    }

    @Test("a chain on a load over an exchange may pass to its repetition (S-137, S-142)")
    func chain() async {
        let world = World()
        let load = world.resource().load()
        let chain = load.chained { info in
            info.response.error?.httpStatusCode == 503 ? .passTo(load.repeated()) : .useThisResponse
        }
        world.runUntilIdle()
        world.last.answer(503)
        world.runUntilIdle()
        await SerialDelivery.shared.flush()
        world.runUntilIdle()
        #expect(world.provider.count == 2)
        world.last.answer(200, [], "abc")
        world.runUntilIdle()
        await SerialDelivery.shared.flush()
        #expect(text(chain) == "abc")
    }

    @Test("a load of a resource that is gone can be repeated (S-135)")
    func gone() {
        let world = World()
        let load = world.resource().load()
        world.runUntilIdle()
        world.last.answer(200, [("Cache-Control", "no-store")], "abc")
        world.runUntilIdle()
        let again = load.repeated().start()
        world.runUntilIdle()
        world.last.answer(200, [], "def")
        world.runUntilIdle()
        #expect(text(again) == "def")
    }

    @Test("a load whose service is gone is cancelled when it is repeated (S-135)")
    func serviceGone() {
        let load = World().resource().load()
        #expect(load.delegate.progressReportingInterval == .milliseconds(50))
        var again = load
        for _ in 0..<2 {
            again = again.repeated().start()
            let cause = again.result?.response.error?.cause as? RequestError.Cause.RequestCancelled
            #expect(cause?.networkError is RequestError.Cause.ServiceDropped)
            #expect(again.delegate.requestDescription == "load of http://origin.example/a")
        }
    }

    @Test(
        "the request of loadIfNeeded that waits for a look-up can be repeated: a plain GET (S-135)",
        arguments: [1, 2]
    )
    func waiting(turn: Int) {
        let world = ProgramWorld()
        let jobs = StubCacheJobs()
        world.service.configure { $0.pipeline[.rawData].cacheUsing(StubCache(jobs)) }
        let resource = world.resource()
        guard let waiting = resource.loadIfNeeded() else { return #expect(Bool(false)) }
        let early = turn == 1 ? waiting.repeated().start() : nil
        while jobs.queue.run() {}
        world.runUntilIdle()
        #expect(world.networking.exchanges.count == 3 - turn)
        world.networking.last.answer(200, [], "abc")
        while jobs.queue.run() {}
        world.runUntilIdle()
        #expect(text(waiting) == "abc" && resource.latestData?.plainText == "abc")
        let again = early ?? waiting.repeated().start()
        world.networking.exchanges[turn == 1 ? 0 : 1].answer(200, [], "def")
        while jobs.queue.run() {}
        world.runUntilIdle()
        #expect(text(again) == "def" && resource.latestData?.plainText == "abc")
        #expect(world.networking.exchanges.count == 2)
    }

    // MARK: Ends

    @Test("a request ends as its load does; content that was too large to be kept is a failure (S-093)")
    func outcomes() {
        let world = World()
        func response(_ outcome: LoadOutcome) -> Response? {
            let request = Request(world.resource())
            request.complete(.load(outcome))
            return request.result?.response
        }
        let error = response(.newData(nil))?.error
        #expect(error?.cause as? RequestError.Cause.ContentTooLarge == RequestError.Cause.ContentTooLarge())
        #expect(error?.userMessage == "The content is too large")
        #expect(response(.cancelled)?.isCancellation == true)
        let busy = ResourceError(status: 503, kind: nil, userMessage: "busy", time: world.timekeeper.now)
        #expect(response(.failure(busy))?.error?.httpStatusCode == 503)
        #expect(response(.failure(busy))?.error?.userMessage == "busy")
    }

    // MARK: Progress (S-219 to S-223)

    @Test(
        "a load over an exchange: the wait counts, then what was received of the length; never less (S-220, S-222, S-223)"
    )
    func progress() {
        let world = World()
        let load = world.resource().load()
        world.runUntilIdle()
        #expect(load.progress == 0)
        world.timekeeper.advance(by: .seconds(1))
        let waiting = load.progress
        world.last.head(200, length: 1000)
        let head = load.progress
        world.last.content(String(repeating: "x", count: 250))
        let quarter = load.progress
        world.last.content(String(repeating: "x", count: 500))
        let more = load.progress
        world.last.content(String(repeating: "x", count: 249))
        let nearly = load.progress
        #expect(waiting > 0 && waiting < 0.3 && head >= waiting && head - waiting < 0.01)
        #expect(quarter > head && abs((more - quarter) - 2 * (quarter - waiting)) < 1e-9)
        #expect(nearly > more && nearly < 1)
        world.last.content("x")
        world.last.end()
        world.runUntilIdle()
        #expect(load.progress == 1)
    }

    @Test("what joins a load shows how far that is (S-220)")
    func joining() {
        let world = World()
        let resource = world.resource()
        world.get(isReading: true)
        world.last.head(200, length: 100)
        world.last.content(String(repeating: "x", count: 50))
        world.runUntilIdle()
        guard let load = resource.loadIfNeeded() else { return #expect(Bool(false)) }
        #expect(world.provider.count == 1 && load.progress > 0.4 && load.progress < 1)
        #expect(resource.loadProgress == load.progress)
    }

    @Test("hooks hear growing values at the configured interval, and a last 1 before the result (S-221)")
    func hooks() async {
        let world = World()
        world.service.configure { $0.progressReportingInterval = .milliseconds(100) }
        let load = world.resource().load()
        let log = HookLog(load)
        world.runUntilIdle()
        world.last.head(200, length: 1000)
        for _ in 0..<3 {
            world.last.content(String(repeating: "x", count: 100))
            world.timekeeper.advance(by: .milliseconds(100))
        }
        world.last.content(String(repeating: "x", count: 700))
        world.last.end()
        world.runUntilIdle()
        await SerialDelivery.shared.flush()
        let values = log.progress.value
        #expect(values.count == 4 && values == values.sorted() && values[0] > 0 && values.last == 1)
        #expect(log.notes.value.first == "progress 1")
    }

    @Test("observers hear of a load over an exchange as of any other, with a last 1 before its event (S-219)")
    func observers() {
        let world = World()
        let resource = world.resource()
        let recorder = EventRecorder()
        resource.addObserver(recorder)
        resource.load()
        world.runUntilIdle()
        world.last.head(200, length: 1000)
        for _ in 0..<3 {
            world.last.content(String(repeating: "x", count: 100))
            world.timekeeper.advance(by: .milliseconds(50))
        }
        world.timekeeper.advance(by: .milliseconds(50))
        let values = recorder.progress.value
        #expect(values.count == 3 && values == values.sorted() && values[0] > 0 && values[2] < 1)
        world.last.content(String(repeating: "x", count: 700))
        world.last.end()
        world.runUntilIdle()
        #expect(recorder.progress.value == values + [1])
        #expect(recorder.notes.value.suffix(2) == ["progress 1", "newData(network) D"])
        world.timekeeper.advance(by: .seconds(1))
        #expect(recorder.progress.value.count == 4)
    }

    @Test("whatever ends a load over an exchange, observers hear of a last 1 before it (S-219)", arguments: 0..<4)
    func lastProgress(end: Int) {
        let world = World()
        let resource = world.resource()
        if end == 0 { world.fill("/a", [("ETag", "\"1\""), ("Cache-Control", "max-age=60")]) }
        let recorder = EventRecorder()
        resource.addObserver(recorder)
        resource.load()
        world.runUntilIdle()
        switch end {
        case 0: world.last.answer(304)
        case 1: world.last.answer(500)
        case 2: world.last.fail()
        default: resource.purge()
        }
        world.runUntilIdle()
        let expected = ["notModified D", "error E", "error E", "newData(wipe) L"][end]
        #expect(recorder.notes.value.suffix(2).first == "progress 1" && recorder.progress.value == [1])
        #expect(recorder.notes.value.last?.prefix(7) == expected.prefix(7))
    }

    @Test("who begins to observe amid a load hears how far it is; when nobody does any more, nobody asks (S-219)")
    func lateObserver() {
        let world = World()
        let resource = world.resource()
        resource.load()
        world.runUntilIdle()
        world.last.head(200, length: 100)
        world.last.content(String(repeating: "x", count: 50))
        let (first, second) = (EventRecorder(), EventRecorder())
        resource.addObserver(first)
        world.timekeeper.advance(by: .milliseconds(50))
        resource.removeObservers(ownedBy: first)
        world.timekeeper.advance(by: .milliseconds(50))
        resource.addObserver(second)
        world.last.content(String(repeating: "x", count: 25))
        world.timekeeper.advance(by: .milliseconds(50))
        #expect(first.progress.value.count == 1 && second.progress.value.count == 1)
        #expect(first.progress.value[0] < second.progress.value[0] && second.progress.value[0] < 1)
    }

    @Test("the request that waited for a look-up shows the progress of the load it became (S-091, S-220)")
    func waitingProgress() {
        let world = ProgramWorld()
        let jobs = StubCacheJobs()
        world.service.configure { $0.pipeline[.rawData].cacheUsing(StubCache(jobs)) }
        guard let waiting = world.resource().loadIfNeeded() else { return #expect(Bool(false)) }
        let log = HookLog(waiting)
        world.timekeeper.advance(by: .milliseconds(50))
        world.runUntilIdle()
        #expect(waiting.progress == 0 && log.progress.value.isEmpty)
        while jobs.queue.run() {}
        world.runUntilIdle()
        world.networking.last.metrics.change { $0.responseBytesTotal = 100 }
        for bytes in [25, 50, 75] as [Int64] {
            world.networking.last.metrics.change { $0.responseBytesReceived = bytes }
            world.timekeeper.advance(by: .milliseconds(50))
            world.runUntilIdle()
        }
        #expect(log.progress.value.count == 3 && log.progress.value == log.progress.value.sorted())
        #expect(abs(log.progress.value[2] - 0.75) < 0.01 && waiting.progress == log.progress.value[2])
        world.networking.last.answer(200, [], "abc")
        world.runUntilIdle()
        #expect(waiting.progress == 1 && log.progress.value.last == 1)
    }

    @Test("a request that has ended keeps neither its exchange nor its provider")
    func letsGo() {
        let load: Request
        weak var provider: ScriptedProvider?
        do {
            let world = World()
            load = world.resource().load()
            world.runUntilIdle()
            world.last.answer(200, [], "abc")
            world.runUntilIdle()
            provider = world.provider
            world.service.defaultProvider = nil
        }
        #expect(load.isCompleted && provider == nil)
    }
}
