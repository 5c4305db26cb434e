import Locking
import Testing

@Suite("Countdowns")
struct CountdownTests {
    @Test("it calls back once all operations are done, and no more than once", arguments: [1, 2, 3])
    func arriving(count: Int) {
        let calls = Lock(0)
        let countdown = Countdown(count) { calls.withLock { $0 += 1 } }
        for _ in 0..<count {
            #expect(calls.withLock { $0 } == 0)
            countdown.arrive()
        }
        #expect(calls.withLock { $0 } == 1)
        countdown.arrive()
        #expect(calls.withLock { $0 } == 1)
    }

    @Test("without operations it calls back at once")
    func none() {
        let calls = Lock(0)
        let countdown = Countdown(0) { calls.withLock { $0 += 1 } }
        withExtendedLifetime(countdown) { #expect(calls.withLock { $0 } == 1) }
    }
}
