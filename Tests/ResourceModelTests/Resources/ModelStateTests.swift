import Exchanges
import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing

@testable import ResourceCore
@testable import ResourceModel

/// The program's half of a resource as a value, event by event.
@Suite("The program's half of a resource")
struct ModelStateTests {
    private let context = ProgramWorld().resource().perform { $0.context }

    private func request() -> Request { Resource.prepareRequest(using: FixedDelegate("x", isHeld: true)) }

    /// A state with these loads, which began in this order.
    private func state(_ loads: [(UInt64, Request)] = [], for caller: Request? = nil) -> ModelState {
        var state = ModelState()
        for (number, request) in loads {
            state.reserve(number)
            _ = state.begin(number, request, for: caller, isCancelled: false)
        }
        return state
    }

    private func data(_ number: UInt64, date seconds: Int64? = nil) -> ModelEntity {
        var fields = Fields()
        if let seconds {
            fields.append(name: "Date", value: String(decoding: HTTPDate(seconds: seconds).bytes, as: UTF8.self))
        }
        let entity = Entity<any Sendable>(content: "x", contentType: "text/plain", timestamp: context.timestamp)
        return ModelEntity(entity, .network, number: number, head: ResponseHead(status: 200, fields: fields), context)
    }

    // MARK: What it is

    @Test("a state is empty, and out of use, until something is in it; each thing counts by itself (S-215)")
    func emptiness() {
        func check(_ what: String, isEmpty: Bool, isInUse: Bool, _ change: (inout ModelState) -> Void) {
            var state = ModelState()
            change(&state)
            #expect(state.isEmpty == isEmpty && state.isInUse == isInUse, "\(what)")
        }
        let (one, owner) = (request(), Owner())
        check("nothing", isEmpty: true, isInUse: false) { _ in }
        check("a request", isEmpty: false, isInUse: true) { $0.track(one) }
        check("a look-up", isEmpty: false, isInUse: true) { $0.lookUpRequest = one }
        check("an observer", isEmpty: false, isInUse: true) { state in
            _ = state.change { $0.add(value: ValueRecorder(), owner: owner) }
        }
        check("a load alone", isEmpty: false, isInUse: true) { state in
            _ = state.begin(0, one, for: nil, isCancelled: false)
            state.sourceDidEnd(0, isCancelled: true)
            #expect(state.tracked.isEmpty)
        }
        check("a text", isEmpty: false, isInUse: false) { $0.givenText = "x" }
        check("data", isEmpty: false, isInUse: false) { $0.replaceData(by: data(0)) }
        check("a reserved number", isEmpty: false, isInUse: false) { $0.reserve(1) }
        check("a number that is not needed", isEmpty: true, isInUse: false) { state in
            state.reserve(1)
            state.discard(1)
        }
        check("the number of a load", isEmpty: false, isInUse: false) { state in
            _ = state.accept(data(1))
            state.dropData()
            #expect(state.data == nil)
        }
    }

    @Test(
        "a load counts until it is cancelled; detached, it can not be joined, and counts no more once it has ended",
        arguments: [nil, false, true] as [Bool?],
        [false, true]
    )
    func activity(isCancelled: Bool?, isDetached: Bool) {
        let one = request()
        var state = state([(1, one)])
        if isDetached { _ = state.cancelRequests() }
        if let isCancelled { state.sourceDidEnd(1, isCancelled: isCancelled) }
        let isActive = isCancelled == nil || isCancelled == false && !isDetached
        #expect(state.isLoading == isActive)
        #expect(isSame(state.loadRequests([]), isActive ? [one] : []))
        #expect(isSame(state.tracked, isActive ? [one] : []))
        #expect(state.newestLoad?.number == (isActive && !isDetached ? 1 : nil))
        #expect(state.isLoading(by: one) == (isActive && !isDetached))
        state.sourceDidEnd(2, isCancelled: true)
        #expect(state.isLoading == isActive && state.loads.count == 1)
    }

    @Test("a request that was cancelled before its load begins is none that counts")
    func cancelledBefore() {
        var state = ModelState()
        _ = state.begin(1, request(), for: nil, isCancelled: true)
        #expect(!state.isLoading && state.newestLoad == nil && state.loads.count == 1)
    }

    @Test("a request that waits for the look-up counts as loading")
    func waiting() {
        var state = ModelState()
        #expect(!state.isLoading && !state.awaitsLookUp)
        state.lookUpRequest = request()
        #expect(state.isLoading && state.awaitsLookUp)
    }

    // MARK: Data

    @Test("newer loads, and later dates of the origin, replace the data; what is older does not (S-107, S-256)")
    func accepting() {
        var state = ModelState()
        let steps: [(number: UInt64, date: Int64?, isAccepted: Bool)] = [
            (2, 100, true), (2, 100, false), (1, 99, false), (1, 100, false), (1, nil, false), (1, 101, true),
            (3, nil, true), (2, 200, false),
        ]
        for step in steps {
            let new = data(step.number, date: step.date)
            let isAccepted = state.accept(new)
            #expect(isAccepted == step.isAccepted && (state.entity === new) == isAccepted, "\(step)")
            let newest: UInt64 = max(2, state.entity?.number ?? 0)
            #expect(state.isSuperseded(newest - 1) && !state.isSuperseded(newest), "\(step)")
        }
    }

    @Test("a confirmation makes older loads outdated, and itself no newer one (S-256)")
    func confirming() {
        var state = ModelState()
        for number in [5, 1] as [UInt64] {
            let new = data(number)
            state.confirm(new)
            #expect(state.entity === new && state.isSuperseded(4) && !state.isSuperseded(5))
        }
    }

    // MARK: Results

    @Test("a result from before the beginning of its load is kept for that; one without a load is ignored")
    func results() {
        let (one, other) = (request(), request())
        let info = ResponseInfo(response: .failure(RequestError(userMessage: "early")))
        var state = state([(1, other)])
        state.reserve(2)
        guard case .kept = state.end(2, info) else { return #expect(Bool(false), "not kept") }
        let early = state.begin(2, one, for: nil, isCancelled: false)
        #expect(early?.response.error?.userMessage == "early" && isSame(state.tracked, [other, one]))
        guard case .ignored = state.end(3, info) else { return #expect(Bool(false), "not ignored") }
        guard case .ended(let load) = state.end(2, info) else { return #expect(Bool(false), "not ended") }
        #expect(load.source === one && load.number == 2 && !load.isDetached)
        #expect(state.loads.map(\.number) == [1] && isSame(state.tracked, [other]))
        guard case .ignored = state.end(2, info) else { return #expect(Bool(false), "ended twice") }
        state.reserve(4)
        let nothing = state.begin(4, one, for: nil, isCancelled: false)
        #expect(nothing == nil)
    }
}
