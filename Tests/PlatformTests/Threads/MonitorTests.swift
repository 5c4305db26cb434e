import Platform
import Testing

@Suite struct MonitorTests {
    @Test("a wait ends when another thread changes the value and wakes it")
    func wake() throws {
        let monitor = Monitor(0)
        let thread = try Thread(name: "changes") {
            for _ in 0..<3 {
                monitor.withLock { $0 += 1 }
                monitor.wakeAll()
            }
        }
        #expect(monitor.wait { $0 == 3 ? "three" : nil } == "three")
        thread.join()
    }

    @Test("a wait with a timeout ends without a result, but looks once more after it")
    func timeout() {
        let monitor = Monitor(0)
        let began = SystemClock.awakeNanoseconds()
        var looks = 0
        let result: Int? = monitor.wait(for: .milliseconds(20)) { _ in
            looks += 1
            return nil
        }
        #expect(result == nil && looks >= 2)
        #expect(SystemClock.awakeNanoseconds() - began >= 20_000_000)
        #expect(monitor.wait(for: .zero) { $0 } == 0)
    }

    @Test("a wait runs again at the time it names, although nothing woke it")
    func deadline() {
        let monitor = Monitor(SystemClock.awakeNanoseconds() + 20_000_000)
        let late = monitor.wait(wakingAt: { $0 }) { due -> Int64? in
            let now = SystemClock.awakeNanoseconds()
            return now >= due ? now - due : nil
        }
        #expect(late >= 0)
    }

    @Test("durations beyond 250 years are limited")
    func longTimeouts() {
        let monitor = Monitor(1)
        #expect(monitor.wait(for: .seconds(Int64.max / 2)) { $0 } == 1)
        #expect(monitor.wait(for: .seconds(Int64.min / 2)) { $0 } == 1)
    }
}
