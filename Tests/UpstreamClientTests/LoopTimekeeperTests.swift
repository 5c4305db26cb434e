import Eventing
import Exchanges
import TestSupport
import Testing
import UpstreamClient

@Suite struct LoopTimekeeperTests {
    @Test("work runs on the loop when its time has come, unless it is called off before")
    func work() throws {
        let group = try LoopGroup(count: 1)
        defer {
            group.stop()
            group.join()
        }
        let handle = group.handles[0]
        let timekeeper = LoopTimekeeper(loop: handle)
        let ran = WaitQueue<String>()
        // On the loop: nothing is due before this turn ends.
        handle.submit { _ in
            timekeeper.after(.zero) { ran.push("called off") }.cancel()
            timekeeper.after(.zero) { ran.push(handle.isCurrent ? "on the loop" : "elsewhere") }
        }
        #expect(ran.pop() == "on the loop")
    }

    @Test("an armed timer that is called off holds nothing any more; one that has run may be called off for nothing")
    func cancelling() throws {
        let group = try LoopGroup(count: 1)
        defer {
            group.stop()
            group.join()
        }
        let timekeeper = LoopTimekeeper(loop: group.handles[0])
        let ran = WaitQueue<String>()
        let first = timekeeper.after(.zero) { ran.push("first") }
        #expect(ran.pop() == "first")
        first.cancel()
        final class Held: Sendable {}
        var held: Held? = Held()
        weak let kept = held
        let second = timekeeper.after(.seconds(600)) { [held] in withExtendedLifetime(held) {} }
        held = nil
        // What is submitted behind the timer runs when it has been armed.
        let isArmed = WaitQueue<Bool>()
        group.handles[0].submit { _ in isArmed.push(true) }
        #expect(isArmed.pop() == true && kept != nil)
        second.cancel()
        second.cancel()
        #expect(kept == nil)
        timekeeper.after(.zero) { ran.push("third") }
        #expect(ran.pop() == "third")
    }

    @Test("timers that are cancelled once they are armed are released before their time")
    func releasing() throws {
        struct Weak {
            weak var token: (any TimerToken)?
        }
        let group = try LoopGroup(count: 1)
        defer {
            group.stop()
            group.join()
        }
        let timekeeper = LoopTimekeeper(loop: group.handles[0])
        let turns = WaitQueue<Bool>()
        // A loop drops cancelled timers once they are more than 32, and more than half.
        var tokens = (0..<33).map { _ in timekeeper.after(.seconds(600)) {} }
        let all = tokens.map { Weak(token: $0) }
        group.handles[0].submit { _ in turns.push(true) }
        #expect(turns.pop() == true)
        tokens.forEach { $0.cancel() }
        tokens = []
        group.handles[0].submit { _ in turns.push(true) }
        #expect(turns.pop() == true && all.allSatisfy { $0.token == nil })
    }
}
