import Eventing
import Locking
import Platform
import Settings
import Testing

@testable import Daemon

/// Readings follow each other, and each is put in force as a whole or not at all.
@Suite struct ReloaderTests {
    /// Puts plans in force when told to.
    private final class Target: ReloadTarget {
        let applied = Lock<[ServingPlan]>([])
        let endings = BlockingQueue<Bool>()
        /// What says that the plan is in force everywhere, one for each application.
        let pending = BlockingQueue<@Sendable () -> Void>()

        func reloadBegins() {}

        func apply(_ plan: ServingPlan, _ report: ReloadReport, _ done: @escaping @Sendable () -> Void) {
            applied.withLock { $0.append(plan) }
            pending.push(done)
        }

        func reloadEnds(_ outcome: Reloader.Outcome) {
            if case .success = outcome { endings.push(true) } else { endings.push(false) }
        }
    }

    private static func plan(_ text: String) throws(SettingsError) -> ServingPlan {
        var reader = SettingsReader()
        reader.read(Array(text.utf8), name: "respite.toml")
        return try ServingPlan(try reader.finish(), ProcessContext(environment: [:], isRoot: false))
    }

    @Test("who asks while a reading is put in force is answered by the next one, all by the same")
    func coalescing() throws {
        let text = Lock("log.access = true")
        let readings = Lock(0)
        let reloader = try Reloader(try Self.plan("")) { () throws(SettingsError) -> ServingPlan in
            readings.withLock { $0 += 1 }
            return try Self.plan(text.withLock { $0 })
        }
        defer { reloader.stop() }
        let target = Target()
        let answers = BlockingQueue<[String]>()
        func ask() -> Bool {
            reloader.reload(target) { outcome in
                if case .success(let report) = outcome { answers.push(report.inForce) }
            }
        }
        #expect(ask())
        let first = target.pending.pop()
        text.withLock { $0 = "log.access = true\nupstream.circuit-breaker = false" }
        #expect(ask() && ask())
        #expect(readings.withLock { $0 } == 1)
        first?()
        #expect(answers.pop() == ["log.access"])
        target.pending.pop()?()
        #expect(answers.pop() == ["upstream.circuit-breaker"])
        #expect(answers.pop() == ["upstream.circuit-breaker"])
        #expect(readings.withLock { $0 } == 2)
        #expect(!reloader.current.settings.upstream.circuitBreaker)
    }

    @Test("what cannot be read, or not be put in force, leaves the old settings; the next reading may be right")
    func failure() throws {
        let text = Lock("wrong = 1")
        let reloader = try Reloader(try Self.plan("log.access = true")) { () throws(SettingsError) -> ServingPlan in
            try Self.plan(text.withLock { $0 })
        }
        defer { reloader.stop() }
        let target = Target()
        let answers = BlockingQueue<String>()
        func ask() -> Bool {
            reloader.reload(target) { outcome in
                switch outcome {
                case .success(let report): answers.push(report.inForce.joined())
                case .failure(let error): answers.push(error.summary)
                }
            }
        }
        #expect(ask())
        #expect(answers.pop()?.hasPrefix("respite.toml:1:1: unknown setting `wrong`; this is version") == true)
        #expect(target.endings.pop() == false)
        #expect(reloader.current.settings.log.access)
        #expect(target.applied.withLock { $0.isEmpty })
        text.withLock { $0 = "" }
        #expect(ask())
        target.pending.pop()?()
        #expect(answers.pop() == "log.access")
        #expect(!reloader.current.settings.log.access)
    }

    @Test("a reload begins even if as many other jobs wait as may")
    func fullQueue() throws {
        let reloader = try Reloader(try Self.plan("")) { () throws(SettingsError) -> ServingPlan in
            try Self.plan("log.access = true")
        }
        defer { reloader.stop() }
        let begun = BlockingQueue<Bool>()
        let gate = BlockingQueue<Bool>()
        let isFirstTaken = reloader.run {
            begun.push(true)
            _ = gate.pop()
        }
        #expect(isFirstTaken && begun.pop() == true)
        let target = Target()
        let answers = BlockingQueue<[String]>()
        let done = Lock(0)
        var jobs = 0
        while reloader.run({ done.withLock { $0 += 1 } }) { jobs += 1 }
        let isTaken = reloader.reload(target) { outcome in
            if case .success(let report) = outcome { answers.push(report.inForce) }
        }
        #expect(isTaken && jobs > 0)
        gate.push(true)
        target.pending.pop()?()
        #expect(answers.pop() == ["log.access"])
        #expect(done.withLock { $0 } == jobs)
        #expect(reloader.run {})
    }

    @Test("what needs a restart stays as it is and is reported again each time")
    func restart() throws {
        let reloader = try Reloader(try Self.plan("")) { () throws(SettingsError) -> ServingPlan in
            try Self.plan("loops = 3\nlisten = \"127.0.0.1:9\"")
        }
        defer { reloader.stop() }
        let target = Target()
        let answers = BlockingQueue<[String]>()
        for _ in 0..<2 {
            let isTaken = reloader.reload(target) { outcome in
                if case .success(let report) = outcome { answers.push(report.afterRestart) }
            }
            #expect(isTaken)
            target.pending.pop()?()
            #expect(answers.pop() == ["listen", "loops"])
            #expect(reloader.current.settings.listen == DaemonSettings().listen)
        }
    }

    @Test("four jobs may wait for the thread, each that has begun makes room, and after the end none is taken")
    func jobs() throws {
        let reloader = try Reloader(try Self.plan("")) { () throws(SettingsError) -> ServingPlan in try Self.plan("") }
        let (begun, gate) = (BlockingQueue<Int>(), BlockingQueue<Bool>())
        func run(_ number: Int) -> Bool {
            reloader.run {
                begun.push(number)
                _ = gate.pop()
            }
        }
        #expect(run(0) && begun.pop() == 0)
        #expect((1...5).map { run($0) } == [true, true, true, true, false])
        gate.push(true)
        #expect(begun.pop() == 1)
        #expect(run(6) && !run(7))
        for _ in 0..<5 { gate.push(true) }
        reloader.stop()
        // The jobs that were taken have run by then.
        #expect([2, 3, 4, 6].allSatisfy { begun.pop() == $0 })
        #expect(!run(8))
    }
}
