import Glibc
import HTTPCore
import Locking
import Platform
import Testing

@testable import Eventing

final class Counter: Sendable {
    private let count = Lock(0)
    var value: Int { count.withLock { $0 } }
    func increment() { count.withLock { $0 += 1 } }
}

@Suite struct ProcessTests {
    @Test("a signal arrives on the loop that asked for it")
    func signals() async throws {
        let signal: Signal = try await onLoop { loop, outcome in
            _ = Signals(loop: loop, signals: [.user1, .user2]) { outcome.succeed($0) }
            kill(getpid(), SIGUSR2)
        }
        #expect(signal == .user2)
    }

    @Test("a worker's result comes back to the loop")
    func workers() async throws {
        let workers = try WorkerPool(count: 2)
        defer { workers.stop() }
        let sum: Int = try await onLoop { loop, outcome in
            let handle = loop.handle
            workers.submit(on: handle) {
                handle.isCurrent ? 0 : (1...10).reduce(0, +)
            } completion: { loop, value in
                outcome.succeed(loop.handle.isCurrent ? value : -1)
            }
        }
        #expect(sum == 55)
    }

    @Test("an object of a loop is released on its loop")
    func loopBoundRelease() async throws {
        final class Watched {
            let onRelease: () -> Void
            init(onRelease: @escaping () -> Void) { self.onRelease = onRelease }
            deinit { onRelease() }
        }
        let workers = try WorkerPool(count: 1)
        defer { workers.stop() }
        let isOnLoop: Bool = try await onLoop { loop, outcome in
            let handle = loop.handle
            let box = LoopBound(Watched { outcome.succeed(handle.isCurrent) }, loop: loop)
            workers.submit { withExtendedLifetime(box) {} }
        }
        #expect(isOnLoop)
    }

    @Test("an object of a loop is there on its loop alone; work that is submitted gets it there, later and in order")
    func loopBoundWork() async throws {
        final class Steps {
            var all: [Int] = []
        }
        let group = try LoopGroup(count: 1)
        defer {
            group.stop()
            group.join()
        }
        let made = Outcome<LoopBound<Steps>>()
        group.handles[0].submit { loop in made.succeed(LoopBound(Steps(), loop: loop)) }
        let bound = try await made.wait()
        #expect(!bound.isHere)
        let outcome = Outcome<[Int]>()
        bound.submit { steps in
            steps.all.append(bound.isHere ? 1 : -1)
            bound.submit { steps in
                steps.all.append(3)
                outcome.succeed(steps.all)
            }
            steps.all.append(2)
        }
        // Runs after both. If neither was called, the outcome is empty.
        group.handles[0].submit { loop in loop.handle.submit { _ in outcome.succeed([]) } }
        #expect(try await outcome.wait() == [1, 2, 3])
    }
}
