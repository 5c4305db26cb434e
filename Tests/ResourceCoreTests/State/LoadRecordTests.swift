import Configurations
import HTTPCaching
import HTTPCore
import Locking
import Outcomes
import ResourceDoubles
import Stores
import TestDoubles
import Testing
import Transforms

@testable import ResourceCore

/// What a resource knows about one of its loads.
@Suite("The record of a load") struct LoadRecordTests {
    private let bench = Workbench()

    private let ranged = LoadPlan(forward: .partial, isHitForMiss: true, isRanged: true)

    @Test("only the leader's leaving takes the lead away, and each request leaves once")
    func leader() {
        let (leader, other) = (bench.waiting(), bench.waiting())
        var record = bench.record(1, leader: leader)
        record.join(other, selection: [7])
        #expect(record.waiting.map(\.id) == [leader.id, other.id] && record.selection(bench.context) == [7])
        guard case .waited(let left)? = record.leave(other.id) else { Issue.record("did not wait"); return }
        #expect(left.id == other.id && record.leader == leader.id && record.waiting.map(\.id) == [leader.id])
        guard case .waited? = record.leave(leader.id) else { Issue.record("did not wait"); return }
        #expect(record.leader == nil && record.waiting.isEmpty && record.leave(leader.id) == nil)
    }

    @Test("after the head requests follow; those that waited are given back once")
    func followers() {
        let leader = bench.waiting()
        var record = bench.record(1, leader: leader)
        let result = record.receive(bench.head())
        #expect(result.waiting.map(\.id) == [leader.id] && result.leader == leader.id && !result.isDetached)
        #expect(record.waiting.isEmpty && record.received != nil)
        #expect(record.follow(leader.id, isLeader: true).isCollapsed == false)
        let other = bench.waiting()
        #expect(record.follow(other.id, isLeader: false).isCollapsed)
        #expect(Array(record.followers) == [leader.id, other.id])
        guard case .followed? = record.leave(leader.id) else { Issue.record("did not follow"); return }
        #expect(Array(record.followers) == [other.id] && record.leader == leader.id)
    }

    @Test("each of waiting, following and awaiting the end is interest in a load")
    func interest() {
        var record = bench.record()
        #expect(!record.hasInterest)
        let request = bench.waiting()
        record.join(request, selection: [])
        #expect(record.hasInterest)
        _ = record.leave(request.id)
        #expect(!record.hasInterest)
        _ = record.follow(request.id, isLeader: false)
        #expect(record.hasInterest)
        _ = record.leave(request.id)
        record.callers = [SilentCaller()]
        #expect(record.hasInterest)
    }

    @Test("no request joins before the head while requests share nothing; after it nothing closes the load")
    func closed() {
        for isLoadApart in [false, true] {
            let plan = LoadPlan(forward: .uriMiss, isHitForMiss: isLoadApart)
            var record = bench.record(1, bench.cause([], plan))
            #expect([false, true].map(record.isClosed) == [isLoadApart, true])
            _ = record.receive(bench.head())
            #expect([false, true].map(record.isClosed) == [false, false])
        }
    }

    @Test("a load is full with as many waiting requests as the limit, until its head has come (H-134)")
    func full() {
        var record = bench.record(1, leader: bench.waiting())
        record.join(bench.waiting(), selection: [])
        #expect([1, 2, 3].map { record.isFull(limit: $0) } == [true, true, false])
        _ = record.receive(bench.head())
        #expect(!record.isFull(limit: 0))
    }

    @Test("a program sees a load of the whole that nothing has detached")
    func active() {
        var record = bench.record()
        #expect(record.isActive && record.reportsToObservers)
        record.isDetached = true
        #expect(!record.isActive && record.reportsToObservers)
        var part = bench.record(1, bench.cause([], ranged))
        #expect(!part.isActive && !part.reportsToObservers)
        part.isDetached = true
        #expect(!part.isActive)
        #expect(!bench.record(1, bench.cause(isPost: true)).isActive)
    }

    @Test("a load without credentials uses one of such a request, or one whose response is for everybody")
    func joinable() {
        let anonymous = Partitions()
        #expect(bench.record().isJoinable(by: anonymous))
        var detached = bench.record()
        detached.isDetached = true
        #expect(!detached.isJoinable(by: anonymous))
        let credential = [("Authorization", "Basic a")]
        let cause = bench.cause(credential)
        var personal = bench.record(1, cause)
        #expect(!personal.isJoinable(by: anonymous))
        _ = personal.receive(bench.head(for: cause))
        #expect(personal.received?.partition != nil && !personal.isJoinable(by: anonymous))
        var shared = bench.record(1, cause)
        _ = shared.receive(bench.head([("Cache-Control", "public, max-age=60")], for: cause))
        #expect(shared.isJoinable(by: anonymous))
    }

    @Test("a response may be stored until its head, a body without room or a purge says otherwise")
    func mayBeStored() {
        var record = bench.record()
        #expect(record.mayBeStored)
        record.isDetached = true
        #expect(!record.mayBeStored)
        var stored = bench.record()
        _ = stored.receive(bench.head(body: bench.body(3)))
        #expect(stored.mayBeStored)
        stored.isDetached = true
        #expect(!stored.mayBeStored)
        var refused = bench.record()
        _ = refused.receive(bench.head([("Cache-Control", "no-store")], body: bench.body(3)))
        #expect(!refused.mayBeStored)
        var relayed = bench.record()
        let body = GrowingBody(
            limits: GrowingBody.Limits(),
            expected: nil,
            isShared: true,
            granted: 1 << 20,
            makeWriter: nil,
            grant: { _ in },
            lostStore: {}
        )
        _ = relayed.receive(bench.head(body: body))
        #expect(!body.isStorable && !relayed.mayBeStored)
        var whole = bench.record()
        _ = whole.receive(bench.head())
        #expect(whole.mayBeStored)
    }

    @Test("a load that follows another takes over its requests, and that it is detached")
    func succeeding() {
        let leader = bench.waiting()
        var former = bench.record(1, leader: leader)
        former.callers = [SilentCaller()]
        former.isDetached = true
        var next = bench.record(2)
        next.succeed(former)
        #expect(next.leader == leader.id && next.waiting.map(\.id) == [leader.id])
        #expect(next.callers.count == 1 && next.isDetached && next.number == 2)
    }

    // MARK: Cache-Status

    @Test("before its head a load has the reason of its cause")
    func outcomeBefore() {
        let plan = LoadPlan(forward: .stale, isHitForMiss: false, reason: "no-cache")
        let record = bench.record(1, bench.cause([], plan))
        let expected = CacheOutcome(isHit: false, forward: .stale, isCollapsed: true, detail: "no-cache")
        #expect(record.outcome(isCollapsed: true) == expected)
    }

    @Test(
        "with its head a load says whether the response is being stored, and why not",
        arguments: [
            ("max-age=60", false, true, "why"), ("max-age=60", true, false, "why"),
            ("no-store", false, false, "no-store"),
        ]
    )
    func outcome(control: String, isDetached: Bool, isStored: Bool, detail: String) {
        let plan = LoadPlan(forward: .uriMiss, isHitForMiss: false, reason: "why")
        var record = bench.record(1, bench.cause([], plan))
        _ = record.receive(bench.head([("Cache-Control", control)]))
        record.isDetached = isDetached
        let expected = CacheOutcome(isHit: false, forward: .uriMiss, isStored: isStored, detail: detail)
        #expect(record.outcome(isCollapsed: false) == expected)
    }

    @Test("a validation has the status of the response, and a completed part that of the rest")
    func forwardStatus() {
        let basis = Boxed(LoadBasis(offered: [bench.stored(1, [("ETag", "\"1\"")])]))
        let validating = bench.cause([], LoadPlan(forward: .stale, isHitForMiss: false, basis: basis))
        var record = bench.record(1, validating)
        _ = record.receive(bench.head(status: 404))
        #expect(record.outcome(isCollapsed: false).forwardStatus == 404)
        var completed = bench.record()
        _ = completed.receive(bench.head(receivedStatus: 206))
        #expect(completed.outcome(isCollapsed: false).forwardStatus == 206)
        var usual = bench.record()
        _ = usual.receive(bench.head(status: 404))
        #expect(usual.outcome(isCollapsed: false).forwardStatus == nil)
    }

    // MARK: The cause

    @Test("a load is about the responses that it validates, and about the one that its request selected")
    func about() {
        let (first, second, third) = (bench.stored(1), bench.stored(2), bench.stored(3))
        let basis = Boxed(LoadBasis(offered: [first], selected: second))
        let cause = bench.cause([], LoadPlan(forward: .stale, isHitForMiss: false, basis: basis))
        #expect([first, second, third].map(cause.isAbout) == [true, true, false])
        #expect(!bench.cause().isAbout(first))
    }

    @Test("only a load of one range knows which bytes it asks for, and only a load in the background refreshes a part")
    func asked() {
        let range = [("Range", "bytes=2-5")]
        #expect(bench.cause(range, ranged).asked == 2..<6)
        #expect(bench.cause(range).asked == nil)
        var hole = ranged
        hole.basis = Boxed(LoadBasis(part: bench.part(0..<3), hole: 7..<9))
        #expect(bench.cause(range, hole).asked == 7..<9)
        for (isBackground, offered) in [(true, bench.part(0..<3)), (false, bench.part(0..<3)), (true, bench.stored())] {
            let basis = Boxed(LoadBasis(offered: [offered]))
            let plan = LoadPlan(forward: .stale, isHitForMiss: false, basis: basis)
            let refreshes = bench.cause([], plan, isBackground: isBackground).refreshesPart
            #expect(refreshes == (isBackground && offered.extent != nil))
        }
    }
}
