import HTTPCore
import Testing

@testable import Eventing

/// Timers that are called off, and what they hold.
@Suite struct TimerMemoryTests {
    private final class Held {}

    private struct Weak {
        weak var held: Held?
    }

    /// Arms so many timers for a minute from now, each of which holds an object, and calls some off, twice.
    private static func arm(_ count: Int, cancelling cancelled: Int, on manual: ManualLoop) -> [Weak] {
        var timers: [LoopTimer] = []
        var all: [Weak] = []
        for _ in 0..<count {
            let held = Held()
            all.append(Weak(held: held))
            timers.append(manual.loop.schedule(after: .seconds(60)) { withExtendedLifetime(held) {} })
        }
        for timer in timers[..<cancelled] {
            timer.cancel()
            timer.cancel()
        }
        return all
    }

    @Test(
        "what cancelled timers hold is let go of once they are more than 32, and more than half",
        arguments: [(33, 32), (33, 33), (64, 32), (64, 33), (70, 35), (70, 36)]
    )
    func release(count: Int, cancelled: Int) throws {
        let manual = try ManualLoop()
        let held = Self.arm(count, cancelling: cancelled, on: manual)
        let isCleared = cancelled > 32 && cancelled > count / 2
        #expect(held.count { $0.held == nil } == (isCleared ? cancelled : 0))
        manual.advance(by: .seconds(60))
        #expect(held.count { $0.held == nil } == count)
    }

    @Test("a timer that is armed again outlives the others that were called off, also one that had been dropped")
    func rearmed() throws {
        let manual = try ManualLoop()
        var fired: [String] = []
        let kept = manual.loop.schedule(after: .seconds(10)) { fired.append("kept") }
        let dropped = manual.loop.schedule(after: .seconds(10)) { fired.append("dropped") }
        let sooner = manual.loop.schedule(after: .seconds(10)) { fired.append("sooner") }
        for timer in [kept, dropped, sooner] { timer.cancel() }
        kept.rearm(after: .seconds(20))
        sooner.rearm(after: .seconds(5))
        for _ in 0..<40 { manual.loop.schedule(after: .seconds(1)) { fired.append("never") }.cancel() }
        #expect(kept.isArmed && !dropped.isArmed && sooner.isArmed)
        dropped.rearm(after: .seconds(15))
        manual.advance(by: .seconds(5))
        #expect(fired == ["sooner"] && !sooner.isArmed)
        manual.advance(by: .seconds(14) + .milliseconds(999))
        #expect(fired == ["sooner", "dropped"])
        manual.advance(by: .milliseconds(1))
        #expect(fired == ["sooner", "dropped", "kept"] && !kept.isArmed)
    }

    @Test("many timers in any order fire in that of their deadlines")
    func order() throws {
        let manual = try ManualLoop()
        var fired: [Int] = []
        for number in 0..<200 {
            let delay = number * 37 % 101
            manual.loop.schedule(after: .milliseconds(delay)) { fired.append(delay) }
        }
        manual.advance(by: .milliseconds(50))
        #expect(fired == (0..<200).map { $0 * 37 % 101 }.filter { $0 <= 50 }.sorted())
        manual.advance(by: .milliseconds(50))
        #expect(fired == (0..<200).map { $0 * 37 % 101 }.sorted())
        #expect(manual.loop.nextDeadline == nil)
    }

    @Test("a deadline is set and cleared, and of two clocks the earlier one counts")
    func deadlines() throws {
        let manual = try ManualLoop()
        var passed = 0
        let deadline = Deadline(loop: manual.loop) { passed += 1 }
        #expect(!deadline.isSet && manual.loop.nextDeadline == nil)
        deadline.set(after: .seconds(10))
        #expect(deadline.isSet)
        let coarse = try #require(manual.loop.nextDeadline)
        let timer = manual.loop.schedule(after: .seconds(5)) {}
        #expect(try #require(manual.loop.nextDeadline) < coarse)
        timer.rearm(after: .seconds(60))
        deadline.clear()
        deadline.clear()
        #expect(!deadline.isSet)
        manual.advance(by: .seconds(30))
        #expect(passed == 0)
        deadline.set(after: .seconds(1))
        manual.advance(by: .seconds(2))
        #expect(passed == 1 && !deadline.isSet)
    }

    @Test("a loop by hand begins at its time, and its wall clock is that time in whole seconds")
    func clock() throws {
        let usual = try ManualLoop()
        #expect(usual.loop.now == MonotonicTime(nanoseconds: 1_000_000_000_000))
        #expect(usual.loop.wallNow == HTTPDate(seconds: 1000))
        let manual = try ManualLoop(start: MonotonicTime(nanoseconds: 5_999_999_999))
        #expect(manual.loop.wallNow == HTTPDate(seconds: 5))
        manual.advance(by: .nanoseconds(1))
        #expect(
            manual.loop.now == MonotonicTime(nanoseconds: 6_000_000_000) && manual.loop.wallNow == HTTPDate(seconds: 6)
        )
        var real = LoopClock()
        #expect(real.isReal)
        let times = [real.now(), real.now()]
        #expect(times[0] == times[1])
        let dates = [real.wallNow(), real.wallNow()]
        #expect(dates[0] == dates[1])
        real.invalidate()
        let later = real.now()
        #expect(later >= times[0] && later <= MonotonicTime.now)
        real.manual = MonotonicTime(nanoseconds: 7)
        #expect(!real.isReal)
    }

    @Test("work at the end of a turn runs once, in order; what it asks for runs in the next")
    func endOfTurn() throws {
        let manual = try ManualLoop()
        var seen: [Int] = []
        manual.loop.atEndOfTurn {
            seen.append(1)
            manual.loop.atEndOfTurn { seen.append(3) }
        }
        manual.loop.atEndOfTurn { seen.append(2) }
        #expect(seen == [])
        manual.turn()
        #expect(seen == [1, 2])
        manual.turn()
        manual.turn()
        #expect(seen == [1, 2, 3])
    }

    @Test("when both directions of a stream may wait, the earlier deadline counts")
    func streamDeadlines() {
        var deadlines = StreamDeadlines()
        #expect(deadlines.earliest == .max && !deadlines.limitsSending)
        let isLimited = deadlines.restartSend(at: 5)
        #expect(!isLimited && deadlines.send == .max && !deadlines.limitsSending)
        deadlines.sendTimeout = 10
        deadlines.read = 20
        let isStarted = deadlines.restartSend(at: 5)
        #expect(isStarted && deadlines.send == 15 && deadlines.earliest == 15 && deadlines.limitsSending)
        deadlines.read = 14
        #expect(deadlines.earliest == 14)
        let isFar = deadlines.restartSend(at: Int64.max - 9)
        #expect(isFar && deadlines.send == .max)
        deadlines.clearSend()
        #expect(!deadlines.limitsSending && deadlines.sendTimeout == 10)
    }
}
