import Glibc
import Testing

@testable import Platform

/// Each in a process of its own, which the signals are for.
@Suite("Signals of a process") struct SignalTests {
    @Test("a blocked signal is pending, and only that one")
    func blocking() async {
        await #expect(processExitsWith: .success) {
            // The library's own threads may block everything.
            Signal.unblock(Signal.allCases)
            Signal.block([.user1, .hangup])
            raise(SIGUSR1)
            var pending = sigset_t()
            sigpending(&pending)
            let arePending = [SIGUSR1, SIGHUP, SIGUSR2].map { sigismember(&pending, $0) }
            guard arePending == [1, 0, 0] else { exit(2) }
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            let areBlocked = [SIGUSR1, SIGHUP, SIGUSR2].map { sigismember(&mask, $0) }
            guard areBlocked == [1, 1, 0] else { exit(3) }
            // It is dropped once it is ignored.
            Signal.ignore([.user1])
            Signal.unblock([.user1])
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            let areStillBlocked = [SIGUSR1, SIGHUP].map { sigismember(&mask, $0) }
            guard areStillBlocked == [0, 1] else { exit(4) }
            raise(SIGUSR1)
        }
    }

    @Test("a pending signal acts once it is unblocked")
    func unblocking() async {
        await #expect(processExitsWith: .signal(SIGUSR2)) {
            Signal.block([.user2])
            raise(SIGUSR2)
            Signal.unblock([.user2])
            exit(0)
        }
    }

    @Test("a process that has nothing to save ends well by a signal, even by one that is pending already")
    func quiet() async {
        await #expect(processExitsWith: .exitCode(0)) {
            Signal.block([.terminate])
            raise(SIGTERM)
            Signal.exitQuietly(at: [.interrupt, .terminate])
            exit(7)
        }
    }

    @Test("a process ends by a signal though it ignores and blocks that")
    func ending() async {
        await #expect(processExitsWith: .signal(SIGHUP)) {
            Signal.ignore([.hangup])
            Signal.block([.hangup])
            Signal.endProcess(by: .hangup)
        }
    }

    @Test("without a reader a write is an error, once broken pipes are ignored")
    func brokenPipe() async {
        await #expect(processExitsWith: .success) {
            var ends: [Int32] = [0, 0]
            #expect(pipe(&ends) == 0)
            close(ends[0])
            Signal.ignoreBrokenPipes()
            #expect(!SystemOutput.write([1], to: ends[1]))
        }
    }

    @Test("without a reader, standard output ends the process as it would another program, though that is ignored")
    func brokenOutput() async {
        await #expect(processExitsWith: .signal(SIGPIPE)) {
            Signal.ignoreBrokenPipes()
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0, dup2(ends[1], STDOUT_FILENO) == STDOUT_FILENO else { exit(1) }
            close(ends[0])
            try StandardOutput.write([1])
        }
    }
}
