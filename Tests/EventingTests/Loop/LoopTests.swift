import HTTPCore
import Locking
import Testing

@testable import Eventing

@Suite struct LoopTests {
    @Test("work from other threads runs in the order of submission")
    func mailboxOrder() async throws {
        let group = try LoopGroup(count: 1)
        defer {
            group.stop()
            group.join()
        }
        let seen = Lock<[Int]>([])
        let outcome = Outcome<[Int]>()
        for number in 0..<1000 {
            group.handles[0].submit { _ in seen.withLock { $0.append(number) } }
        }
        group.handles[0].submit { _ in outcome.succeed(seen.withLock { $0 }) }
        #expect(try await outcome.wait() == Array(0..<1000))
    }

    @Test("a loop takes work, be it the first or more; one that has ended takes none")
    func closedMailbox() throws {
        let group = try LoopGroup(count: 2)
        #expect(group.handles.map { $0.submit { _ in } } == [true, true])
        group.stop()
        group.join()
        #expect(group.handles.map { $0.submit { _ in } } == [false, false])
    }

    @Test("timers run in the order of their deadlines, equal ones in the order they were armed")
    func timerOrder() throws {
        let manual = try ManualLoop()
        var seen: [Int] = []
        for (number, delay) in [30, 10, 20, 10, 30].enumerated() {
            manual.loop.schedule(after: .milliseconds(delay)) { seen.append(number) }
        }
        manual.advance(by: .milliseconds(9))
        #expect(seen == [])
        manual.advance(by: .milliseconds(11))
        #expect(seen == [1, 3, 2])
        manual.advance(by: .milliseconds(10))
        #expect(seen == [1, 3, 2, 0, 4])
    }

    @Test("a timer can be moved both ways and called off")
    func timerMoves() throws {
        let manual = try ManualLoop()
        var seen: [String] = []
        let later = manual.loop.schedule(after: .milliseconds(10)) { seen.append("later") }
        let sooner = manual.loop.schedule(after: .milliseconds(100)) { seen.append("sooner") }
        let never = manual.loop.schedule(after: .milliseconds(5)) { seen.append("never") }
        later.rearm(after: .milliseconds(50))
        sooner.rearm(after: .milliseconds(20))
        never.cancel()
        manual.advance(by: .milliseconds(30))
        #expect(seen == ["sooner"])
        manual.advance(by: .milliseconds(200))
        #expect(seen == ["sooner", "later"])
        never.rearm(after: .milliseconds(1))
        manual.advance(by: .milliseconds(1))
        #expect(seen == ["sooner", "later", "never"])
    }

    @Test(
        "a source may ask for the end of the turn anew: it comes at once, four times a turn at most, then in the next",
        arguments: [(1, [1, 0]), (4, [4, 0]), (5, [4, 1, 0]), (9, [4, 4, 1, 0])] as [(Int, [Int])]
    )
    func endsOfTurns(wanted: Int, expected: [Int]) throws {
        final class Asking: IOSource {
            var calls = 0
            var left = 0

            override func finishTurn() {
                calls += 1
                left -= 1
                if left > 0 { loop.finishTurn(for: self) }
            }
        }
        let manual = try ManualLoop()
        let source = Asking(loop: manual.loop, descriptor: -1)
        source.left = wanted
        manual.loop.finishTurn(for: source)
        var calls: [Int] = []
        for _ in expected {
            source.calls = 0
            manual.turn()
            calls.append(source.calls)
        }
        #expect(calls == expected)
    }

    @Test("a coarse deadline passes at most 100 ms late and never early", arguments: [1, 99, 100, 5000, 250_000])
    func coarseDeadline(milliseconds: Int) throws {
        let manual = try ManualLoop()
        var passed = 0
        let deadline = Deadline(loop: manual.loop) { passed += 1 }
        deadline.set(after: .seconds(600))
        deadline.set(after: .milliseconds(milliseconds))
        manual.advance(by: .milliseconds(milliseconds) - .nanoseconds(1))
        #expect(passed == 0)
        manual.advance(by: .milliseconds(101))
        #expect(passed == 1)
        manual.advance(by: .seconds(1000))
        #expect(passed == 1)
    }

    @Test("a coarse deadline moved to later does not pass at its first moment")
    func coarseDeadlineMoved() throws {
        let manual = try ManualLoop()
        var passed = 0
        let deadline = Deadline(loop: manual.loop) { passed += 1 }
        deadline.set(after: .seconds(1))
        for _ in 0..<20 {
            manual.advance(by: .milliseconds(500))
            deadline.set(after: .seconds(1))
        }
        #expect(passed == 0)
        manual.advance(by: .milliseconds(1100))
        #expect(passed == 1)
    }
}

@Suite struct TimerQueueTests {
    @Test("what a cancelled timer captured may use the loop's timers when it goes")
    func releaseUsesTimers() throws {
        final class Owner {
            let timer: LoopTimer
            init(_ timer: LoopTimer) { self.timer = timer }
            deinit {
                timer.cancel()
                timer.rearm(after: .milliseconds(1))
            }
        }
        let manual = try ManualLoop()
        var fired = 0
        for _ in 0..<200 {
            let owned = manual.loop.schedule(after: .seconds(60)) { fired += 1 }
            let owner = Owner(owned)
            manual.loop.schedule(after: .seconds(30)) { withExtendedLifetime(owner) {} }.cancel()
        }
        manual.advance(by: .seconds(100))
        #expect(fired == 200)
    }
}

@Suite struct LoopEndTests {
    @Test("what outlives its loop may still cancel its timers and deadlines, and the loop is freed")
    func outlivesLoop() throws {
        final class Owner {
            var timer: LoopTimer?
            var deadline: Deadline?
            deinit {
                timer?.cancel()
                deadline?.clear()
            }
        }
        weak var loop: EventLoop?
        do {
            let owner = Owner()
            do {
                let manual = try ManualLoop()
                loop = manual.loop
                owner.timer = manual.loop.schedule(after: .seconds(1)) {}
                let deadline = Deadline(loop: manual.loop) {}
                deadline.set(after: .seconds(1))
                owner.deadline = deadline
                manual.loop.atEndOfTurn { withExtendedLifetime(owner) {} }
            }
        }
        #expect(loop == nil)
    }

    @Test("the loop's end closes its streams without a word to their delegates")
    func closesStreams() throws {
        weak var stream: Stream?
        var calls = 0
        do {
            let manual = try ManualLoop()
            let (left, right) = try makePair(manual.loop)
            let delegate = Scripted()
            delegate.onEnd = { _ in calls += 1 }
            delegate.onFail = { _, _ in calls += 1 }
            left.delegate = delegate
            right.delegate = delegate
            left.setReadDeadline(after: .seconds(1))
            stream = left
        }
        #expect(stream == nil)
        #expect(calls == 0)
    }
}
