import ResourceDoubles
import TestDoubles
import Testing

@testable import ResourceCore
@testable import ResourceModel

/// Who waits for the loads of a program, and hears of them: the program's half of a resource as a value.
@Suite("Callers and observers of a program's loads")
struct ModelCallersTests {
    private func request(isAwaited: Bool = false) -> Request {
        let request = Resource.prepareRequest(using: FixedDelegate("x", isHeld: true))
        return isAwaited ? request.onCompletion { _ in } : request
    }

    /// A state with the load 1, and what the caller has in its place.
    private func state(_ source: Request, for caller: Request? = nil) -> ModelState {
        var state = ModelState()
        _ = state.begin(1, source, for: caller, isCancelled: false)
        return state
    }

    /// The request that has to be cancelled after another one left.
    private func source(_ result: ModelState.LeaveResult) -> Request? {
        if case .cancel(let request) = result { request } else { nil }
    }

    private func requests(_ change: ProgramChange?) -> [Request] {
        change?.cancelled.compactMap { $0 as? Request } ?? []
    }

    // MARK: Lists

    @Test("load requests come in the order loads began, those over exchanges among them, a look-up's first (S-074)")
    func order() {
        let all = (0..<5).map { _ in request() }
        var state = state(all[1])
        _ = state.begin(4, all[3], for: nil, isCancelled: false)
        #expect(state.newestLoad?.number == 4)
        let exchanges: [(number: UInt64, requests: [Request])] = [(6, [all[4]]), (2, [all[2]])]
        #expect(isSame(state.loadRequests(exchanges), [all[1], all[2], all[3], all[4]]))
        state.lookUpRequest = all[0]
        #expect(isSame(state.loadRequests(exchanges), all))
        #expect(isSame(state.loadRequests([]), [all[0], all[1], all[3]]))
    }

    @Test("a request is listed once, until it is completed (S-073)")
    func tracking() {
        let (one, other) = (request(), request())
        var state = ModelState()
        for request in [one, other, one] { state.track(request) }
        #expect(isSame(state.tracked, [one, other]))
        state.untrack(one)
        #expect(isSame(state.tracked, [other]))
        _ = state.begin(1, one, for: nil, isCancelled: false)
        state.callersDidEnd([other])
        #expect(isSame(state.tracked, [one]))
        // As long as it counts as a load.
        state.untrack(one)
        #expect(isSame(state.tracked, [one]))
    }

    // MARK: Callers

    @Test("what a caller has in the place of a load is shown and completed, the load's own request is neither")
    func substitute() {
        let (source, caller, other) = (request(), request(), request())
        var state = state(source, for: caller)
        #expect(isSame(state.tracked, [caller]) && isSame(state.loads[0].visible, [caller]))
        #expect(state.load(completing: caller)?.number == 1 && state.load(completing: source) == nil)
        #expect(state.isLoading(by: source) && state.isLoading(by: caller) && !state.isLoading(by: other))
        state.join(other, 2)
        #expect(state.load(completing: other) == nil)
        state.join(other, 1)
        #expect(isSame(state.loads[0].completed, [caller, other]) && state.isLoading(by: other))
        // Whoever leaves, the load ends for both.
        let ended = [source, other, other].map { self.source(state.leave($0)) }
        #expect(ended[0] == nil && ended[1] === source && ended[2] == nil)
        #expect(isSame(state.loads[0].visible, [caller]))
    }

    @Test("who joins a load that a caller has is completed beside it, and leaves without ending it")
    func joining() {
        let (source, one, other) = (request(), request(), request())
        var state = state(source)
        #expect(state.loads[0].completed.isEmpty && isSame(state.loads[0].visible, [source]))
        state.join(one, 1)
        state.join(other, 1)
        #expect(isSame(state.loads[0].visible, [source, one, other]))
        #expect(isSame(state.loads[0].completed, [one, other]))
        let ended = [one, source].compactMap { self.source(state.leave($0)) }
        #expect(ended.isEmpty && isSame(state.loads[0].completed, [other]))
        #expect(isSame(state.loads[0].visible, [source, other]))
    }

    @Test("a load is awaited beside its request if a hook waits for another one; who joined ends nothing by leaving")
    func awaited() {
        for isAwaited in [true, false] {
            let (source, joined) = (request(isAwaited: true), request(isAwaited: isAwaited))
            var state = state(source)
            state.join(joined, 1)
            #expect(state.isAwaited(beside: source) == isAwaited)
            #expect(!state.isAwaited(beside: joined) && !state.isAwaited(beside: request()))
        }
        let (caller, other) = (request(), request(isAwaited: true))
        var state = state(request(), for: caller)
        state.join(other, 1)
        #expect(state.isAwaited(beside: caller) && !state.isAwaited(beside: other))
    }

    // MARK: The end

    @Test("a wipe cancels all requests, and detaches all loads; the end of the resource cancels its loads (S-203)")
    func ending() {
        let (source, caller, plain, waiting) = (request(), request(), request(), request())
        var state = state(source, for: caller)
        state.track(plain)
        state.lookUpRequest = waiting
        let ended = requests(state.end())
        #expect(isSame(ended, [caller, source, waiting]))
        let wiped = requests(state.cancelRequests())
        #expect(isSame(wiped, [caller, plain, source]))
        #expect(state.lookUpRequest == nil && state.loads.map(\.isDetached) == [true])
    }

    // MARK: Progress

    /// Whether observers are told something.
    private func tells(_ change: ProgramChange?) -> Bool { change?.notices.isEmpty == false }

    @Test("observers are told of progress that grows, below the end, and once of the end (S-219)")
    func progress() {
        let owner = Owner()
        var state = state(request())
        let toNobody = [tells(state.noteProgress(0.1, of: 1)), tells(state.loadWillEnd(1))]
        #expect(toNobody == [false, false])
        _ = state.change { $0.add(value: ValueRecorder(), owner: owner) }
        let isBegun = [state.watchProgress(of: 1), state.watchProgress(of: 1)]
        #expect(isBegun == [true, false])
        let values = [0, 0.5, 0.5, 0.4, 0.6, 1, 2]
        let told = values.map { tells(state.noteProgress($0, of: 1)) }
        #expect(told == [false, true, false, false, true, false, false])
        let ofNone = tells(state.noteProgress(0.5, of: 2))
        #expect(!ofNone)
        // Watched again, observers know what they were told before.
        state.unwatchProgress(of: 1)
        let isWatchedAgain = state.watchProgress(of: 1)
        let toldAgain = [0.6, 0.7].map { tells(state.noteProgress($0, of: 1)) }
        #expect(isWatchedAgain && toldAgain == [false, true])
        let ends = [tells(state.loadWasDetached(1)), tells(state.loadWasDetached(1)), tells(state.loadWillEnd(1))]
        #expect(ends == [true, false, true])
        withExtendedLifetime(owner) {}
    }

    @Test("observers are not told of the progress of a load that is detached, but of that of others (S-203)")
    func detachedProgress() {
        let owner = Owner()
        var state = state(request())
        _ = state.cancelRequests()
        _ = state.begin(2, request(), for: nil, isCancelled: false)
        _ = state.change { $0.add(value: ValueRecorder(), owner: owner) }
        let isBegun = [1, 2].map { state.watchProgress(of: $0) }
        #expect(isBegun == [true, true])
        let told = [1, 2].map { tells(state.noteProgress(0.5, of: $0)) }
        #expect(told == [false, true])
        withExtendedLifetime(owner) {}
    }
}
