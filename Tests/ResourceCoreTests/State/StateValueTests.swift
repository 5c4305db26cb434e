import Configurations
import Exchanges
import HTTPCaching
import HTTPCore
import Locking
import Outcomes
import ResourceDoubles
import Stores
import TestDoubles
import Testing

@testable import ResourceCore

/// What the state of a resource says, as a value.
@Suite("The state of a resource, as a value") struct StateValueTests {
    private let bench = Workbench()

    private func effective(_ change: (inout Configuration) -> Void = { _ in }) -> EffectiveConfiguration {
        var configuration = Configuration()
        change(&configuration)
        return EffectiveConfiguration(values: configuration, sources: [], partName: nil)
    }

    private func failure() -> LatestError {
        let error = ResourceError(status: 502, kind: nil, userMessage: "failed", time: bench.context.now)
        return LatestError(error, bench.context)
    }

    // MARK: Activity

    private func begin(_ which: Int, in activity: inout Activity) {
        switch which {
        case 0: activity.loads.begin(bench.record())
        case 1: activity.waitingForLookUp.append(bench.waiting())
        case 2: activity.outcomes.beginHitForMiss(until: bench.context.now)
        case 3: activity.uncacheable = bench.stored()
        case 4: activity.partsToKeep = 1
        case 5: activity.notices.append([PendingNotice()])
        case 6: activity.operations.append([StoreOperation.lookUp(number: 1)])
        case 7: activity.configurations.append((method: .head, generation: 1, effective: effective()))
        default: activity.error = Boxed(failure())
        }
    }

    @Test("each thing that goes on, or is remembered, keeps the activity by itself", arguments: 0..<9)
    func activity(which: Int) {
        var state = ResourceState(looksUp: false)
        state.trim()
        #expect(state.activity == nil && state.hasEnded)
        begin(which, in: &state.ongoing)
        state.trim()
        #expect(state.activity != nil && !state.hasEnded)
        state.ongoing = Activity()
        state.trim()
        #expect(state.activity == nil && state.hasEnded)
    }

    @Test("a resource is needed for use, for data, for its owners or not at all")
    func need() {
        func need(_ change: (inout ResourceState) -> Void) -> ResourceNeed {
            var state = ResourceState(looksUp: true)
            change(&state)
            return state.need
        }
        #expect(need { _ in } == .nothing)
        #expect(need { _ = $0.variants.beginLookUp() } == .use)
        #expect(need { $0.ongoing.loads.begin(bench.record()) } == .use)
        #expect(need { $0.ongoing.partsToKeep = 1 } == .use)
        #expect(need { _ = $0.variants.insert(bench.stored(), limit: 1) } == .data)
        #expect(need { $0.ongoing.outcomes.beginHitForMiss(until: bench.context.now) } == .data)
        #expect(need { $0.ongoing.notices.append([PendingNotice()]) } == .data)
        #expect(need { $0.ongoing.error = Boxed(failure()) } == .owner)
        #expect(need { $0.ongoing.uncacheable = bench.stored() } == .owner)
    }

    @Test("there is nothing to judge without stored responses, and without one that was loaded for programs alone")
    func empty() {
        var state = ResourceState(looksUp: false)
        state.ongoing.partsToKeep = 1
        #expect(state.isEmpty)
        state.ongoing.uncacheable = bench.stored()
        #expect(!state.isEmpty)
        state.ongoing.uncacheable = nil
        _ = state.variants.insert(bench.stored(), limit: 1)
        #expect(!state.isEmpty)
    }

    @Test("it is loading while programs see a load")
    func loading() {
        var state = ResourceState(looksUp: false)
        #expect(!state.isLoading)
        let ranged = LoadPlan(forward: .partial, isHitForMiss: true, isRanged: true)
        state.ongoing.loads.begin(bench.record(1, bench.cause([], ranged)))
        #expect(!state.isLoading && state.isInUse)
        state.ongoing.loads.begin(bench.record(2))
        #expect(state.isLoading)
        _ = state.ongoing.loads.detachAll()
        #expect(!state.isLoading && state.isInUse)
    }

    @Test("the latest response is that of the common partition, or one for programs that is as new")
    func latest() {
        var state = ResourceState(looksUp: false)
        #expect(state.latestResponse == nil)
        let older = bench.stored(1)
        state.ongoing.uncacheable = older
        #expect(state.latestResponse === older)
        bench.world.timekeeper.advance(by: .seconds(1))
        let stored = bench.stored(2)
        _ = state.variants.insert(stored, limit: 2)
        #expect(state.latestResponse === stored)
        let same = bench.stored(3)
        state.ongoing.uncacheable = same
        #expect(state.latestResponse === same)
        state.ongoing.uncacheable = nil
        #expect(state.latestResponse === stored)
        var own = ResourceState(looksUp: false)
        _ = own.variants.insert(bench.stored(4) { $0.partition = .credential([1]) }, limit: 2)
        #expect(own.latestResponse == nil)
    }

    @Test("loads and events are numbered one after another, each from 1 on (S-256)")
    func numbers() {
        var state = ResourceState(looksUp: false)
        #expect((0..<3).map { _ in state.nextLoad() } == [1, 2, 3])
        #expect((0..<3).map { _ in state.nextEvent() } == [1, 2, 3] && state.sequence == 3)
    }

    // MARK: Configurations

    @Test("the configuration for GET is taken over at once while nothing is judged; that of other methods is noted")
    func configurations() {
        var state = ResourceState(looksUp: false)
        let (first, second, head) = (effective(), effective(), effective())
        #expect(state.configuration(for: .get, 1) == nil)
        state.note(first, for: .get, 1)
        #expect(state.effective === first && state.generation == 1 && state.activity == nil)
        #expect(state.configuration(for: .get, 1) === first && state.configuration(for: .get, 2) == nil)
        state.note(head, for: .head, 1)
        #expect(state.configuration(for: .head, 1) === head && state.configuration(for: .get, 1) === first)
        #expect(state.configuration(for: .post, 1) == nil && state.configuration(for: .head, 2) == nil)
        state.note(second, for: .get, 2)
        #expect(state.effective === second && state.generation == 2)
        #expect(state.configuration(for: .head, 1) == nil, "what is older is forgotten")
    }

    @Test("with responses that were judged by it, another configuration for GET is only noted")
    func configurationWithData() {
        var state = ResourceState(looksUp: false)
        let (first, second, third) = (effective(), effective(), effective())
        state.note(first, for: .get, 1)
        _ = state.variants.insert(bench.stored(), limit: 1)
        state.note(second, for: .get, 2)
        #expect(state.effective === first && state.generation == 1)
        #expect(state.configuration(for: .get, 1) === first && state.configuration(for: .get, 2) === second)
        state.note(third, for: .get, 3)
        #expect(state.configuration(for: .get, 2) === third && state.activity?.configurations.count == 1)
        state.adopt(third, 3)
        #expect(state.effective === third && state.activity?.configurations.isEmpty == true)
    }

    @Test("a configuration of the same generation is not taken over again")
    func sameGeneration() {
        var state = ResourceState(looksUp: false)
        let (first, second) = (effective(), effective())
        state.note(first, for: .get, 1)
        state.note(second, for: .get, 1)
        #expect(state.effective === first)
    }

    @Test("configurations for eight methods are remembered, the newest for each")
    func methods() {
        var state = ResourceState(looksUp: false)
        let methods = (0..<9).map { Method("M\($0)") }
        for method in methods { state.note(effective(), for: method, 1) }
        #expect(state.activity?.configurations.map { $0.method } == Array(methods.prefix(8)))
        let newer = effective()
        state.note(newer, for: methods[0], 2)
        #expect(state.activity?.configurations.count == 8 && state.configuration(for: methods[0], 1) === newer)
        #expect(state.configuration(for: methods[8], 1) == nil)
    }

    // MARK: Snapshots

    @Test("letters tell whether it loads, has data, and failed (S-075)")
    func flags() {
        func letters(_ isLoading: Bool, _ response: StoredResponse?, _ error: LatestError?) -> String {
            ResourceSnapshot(
                id: 1,
                uri: World.uri("/a"),
                latestResponse: response,
                error: error.map { Boxed($0) },
                isLoading: isLoading
            ).flags
        }
        let (stored, latest) = (bench.stored(), failure())
        #expect(letters(false, nil, nil) == "" && letters(true, nil, nil) == "L" && letters(false, stored, nil) == "D")
        #expect(letters(false, nil, latest) == "E" && letters(true, stored, latest) == "LDE")
        let plain = ResourceSnapshot(id: 1, uri: World.uri("/a"))
        #expect(!plain.isLoading && !plain.isInvalidated && plain.sequence == 0 && plain.generation == 0)
        #expect(plain.timestamp == .epoch && plain.latestFailure == nil)
    }

    @Test("its time is the later one of data and error (S-072)", arguments: [-1, 0, 1] as [Int64])
    func timestamp(distance: Int64) {
        let (stored, context) = (bench.stored(), bench.context)
        let time = Timestamp(HTTPDate(seconds: context.wallNow.seconds + distance))
        let error = ResourceError(status: 502, kind: nil, userMessage: "failed", time: context.now)
        func made(_ response: StoredResponse?, _ error: LatestError?) -> ResourceSnapshot {
            ResourceSnapshot(
                id: 1,
                uri: World.uri("/a"),
                latestResponse: response,
                error: error.map { Boxed($0) }
            )
        }
        let latest = LatestError(error, at: time, limitsRetries: true)
        #expect(made(stored, nil).timestamp == Timestamp(context.wallNow))
        #expect(made(nil, latest).timestamp == time && made(nil, latest).latestFailure == error)
        #expect(made(stored, latest).timestamp == max(time, Timestamp(context.wallNow)))
    }

    @Test("a snapshot has what the state has, and says which event led to it")
    func snapshot() {
        var state = ResourceState(looksUp: false)
        state.note(effective(), for: .get, 4)
        let stored = bench.stored()
        _ = state.variants.insert(stored, limit: 1)
        state.ongoing.error = Boxed(failure())
        state.ongoing.loads.begin(bench.record())
        _ = (0..<3).map { _ in state.nextEvent() }
        let snapshot = state.snapshot(7, World.uri("/a"))
        #expect(snapshot.id == 7 && snapshot.uri == World.uri("/a") && snapshot.sequence == 3)
        #expect(snapshot.variants.count == 1 && snapshot.latestResponse === stored && snapshot.sharedHit === stored)
        #expect(snapshot.flags == "LDE" && !snapshot.isInvalidated && snapshot.generation == 4)
        _ = state.variants.invalidateAll(hasOther: false)
        #expect(state.snapshot(7, World.uri("/a")).isInvalidated)
    }
}
