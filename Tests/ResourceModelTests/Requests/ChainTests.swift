import HTTPCore
import Testing
import TestDoubles

@testable import ResourceCore
@testable import ResourceModel

@Suite("Requests: chains and repetitions")
struct ChainTests {
    private func entity(_ text: String) -> Response { .success(Entity(content: text, contentType: "text/plain")) }

    @Test("a chain may use the response of the request it wraps (T-070)")
    func useThisResponse() {
        let world = ProgramWorld { _ in .answer(200, [], "first") }
        let chain = world.resource().request(.get).chained { _ in .useThisResponse }
        world.runUntilIdle()
        #expect(chain.result?.response.contentText == "first")
    }

    @Test("a chain may use a response of its own (T-071)")
    func useResponse() {
        let world = ProgramWorld { _ in .answer(200, [], "first") }
        let inner = world.resource().request(.get)
        let custom = entity("custom")
        let chain = inner.chained { _ in .useResponse(ResponseInfo(response: custom)) }
        world.runUntilIdle()
        #expect(chain.result?.response.contentText == "custom")
        #expect(inner.result?.response.contentText == "first")
    }

    @Test("a chain may pass to another request, which is started (T-072, S-138)")
    func passTo() {
        let world = ProgramWorld { .answer(200, [], $0.method == .post ? "posted" : "got") }
        let resource = world.resource()
        let next = resource.makeRequest(.post) { _ in }
        let chain = resource.request(.get).chained { _ in .passTo(next) }
        world.runUntilIdle()
        #expect(chain.result?.response.contentText == "posted")
        #expect(world.networking.requests.map(\.method) == [.get, .post])
    }

    @Test("a chain is in progress until what it waits for completes (T-073, S-139)")
    func progress() {
        let world = ProgramWorld()
        let resource = world.resource()
        let chain = resource.request(.get).chained { _ in .passTo(resource.request(.post)) }
        #expect(chain.state == .inProgress && chain.progress == 0)
        world.networking.last.answer(200, [], "one")
        world.runUntilIdle()
        #expect(chain.state == .inProgress && world.networking.exchanges.count == 2)
        world.networking.last.answer(200, [], "two")
        world.runUntilIdle()
        #expect(chain.state == .completed && chain.result?.response.contentText == "two")
    }

    @Test("cancelling a chain cancels what it wraps, and the closure never runs (T-074, S-140)")
    func cancelChain() {
        let world = ProgramWorld()
        let runs = LockedBox(0)
        let inner = world.resource().request(.get)
        let chain = inner.chained { _ in
            runs.change { $0 += 1 }
            return .useThisResponse
        }
        let innerLog = HookLog(inner)
        let chainLog = HookLog(chain)
        chain.cancel()
        world.runUntilIdle()
        #expect(
            innerLog.notes.value.contains("failure cancelled") && chainLog.notes.value.contains("failure cancelled")
        )
        #expect(runs.value == 0 && world.networking.last.isCancelled)
    }

    @Test("the closure sees it as a result if only the inner request is cancelled (T-075, S-140)")
    func cancelInner() {
        let world = ProgramWorld()
        let sawCancellation = LockedBox(false)
        let custom = entity("custom")
        let inner = world.resource().request(.get)
        let chain = inner.chained { info in
            sawCancellation.change { $0 = info.response.isCancellation }
            return .useResponse(ResponseInfo(response: custom))
        }
        inner.cancel()
        world.runUntilIdle()
        #expect(sawCancellation.value && chain.result?.response.contentText == "custom")
    }

    @Test("cancelling a chain that has passed on cancels the request it waits for now (S-141, S-255)")
    func cancelPassed() {
        let world = ProgramWorld()
        let resource = world.resource()
        let chain = resource.request(.get).chained { _ in .passTo(resource.request(.post)) }
        world.networking.last.answer(200, [], "one")
        world.runUntilIdle()
        chain.cancel()
        #expect(world.networking.exchanges.map(\.isCancelled) == [false, true])
        world.networking.last.answer(200, [], "two")
        world.runUntilIdle()
        #expect(chain.result?.response.isCancellation == true)
    }

    @Test("a chain cancelled by its own closure starts nothing it passes to (S-140)")
    func cancelInClosure() {
        let world = ProgramWorld { _ in .answer() }
        let resource = world.resource()
        let own = LockedBox<Request?>(nil)
        let next = resource.makeRequest(.post) { _ in }
        let chain = resource.request(.get).chained { _ in
            own.value?.cancel()
            return .passTo(next)
        }
        own.change { $0 = chain }
        world.runUntilIdle()
        #expect(chain.result?.response.isCancellation == true && next.result?.response.isCancellation == true)
        #expect(world.networking.exchanges.count == 1)
        own.change { $0 = nil }
    }

    @Test("where the closure never runs the chain's own hook does; a chain tells of no progress but the end (S-143)")
    func cleanUp() {
        let world = ProgramWorld()
        let notes = LockedBox<[String]>([])
        let chain = world.resource().request(.get).chained { _ in
            notes.change { $0.append("closure") }
            return .useThisResponse
        }
        chain.onCompletion { _ in notes.change { $0.append("clean") } }
        world.networking.last.metrics.change {
            $0.responseBytesReceived = 500
            $0.responseBytesTotal = 1000
        }
        world.timekeeper.advance(by: .seconds(1))
        #expect(chain.progress == 0)
        chain.cancel()
        world.runUntilIdle()
        #expect(notes.value == ["clean"] && chain.progress == 1)
    }

    @Test("a chain on what is not started starts it when it is started itself (S-138)")
    func deferredChain() {
        let world = ProgramWorld { _ in .answer(200, [], "abc") }
        let inner = world.resource().makeRequest(.get) { _ in }
        let chain = inner.chained { _ in .useThisResponse }
        #expect(chain.state == .notStarted && inner.state == .notStarted)
        chain.start()
        world.runUntilIdle()
        #expect(inner.state == .completed && chain.result?.response.contentText == "abc")
        let unstarted = world.resource().makeRequest(.get) { _ in }
        unstarted.chained { _ in .useThisResponse }.cancel()
        #expect(unstarted.result?.response.isCancellation == true)
    }

    @Test("a chain on what is completed runs its closure too (S-137)")
    func completedInner() {
        let world = ProgramWorld { _ in .answer(200, [], "abc") }
        let inner = world.resource().request(.get)
        world.runUntilIdle()
        let chain = inner.chained { _ in .useThisResponse }
        #expect(chain.state == .inProgress)
        world.runUntilIdle()
        #expect(chain.result?.response.contentText == "abc")
    }

    @Test("repeating a chain repeats the inner request and decorates its new answer (T-076, S-142)")
    func repeatChain() {
        let world = ProgramWorld { _ in .answer(200, [], "one") }
        let chain = world.resource().request(.get).chained { info in
            guard case .success(var entity) = info.response else { return .useThisResponse }
            entity.content = HookLog.text(entity) + "!"
            var copy = info
            copy.response = .success(entity)
            return .useResponse(copy)
        }
        world.runUntilIdle()
        world.networking.answer { _ in .answer(200, [], "two") }
        let again = chain.repeated()
        #expect(again.state == .notStarted)
        again.start()
        world.runUntilIdle()
        #expect(chain.result?.response.contentText == "one!" && again.result?.response.contentText == "two!")
        // What hands on an altered copy keeps what the resource must know of it.
        #expect(again.result?.origin == chain.result?.origin && again.result?.origin?.method == .get)
        #expect(again.result?.head?.status == 200)
    }

    @Test("repeating an inner chain runs no outer one again (T-077, S-142)")
    func nestedChains() {
        let world = ProgramWorld { _ in .answer(200, [], "abc") }
        let counts = LockedBox([0, 0])
        let inner = world.resource().request(.get).chained { _ in
            counts.change { $0[0] += 1 }
            return .useThisResponse
        }
        _ = inner.chained { _ in
            counts.change { $0[1] += 1 }
            return .useThisResponse
        }
        world.runUntilIdle()
        inner.repeated().start()
        world.runUntilIdle()
        #expect(counts.value == [2, 1])
    }

    @Test("a repetition is a new request, not started, and leaves the old one its result (T-058, T-059, T-060, S-135)")
    func repeated() {
        let world = ProgramWorld { _ in .answer(200, [], "A") }
        let request = world.resource().request(.get)
        let log = HookLog(request)
        world.runUntilIdle()
        world.networking.answer { _ in .answer(200, [], "B") }
        let again = request.repeated()
        world.runUntilIdle()
        #expect(again.state == .notStarted && world.networking.exchanges.count == 1)
        again.start()
        world.runUntilIdle()
        #expect(world.networking.exchanges.count == 2 && again.result?.isNew == true)
        #expect(request.result?.response.contentText == "A" && again.result?.response.contentText == "B")
        #expect(log.notes.value.count == 4)
    }

    @Test("a repetition reads configured fields again, and runs all mutations again (T-061, S-135, S-046)")
    func repeatedConfiguration() {
        let world = ProgramWorld { _ in .answer() }
        let token = LockedBox("one")
        let runs = LockedBox([0, 0])
        world.service.configure { configuration in
            configuration.headers["Authorization"] = token.value
            configuration.mutateRequests { _ in runs.change { $0[0] += 1 } }
        }
        let request = world.resource().request(.get) { _ in runs.change { $0[1] += 1 } }
        token.change { $0 = "two" }
        world.service.invalidateConfiguration()
        request.repeated().start()
        #expect(world.networking.requests.map { $0[field: "authorization"] } == ["one", "two"])
        #expect(runs.value == [2, 2])
    }

    @Test("a repetition is not decorated again (T-062, S-135)")
    func repeatedDecoration() {
        let world = ProgramWorld { _ in .answer() }
        let runs = LockedBox(0)
        world.service.configure { configuration in
            configuration.decorateRequests { _, request in
                runs.change { $0 += 1 }
                return request
            }
        }
        world.resource().request(.get).repeated().start()
        world.runUntilIdle()
        #expect(runs.value == 1 && world.networking.exchanges.count == 2)
    }
}
