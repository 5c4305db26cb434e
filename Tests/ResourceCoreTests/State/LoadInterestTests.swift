import Configurations
import HTTPCaching
import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing
import Transforms

@testable import ResourceCore

/// Which loads go on when the last request has left (H-150).
@Suite("Interest in a load") struct LoadInterestTests {
    private let bench: Workbench

    init() {
        var configuration = Configuration()
        configuration.fillRemainder = 100
        configuration.fillPercent = 25
        configuration.fillTime = .seconds(10)
        bench = Workbench(configuration)
    }

    private static let storableLines = [("Cache-Control", "max-age=60")]
    private static let unstorableLines = [("Cache-Control", "no-store")]

    private func word(_ result: Loads.InterestResult?) -> String {
        switch result {
        case .wanted: "wanted"
        case .unread: "unread"
        case .spared: "spared"
        case .onTrial: "on trial"
        case .abandoned: "abandoned"
        case nil: "ended"
        }
    }

    private func reconsider(_ loads: inout Loads, isObserved: Bool = false) -> String {
        word(loads.reconsider(1, isObserved: isObserved, bench.context))
    }

    /// A load whose head has come, and which nobody waits for.
    private func loads(_ head: ReceivedHead, _ cause: LoadCause? = nil) -> Loads {
        var loads = Loads()
        loads.begin(bench.record(1, cause))
        _ = loads.receive(head, at: 0)
        return loads
    }

    @Test(
        "what may be stored is finished if less than the remainder is missing, or the percentage has come (H-150)",
        arguments: [
            (1000, 0, false), (1000, 249, false), (1000, 250, true), (1000, 251, true), (100, 0, false), (99, 0, true),
            (300, 74, false), (300, 75, true), (nil, 0, true), (nil, 99, true), (nil, 100, false),
            (Int64.max, 1000, false),
        ] as [(Int64?, Int, Bool)]
    )
    func storable(length: Int64?, received: Int, isFinished: Bool) {
        var loads = loads(bench.head(Self.storableLines, length: length, body: bench.body(received)))
        #expect(reconsider(&loads) == (isFinished ? "on trial" : "abandoned"))
        #expect(loads.isEmpty == !isFinished)
    }

    @Test(
        "of what is not stored only a short rest is read, since that keeps the connection (H-150)",
        arguments: [(0, true), (65_536, true), (65_537, false), (nil, false)] as [(Int64?, Bool)]
    )
    func unstorable(length: Int64?, isFinished: Bool) {
        var loads = loads(bench.head(Self.unstorableLines, length: length, body: bench.body()))
        #expect(reconsider(&loads) == (isFinished ? "on trial" : "abandoned"))
    }

    @Test("a complete response is not given up, however late")
    func complete() {
        var loads = loads(bench.head(Self.storableLines, body: bench.body(500, isComplete: true)))
        #expect(reconsider(&loads) == "on trial")
        bench.world.timekeeper.advance(by: .seconds(100))
        #expect(reconsider(&loads) == "on trial")
    }

    @Test("the time to finish begins when the last request leaves, and anew after another one (H-150)")
    func time() {
        var loads = loads(bench.head(Self.storableLines, length: 99, body: bench.body()))
        #expect(reconsider(&loads) == "on trial")
        bench.world.timekeeper.advance(by: .seconds(9))
        #expect(reconsider(&loads) == "on trial")
        let other = bench.waiting()
        _ = loads.follow(other.id, at: 0, isLeader: false)
        #expect(reconsider(&loads) == "wanted" && loads[1]?.abandonedUntil == nil)
        #expect(loads.leave(other.id)?.number == 1)
        bench.world.timekeeper.advance(by: .seconds(9))
        #expect(reconsider(&loads) == "on trial")
        bench.world.timekeeper.advance(by: .milliseconds(9_999))
        #expect(reconsider(&loads) == "on trial")
        bench.world.timekeeper.advance(by: .milliseconds(1))
        #expect(reconsider(&loads) == "abandoned" && reconsider(&loads) == "ended")
    }

    @Test("before its head a load goes on only if a program observes the resource and sees the load")
    func observed() {
        var loads = Loads()
        loads.begin(bench.record())
        #expect(reconsider(&loads, isObserved: true) == "spared")
        #expect(loads.detachAll() == [1])
        #expect(reconsider(&loads, isObserved: true) == "abandoned")
        loads.begin(bench.record(1, bench.cause([], LoadPlan(forward: .partial, isHitForMiss: true, isRanged: true))))
        #expect(reconsider(&loads, isObserved: true) == "abandoned")
        loads.begin(bench.record())
        #expect(reconsider(&loads) == "abandoned")
    }

    @Test("a background load goes on while its response may be stored; that of a part only until the head (C-7.1)")
    func background() {
        let cause = bench.cause(isBackground: true)
        var whole = loads(bench.head(Self.storableLines, length: 1 << 30, body: bench.body()), cause)
        #expect(reconsider(&whole) == "spared")
        #expect(whole.detachAll() == [1] && reconsider(&whole) == "abandoned")
        var refused = loads(bench.head(Self.unstorableLines, length: 1 << 30, body: bench.body()), cause)
        #expect(reconsider(&refused) == "abandoned")
        let basis = LoadBasis(offered: [bench.part(0..<3)])
        let plan = LoadPlan(forward: .stale, isHitForMiss: false, basis: Boxed(basis))
        let refreshing = bench.cause([], plan, isBackground: true)
        var part = Loads()
        part.begin(bench.record(1, refreshing))
        #expect(reconsider(&part) == "spared")
        _ = part.receive(bench.head(Self.storableLines, length: 1 << 30, body: bench.body()), at: 0)
        #expect(reconsider(&part) == "abandoned")
    }

    // MARK: Callers

    @Test("content that callers await, and no request reads, has to flow all the same")
    func callers() {
        var loads = Loads()
        let leader = bench.waiting()
        loads.begin(bench.record(1, leader: leader))
        _ = loads.change(1) { $0.callers = [SilentCaller()] }
        #expect(reconsider(&loads) == "wanted")
        _ = loads.receive(bench.head(Self.storableLines, body: bench.body()), at: 0)
        #expect(reconsider(&loads) == "unread")
        _ = loads.follow(leader.id, at: 0, isLeader: true)
        #expect(reconsider(&loads) == "wanted")
        #expect(word(loads.desert(1)) == "unread" && !loads.isEmpty)
        _ = loads.change(1) { $0.callers = [] }
        #expect(word(loads.desert(1)) == "abandoned" && loads.isEmpty)
        #expect(word(loads.desert(1)) == "ended")
    }

    @Test("a load whose content came with its head loses no readers")
    func whole() {
        var loads = loads(bench.head())
        #expect(word(loads.desert(1)) == "ended" && !loads.isEmpty)
    }
}
