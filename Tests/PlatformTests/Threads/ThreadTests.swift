import Glibc
import Platform
import Testing

@Suite struct ThreadTests {
    @Test("a thread runs its body once, and a join waits for that")
    func join() throws {
        let seen = BlockingQueue<UInt>()
        let thread = try Thread(name: "a name of more than 15 bytes") { seen.push(Thread.currentIdentifier) }
        thread.join()
        thread.join()
        #expect(seen.count == 1 && seen.pop() != Thread.currentIdentifier)
    }

    @Test("signals are blocked on a thread, but for those of a crash")
    func signals() throws {
        let masks = BlockingQueue<[Bool]>()
        let thread = try Thread(name: "mask") {
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            let signals = [
                SIGTERM, SIGXFSZ, SIGCHLD, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT,
            ]
            masks.push(signals.map { sigismember(&mask, $0) == 1 })
        }
        thread.join()
        #expect(masks.pop() == [true, true, true, false, false, false, false, false, false])
    }
}
