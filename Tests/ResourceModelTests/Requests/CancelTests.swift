import ResourceDoubles
import HTTPCore
import Testing
import Transforms
import TestDoubles

@testable import ResourceCore
@testable import ResourceModel

@Suite("Requests: cancelling and custom delegates")
struct CancelTests {
    @Test(
        "cancelling completes at once as a cancellation, and tells the provider; results come too late (T-056, S-129, S-163)"
    )
    func cancel() {
        let world = ProgramWorld()
        let request = world.resource().request(.get)
        let log = HookLog(request)
        request.cancel()
        #expect(request.state == .completed && request.progress == 1)
        #expect(request.result?.response.isCancellation == true && world.networking.last.isCancelled)
        world.networking.last.answer(200, [], "abc")
        world.runUntilIdle()
        #expect(log.notes.value == ["progress 1", "completion true", "failure cancelled"])
        #expect(request.result?.response.error?.cause is RequestError.Cause.RequestCancelled)
        #expect(world.workers.submitted == 0)
    }

    @Test("cancelling what has succeeded does nothing (T-057, S-130)")
    func cancelCompleted() {
        let world = ProgramWorld { _ in .answer(200, [], "abc") }
        let request = world.resource().request(.get)
        world.runUntilIdle()
        request.cancel()
        let log = HookLog(request)
        world.runUntilIdle()
        #expect(log.notes.value.contains("success abc") && !world.networking.last.isCancelled)
    }

    @Test("cancelling what has not started completes it; a later start does nothing (S-131)")
    func cancelUnstarted() {
        let world = ProgramWorld()
        let request = world.resource().makeRequest(.get) { _ in }
        request.cancel()
        #expect(request.state == .completed && request.result?.response.isCancellation == true)
        request.start()
        #expect(world.networking.exchanges.isEmpty)
    }

    @Test("a response that is in the background when the request is cancelled sees no transformer (S-154)")
    func cancelWhileTransforming() {
        let world = ProgramWorld { _ in .answer(200, [], "abc") }
        let runs = LockedBox(0)
        world.service.configure { configuration in
            configuration.pipeline[.parsing].add(CountingTransformer(runs))
        }
        let request = world.resource().request(.get)
        #expect(world.workers.waiting == 1)
        request.cancel()
        world.runUntilIdle()
        #expect(runs.value == 0 && request.result?.response.isCancellation == true)
    }

    @Test("the pipeline runs in the background: on the workers, or elsewhere if they are full (S-171, S-227)")
    func background() async {
        let world = ProgramWorld { _ in .answer(200, [], "abc") }
        let runs = LockedBox(0)
        world.service.configure { configuration in
            configuration.pipeline[.parsing].add(CountingTransformer(runs))
        }
        let request = world.resource().request(.get)
        #expect(request.state == .inProgress && runs.value == 0)
        world.runUntilIdle()
        #expect(request.state == .completed && runs.value == 1)
        // Full workers, and a delivery of its own
        world.workers.isFull = true
        let other = Service(
            name: "other",
            table: world.service.table,
            networking: StubNetworking { _ in .answer(200, [], "abc") }
        )
        other.configure { $0.pipeline[.parsing].add(CountingTransformer(runs)) }
        let outcome = await other.resource(for: World.uri("/other")).request(.get).outcome
        #expect(outcome.response.contentText == "abc")
        #expect(runs.value == 2)
    }

    @Test("a prepared request runs nothing before it is started (T-078, S-145)")
    func prepared() {
        let delegate = FixedDelegate("x")
        let request = Resource.prepareRequest(using: delegate)
        #expect(request.state == .notStarted && delegate.starts.value == 0)
    }

    @Test("a delegate's result is told as it is, and the request is completed (T-079, S-146)")
    func customResult() {
        let world = ProgramWorld()
        let request = Request(delegate: FixedDelegate("custom"), delivery: world.context)
        let log = HookLog(request.start())
        world.runUntilIdle()
        #expect(log.notes.value.contains("success custom") && request.state == .completed)
    }

    @Test("a handler ignores no first result, and every later one (T-080, S-145)")
    func willIgnore() {
        let delegate = FixedDelegate("x")
        Resource.prepareRequest(using: delegate).start().start()
        #expect(delegate.ignored.value == [false, true] && delegate.starts.value == 1)
        let held = FixedDelegate("x", isHeld: true)
        let request = Resource.prepareRequest(using: held).start()
        request.cancel()
        held.report()
        #expect(held.ignored.value == [true, true] && held.cancels.value == 1)
        request.cancel()
        #expect(held.cancels.value == 1 && request.result?.response.isCancellation == true)
    }

    @Test("a delegate that is cancelled while it starts is told so afterwards (S-145)")
    func cancelInsideStart() {
        let events = LockedBox<[String]>([])
        let delegate = CancellingDelegate(events)
        let request = Resource.prepareRequest(using: delegate)
        delegate.request.change { $0 = request }
        request.start()
        #expect(events.value == ["starts", "started", "cancelled"])
        delegate.request.change { $0 = nil }
    }

    @Test("hard-wired and failed requests are complete from the start and stay what they are (S-144)")
    func hardWired() {
        let error = RequestError(userMessage: "closed for repair")
        let failed = Resource.failedRequest(returning: error)
        #expect(failed.state == .completed && failed.progress == 1 && failed.repeated() === failed)
        failed.cancel()
        #expect(failed.start().result?.response.error?.userMessage == "closed for repair")
        let entity = Entity<any Sendable>(content: "fixed", contentType: "text/plain")
        let fixed = Resource.hardWiredRequest(returning: .success(entity))
        #expect(fixed.result?.response.contentText == "fixed" && fixed.result?.isNew == true)
    }

    @Test("a request and its delegate end with the last who holds them, although a provider never reports")
    func lifetime() {
        let world = ProgramWorld()
        weak var held: Request?
        weak var delegate: NetworkRequestDelegate?
        do {
            let request = world.resource().request(.get)
            held = request
            delegate = request.delegate as? NetworkRequestDelegate
        }
        #expect(held != nil && delegate != nil)
        held?.cancel()
        world.runUntilIdle()
        #expect(held == nil)
    }
}

/// Counts its runs.
struct CountingTransformer: ResponseTransformer {
    let runs: LockedBox<Int>

    init(_ runs: LockedBox<Int>) { self.runs = runs }

    func process(_ response: Response) -> Response {
        runs.change { $0 += 1 }
        return response
    }
}

/// Cancels its request while it is being started.
private final class CancellingDelegate: RequestDelegate {
    let request = LockedBox<Request?>(nil)
    private let events: LockedBox<[String]>

    init(_ events: LockedBox<[String]>) { self.events = events }

    func startUnderlyingOperation(passingResponseTo completionHandler: any RequestCompletionHandler) {
        events.change { $0.append("starts") }
        request.value?.cancel()
        events.change { $0.append("started") }
    }

    func cancelUnderlyingOperation() { events.change { $0.append("cancelled") } }
    func repeated() -> any RequestDelegate { self }
}
