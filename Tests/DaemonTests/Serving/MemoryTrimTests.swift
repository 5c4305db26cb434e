import Exchanges
import HTTPCore
import Locking
import ResourceCore
import Testing

@testable import Daemon

@Suite("When memory is given back to the system")
struct MemoryTrimTests {
    /// Whether it is due after each look, with so many MiB resident and used.
    private func looks(_ excess: inout MemoryExcess, _ statistics: [(resident: Int, used: Int)]) -> [Bool] {
        statistics.map { excess.isDue(resident: $0.resident << 20, used: $0.used << 20) }
    }

    @Test("once a sixteenth of what is stored is resident beside it, 4 MiB at least")
    func due() {
        var large = MemoryExcess()
        #expect(looks(&large, [(0, 0), (650, 640), (679, 640), (680, 640)]) == [false, false, false, true])
        var small = MemoryExcess()
        #expect(looks(&small, [(10, 0), (13, 0), (14, 0)]) == [false, false, true])
    }

    @Test("not while as much leaves as comes")
    func steady() {
        var excess = MemoryExcess()
        #expect(
            !looks(&excess, [(10, 0), (500, 480), (505, 480), (500, 475), (508, 480), (490, 475), (505, 480)]).contains(
                true
            )
        )
    }

    @Test("not again at once for what could not be given back, but for more")
    func rest() {
        var excess = MemoryExcess()
        #expect(looks(&excess, [(10, 0), (100, 64)]) == [false, true])
        give(10, of: &excess, leaving: (90, 64))
        #expect(looks(&excess, [(93, 64)]) == [false])
        #expect(looks(&excess, [(94, 64)]) == [true])
    }

    @Test("again for the same after a while if entries came and went, later each time it was in vain")
    func patience() {
        var excess = MemoryExcess()
        #expect(looks(&excess, [(10, 0), (100, 64)]) == [false, true])
        var waited: [Int] = []
        for _ in 0..<9 {
            give(1, of: &excess, leaving: (90, 64))
            var count = 1
            while !looks(&excess, [(90, 64 - count % 2)])[0] { count += 1 }
            waited.append(count)
        }
        #expect(waited == [8, 16, 32, 64, 128, 256, 512, 512, 512])
        give(10, of: &excess, leaving: (90, 64))
        #expect(looks(&excess, [(90, 63), (90, 64), (90, 63), (90, 64)]) == [false, false, false, true])
    }

    @Test("never again for the same while nothing comes or goes")
    func quiet() {
        var excess = MemoryExcess()
        #expect(looks(&excess, [(10, 0), (100, 64)]) == [false, true])
        give(1, of: &excess, leaving: (90, 64))
        #expect(!looks(&excess, Array(repeating: (90, 64), count: 1000)).contains(true))
    }

    @Test("what is in use for something else and goes counts no more")
    func fall() {
        var excess = MemoryExcess()
        #expect(looks(&excess, [(108, 20), (48, 20), (52, 20)]) == [false, false, true])
        give(20, of: &excess, leaving: (28, 20))
        #expect(looks(&excess, [(24, 20), (27, 20), (28, 20)]) == [false, false, true])
    }

    /// With so many MiB given back, then resident and used.
    private func give(_ given: Int, of excess: inout MemoryExcess, leaving statistics: (resident: Int, used: Int)) {
        excess.didTrim(given << 20, resident: statistics.resident << 20, used: statistics.used << 20)
    }

    // MARK: With time

    /// A process that holds what it is told to, and what a trim took.
    private final class Process: Timekeeper {
        struct State {
            var now = MonotonicTime(nanoseconds: 0)
            var waiting: [(at: MonotonicTime, work: @Sendable () -> Void)] = []
            var resident = 10 << 20
            var trims: [MonotonicTime] = []
            var acceptsWork = true
        }
        let state = Lock(State())
        /// What giving back takes.
        let effort: Duration

        init(effort: Duration) { self.effort = effort }

        var now: MonotonicTime { state.withLock { $0.now } }
        var wallNow: HTTPDate { HTTPDate(seconds: 0) }
        var trims: [Int64] { state.withLock { $0.trims.map { $0.wholeSeconds(since: MonotonicTime(nanoseconds: 0)) } } }

        private final class Token: TimerToken {
            func cancel() {}
        }

        func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) -> any TimerToken {
            state.withLock { $0.waiting.append((at: $0.now + delay, work: work)) }
            return Token()
        }

        /// Lets time pass until `seconds`, with as much resident as before each time.
        func run(until seconds: Int, resident: Int) {
            let end = MonotonicTime(nanoseconds: 0) + .seconds(seconds)
            while true {
                let due: (@Sendable () -> Void)? = state.withLock { state in
                    guard let next = state.waiting.indices.min(by: { state.waiting[$0].at < state.waiting[$1].at }),
                        state.waiting[next].at <= end
                    else { return nil }
                    let (time, work) = state.waiting.remove(at: next)
                    state.now = max(state.now, time)
                    state.resident = resident
                    return work
                }
                guard let due else { break }
                due()
            }
            state.withLock { $0.now = end }
        }

        func releaseMemory() {
            state.withLock { state in
                state.trims.append(state.now)
                state.resident = 10 << 20
                state.now = state.now + effort
            }
        }
    }

    private func trim(_ process: Process) -> MemoryTrim {
        MemoryTrim(
            process,
            resident: { process.state.withLock { $0.resident } },
            used: { 0 },
            workers: { work in
                guard process.state.withLock({ $0.acceptsWork }) else { return false }
                work()
                return true
            },
            releaseMemory: { process.releaseMemory() }
        )
    }

    @Test("it looks every second")
    func interval() {
        let process = Process(effort: .milliseconds(1))
        let trim = trim(process)
        trim.start()
        process.run(until: 5, resident: 10 << 20)
        #expect(process.trims == [])
        process.run(until: 9, resident: 100 << 20)
        #expect(process.trims == [6, 7, 8])
        withExtendedLifetime(trim) {}
    }

    @Test("memory that could not be returned is not tried again every second")
    func inVain() {
        let process = Process(effort: .milliseconds(1))
        let tries = Lock(0)
        let trim = MemoryTrim(
            process,
            resident: { process.state.withLock { $0.resident } },
            used: { 0 },
            workers: { work in
                work()
                return true
            },
            releaseMemory: { tries.withLock { $0 += 1 } }
        )
        trim.start()
        process.run(until: 5, resident: 10 << 20)
        process.run(until: 12, resident: 100 << 20)
        #expect(tries.withLock { $0 } == 1)
        withExtendedLifetime(trim) {}
    }

    @Test("giving back takes a twentieth of the time at most")
    func share() {
        let process = Process(effort: .seconds(1))
        let trim = trim(process)
        trim.start()
        process.run(until: 70, resident: 100 << 20)
        #expect(process.trims == [1, 22, 43, 64])
        withExtendedLifetime(trim) {}
    }

    @Test("a thread with enough to do is asked again")
    func refused() {
        let process = Process(effort: .milliseconds(1))
        let trim = trim(process)
        trim.start()
        process.state.withLock { $0.acceptsWork = false }
        process.run(until: 5, resident: 100 << 20)
        #expect(process.trims == [])
        process.state.withLock { $0.acceptsWork = true }
        process.run(until: 6, resident: 100 << 20)
        #expect(process.trims == [6])
        withExtendedLifetime(trim) {}
    }

    @Test("nothing happens once nobody holds it")
    func gone() {
        let process = Process(effort: .milliseconds(1))
        var kept: MemoryTrim? = trim(process)
        kept?.start()
        kept = nil
        process.run(until: 10, resident: 100 << 20)
        #expect(process.trims == [] && process.state.withLock { $0.waiting.isEmpty })
    }
}
