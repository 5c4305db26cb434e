import Eventing
import Locking
import Testing

@testable import Daemon

/// The sign of life that a service manager waits for.
@Suite struct LoopWatchTests {
    private static let second = Duration.seconds(1)

    @Test("a sign of life needs every loop to turn, and comes again once the one that hung does")
    func hangingLoop() throws {
        let first = try ManualLoop()
        let second = try ManualLoop()
        let rounds = Lock(0)
        let watch = LoopWatch([first.loop.handle, second.loop.handle]) { rounds.withLock { $0 += 1 } }
        watch.run(every: Self.second, on: first.loop)
        first.turn()
        #expect(rounds.withLock { $0 } == 0)
        second.turn()
        #expect(rounds.withLock { $0 } == 1)
        // Then the second one hangs for ten intervals
        for _ in 0..<10 { first.advance(by: Self.second) }
        #expect(rounds.withLock { $0 } == 1)
        second.turn()
        #expect(rounds.withLock { $0 } == 2)
        first.advance(by: Self.second)
        second.turn()
        #expect(rounds.withLock { $0 } == 3)
    }
}
