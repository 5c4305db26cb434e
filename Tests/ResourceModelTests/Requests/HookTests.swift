import ResourceDoubles
import HTTPCore
import Testing
import TestDoubles

@testable import ResourceCore
@testable import ResourceModel

@Suite("Requests: hooks")
struct HookTests {
    @Test(
        "a success tells completion, success and new data; a failure completion and failure; each once (S-120, T-244)"
    )
    func applicableHooks() {
        let world = ProgramWorld { $0.url.text.hasSuffix("/a") ? .answer(200, [], "abc") : .answer(500) }
        let success = HookLog(world.resource("/a").request(.get))
        let failure = HookLog(world.resource("/b").request(.get))
        world.runUntilIdle()
        #expect(success.notes.value == ["progress 1", "completion true", "success abc", "newData abc"])
        #expect(failure.notes.value == ["progress 1", "completion true", "failure"])
    }

    @Test(
        "all hooks of a load are attached in one expression; cancelling afterwards changes nothing (T-244, S-126, S-130)"
    )
    func oneExpression() {
        let world = ProgramWorld { _ in .answer(200, [], "abc") }
        let notes = LockedBox<[String]>([])
        let note: @Sendable (String) -> Void = { name in notes.change { $0.append(name) } }
        let load = world.resource().load()
        let same = load.onCompletion { _ in note("completion") }.onSuccess { _ in note("success") }
            .onNewData { _ in note("newData") }.onNotModified { note("notModified") }.onFailure { _ in note("failure") }
        #expect(same === load)
        world.runUntilIdle()
        load.cancel()
        world.runUntilIdle()
        #expect(notes.value == ["completion", "success", "newData"] && load.result?.response.contentText == "abc")
        #expect(world.resource().latestData != nil && world.resource().latestError == nil)
    }

    @Test("hooks wait until the resource that follows has taken in the result, also where calls are being made (S-124)")
    func hooksAfterFollower() {
        let context = ManualContext()
        let notes = LockedBox<[String]>([])
        let delegate = FixedDelegate("abc", isHeld: true)
        let request = Request(delegate: delegate, delivery: context)
        request.follow(on: context) { _ in
        } then: { [weak request] _ in
            // Somebody else's hook has the context drain the queue while the follower is still being told.
            request?.onCompletion { _ in notes.change { $0.append("late hook") } }
            context.run()
            notes.change { $0.append("follower") }
        }
        request.onCompletion { _ in notes.change { $0.append("hook") } }
        request.start()
        delegate.report()
        context.run()
        #expect(notes.value == ["follower", "hook", "late hook"])
    }

    @Test("what confirms known data tells success, with the data, and not-modified instead of new data (S-120, S-128)")
    func notModified() {
        let entity = Entity<any Sendable>(content: "old", contentType: "text/plain")
        let request = Resource.hardWiredRequest(returning: .success(entity), isNew: false)
        let world = ProgramWorld()
        request.follow(on: world.context) { _ in
        } then: { _ in
        }
        let log = HookLog(request)
        world.runUntilIdle()
        #expect(log.notes.value == ["completion false", "success old", "notModified", "progress 1"])
    }

    @Test(
        "hooks attached before, inside a hook, and after completion run in order, never inside a call (T-262, S-122, S-123)"
    )
    func order() {
        let world = ProgramWorld { _ in .answer(200, [], "abc") }
        let notes = LockedBox<[String]>([])
        let isAttaching = LockedBox(false)
        let note: @Sendable (String) -> Void = { name in
            notes.change { $0.append(isAttaching.value ? "\(name) inside" : name) }
        }
        let attach: @Sendable (Request, @escaping @Sendable () -> Void) -> Void = { request, hook in
            isAttaching.change { $0 = true }
            request.onCompletion { _ in hook() }
            isAttaching.change { $0 = false }
        }
        let request = world.resource().makeRequest(.get) { _ in }
        attach(request) {
            note("A")
            attach(request) { note("C") }
        }
        attach(request) { note("B") }
        request.start()
        #expect(notes.value.isEmpty)
        world.runUntilIdle()
        #expect(request.state == .completed && notes.value == ["A", "B", "C"])
        attach(request) { note("D") }
        #expect(notes.value.count == 3)
        world.runUntilIdle()
        #expect(notes.value == ["A", "B", "C", "D"])
    }

    @Test("a result that comes inside the start is told later; the request is completed at once (S-123)")
    func synchronousResult() {
        let world = ProgramWorld()
        let request = Request(delegate: FixedDelegate("now"), delivery: world.context)
        let log = HookLog(request)
        request.start()
        #expect(request.state == .completed && log.notes.value.isEmpty)
        world.runUntilIdle()
        #expect(log.notes.value.contains("success now"))
    }

    @Test("of several results the first counts, and hooks run once; the log has a warning (T-263, S-121, S-133)")
    func twoResults() {
        let world = ProgramWorld()
        let log = HookLog(world.resource().request(.get))
        world.networking.last.answer(200, [], "first")
        world.networking.last.answer(200, [], "second")
        world.runUntilIdle()
        world.networking.last.answer(500)
        world.runUntilIdle()
        #expect(log.notes.value == ["progress 1", "completion true", "success first", "newData first"])
    }

    @Test("each hook runs on the delivery context (S-123, S-226)")
    func context() {
        let world = ProgramWorld { _ in .answer() }
        let wasCurrent = LockedBox(false)
        world.resource().request(.get).onCompletion { [context = world.context] _ in
            wasCurrent.change { $0 = context.isCurrent }
        }
        world.runUntilIdle()
        #expect(wasCurrent.value)
    }

    @Test("hooks of whoever follows come in the order of attaching, on the context it names if none was named (S-124)")
    func following() {
        let world = ProgramWorld()
        let notes = LockedBox<[String]>([])
        let request = Resource.failedRequest(returning: RequestError(userMessage: "no"))
        request.follow(on: world.context) { _ in
        } then: { _ in
            notes.change { $0.append("resource") }
        }
        request.onCompletion { _ in notes.change { $0.append("caller") } }
        #expect(world.context.submissions == 1 && notes.value.isEmpty)
        world.runUntilIdle()
        #expect(notes.value == ["resource", "caller"])
    }

    @Test("a request goes from not started to in progress to completed (S-119)")
    func states() {
        let world = ProgramWorld()
        let request = world.resource().makeRequest(.get) { _ in }
        #expect(request.state == .notStarted && request.result == nil && !request.isCompleted)
        request.start()
        #expect(request.state == .inProgress && request.result == nil)
        world.networking.last.answer(200, [], "abc")
        world.runUntilIdle()
        #expect(request.state == .completed && request.result?.response.contentText == "abc")
        #expect(RequestState.notStarted < .inProgress && .inProgress < .completed)
    }

    @Test("starting again does nothing (S-132)")
    func startTwice() {
        let world = ProgramWorld()
        let request = world.resource().request(.get)
        request.start()
        #expect(world.networking.exchanges.count == 1)
        world.networking.last.answer()
        world.runUntilIdle()
        request.start()
        #expect(world.networking.exchanges.count == 1)
    }

    @Test("a task that waits gets the outcome, and the content or the error; its end is not the request's")
    func waiting() async throws {
        let service = Service(
            name: "test",
            table: ResourceTable(environment: CoreEnvironment(timekeeper: ManualTimekeeper(), hasher: PlainHasher())),
            networking: StubNetworking { $0.method == .get ? .answer(200, [], "abc") : .answer(404) }
        )
        let resource = service.resource(for: World.uri("/a"))
        #expect(HookLog.text(try await resource.request(.get).entity) == "abc")
        let error = await #expect(throws: RequestError.self) { try await resource.request(.post).entity }
        #expect(error?.httpStatusCode == 404)
        let outcome = await resource.request(.get).outcome
        #expect(outcome.isNew)
        let held = StubNetworking()
        let delegate = FixedDelegate("late", isHeld: true)
        let request = Resource.prepareRequest(using: delegate).start()
        let task = Task { await request.outcome }
        task.cancel()
        #expect(request.state == .inProgress && held.exchanges.isEmpty)
        delegate.report()
        #expect(await task.value.response.contentText == "late")
    }
}

/// A delegate with a fixed result: at once, or when told.
final class FixedDelegate: RequestDelegate {
    let content: String
    let isHeld: Bool
    let handler = LockedBox<(any RequestCompletionHandler)?>(nil)
    let starts = LockedBox(0)
    let cancels = LockedBox(0)
    let ignored = LockedBox<[Bool]>([])

    init(_ content: String, isHeld: Bool = false) {
        self.content = content
        self.isHeld = isHeld
    }

    var info: ResponseInfo { ResponseInfo(response: .success(Entity(content: content, contentType: "text/plain"))) }

    func startUnderlyingOperation(passingResponseTo completionHandler: any RequestCompletionHandler) {
        starts.change { $0 += 1 }
        handler.change { $0 = completionHandler }
        if !isHeld { report() }
    }

    func report() {
        guard let handler = handler.value else { return }
        ignored.change { $0.append(handler.willIgnore(info)) }
        handler.broadcastResponse(info)
        ignored.change { $0.append(handler.willIgnore(info)) }
    }

    func cancelUnderlyingOperation() { cancels.change { $0 += 1 } }
    func repeated() -> any RequestDelegate { FixedDelegate(content + "again", isHeld: isHeld) }
}
