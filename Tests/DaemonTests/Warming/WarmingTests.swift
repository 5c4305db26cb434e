import HTTPCore
import Locking
import Observability
import Settings
import TestDoubles
import Testing

@testable import Daemon

/// Lists of URLs that are loaded at intervals.
@Suite struct WarmingTests {
    /// Lists in place of files, workers that run at once, loads that a test ends.
    private final class World: Sendable {
        let clock = ManualTimekeeper()
        let log = KeptLog()
        private let lists = Lock<[String: [String]]>([:])
        private let loads = Lock<[(url: String, completion: @Sendable (WarmRound.Outcome) -> Void)]>([])
        private let reads = Lock(0)
        private let asked = Lock<[String]>([])
        private let refusesWork = Lock(false)
        let isHeld: Bool

        init(_ lists: [String: [String]], isHeld: Bool = false) {
            self.isHeld = isHeld
            self.lists.withLock { $0 = lists }
        }

        var tools: Warming.Tools {
            Warming.Tools(
                timekeeper: clock,
                workers: { [self] work in
                    if refusesWork.withLock({ $0 }) { return false }
                    work()
                    return true
                },
                read: { [self] settings in read(settings.urls) },
                load: { [self] url, completion in
                    asked.withLock { $0.append(url.text) }
                    if isHeld { return loads.withLock { $0.append((url.text, completion)) } }
                    completion(url.text.contains("bad") ? .failed("refused") : .loaded)
                },
                log: log.logger
            )
        }

        private func read(_ name: String) -> Result<[TargetURI], SettingsError> {
            reads.withLock { $0 += 1 }
            guard let list = lists.withLock({ $0[name] }) else {
                return .failure(SettingsError(source: name, userMessage: "cannot be read"))
            }
            return .success(list.compactMap { try? TargetURI(parsing: $0) })
        }

        func set(_ name: String, _ list: [String]?) { lists.withLock { $0[name] = list } }
        func refuseWork() { refusesWork.withLock { $0 = true } }
        var urls: [String] { asked.withLock { $0 } }
        var waiting: Int { loads.withLock { $0.count } }

        func endLoad(_ outcome: WarmRound.Outcome = .loaded) {
            loads.withLock { $0.isEmpty ? nil : $0.removeFirst() }?.completion(outcome)
        }
    }

    private static let hourly = WarmSettings(urls: "a", every: .seconds(3600))

    @Test("the first round begins at once, each other one after the interval, with the list as it is then")
    func rounds() {
        let world = World(["a": ["http://a.example/1"]])
        let warming = Warming(world.tools)
        warming.apply([Self.hourly])
        #expect(world.urls == ["http://a.example/1"])
        world.clock.advance(by: .seconds(3599))
        #expect(world.urls.count == 1)
        world.set("a", ["http://a.example/2", "http://a.example/3"])
        world.clock.advance(by: .seconds(1))
        #expect(world.urls == ["http://a.example/1", "http://a.example/2", "http://a.example/3"])
        #expect(warming.statistics == Warming.Statistics(rounds: 2, skipped: 0, loads: 3, failures: 0))
        #expect(warming.faults == [])
    }

    @Test("four are loaded at a time, and a round that still runs is not started twice")
    func width() {
        let world = World(["a": (0..<10).map { "http://a.example/\($0)" }], isHeld: true)
        let warming = Warming(world.tools)
        warming.apply([Self.hourly])
        #expect(world.waiting == 4)
        world.endLoad()
        #expect(world.waiting == 4 && world.urls.count == 5)
        world.clock.advance(by: .seconds(3600))
        #expect(world.urls.count == 5 && warming.statistics.skipped == 1)
        while world.waiting > 0 { world.endLoad(.notModified) }
        #expect(world.urls.count == 10)
        world.clock.advance(by: .seconds(3600))
        #expect(world.urls.count == 14)
        #expect(warming.statistics == Warming.Statistics(rounds: 2, skipped: 1, loads: 10, failures: 0))
    }

    @Test("100,000 loads that end inside their call exhaust no stack")
    func manyAtOnce() {
        let world = World(["a": (0..<100_000).map { "http://a.example/\($0)" }])
        Warming(world.tools).apply([Self.hourly])
        #expect(world.urls.count == 100_000)
    }

    @Test("what cannot be loaded or read is counted and told until a round is right again")
    func faults() {
        let world = World(["a": ["http://bad.example/", "http://a.example/"]])
        let warming = Warming(world.tools)
        warming.apply([Self.hourly])
        #expect(warming.faults == ["warm: 1 of 2 URLs of a could not be loaded in the last round"])
        world.set("a", nil)
        world.clock.advance(by: .seconds(3600))
        #expect(warming.faults.count == 1 && warming.faults[0].contains("cannot be read"), "\(warming.faults)")
        world.set("a", ["http://a.example/"])
        world.clock.advance(by: .seconds(3600))
        #expect(warming.faults == [])
        #expect(warming.statistics == Warming.Statistics(rounds: 2, skipped: 1, loads: 3, failures: 1))
    }

    @Test("the log tells of each round by its list: that it begins, what came of it, or why it does not begin")
    func lines() {
        let world = World(["a": ["http://bad.example/", "http://a.example/"]])
        let warming = Warming(world.tools)
        warming.apply([Self.hourly])
        #expect(
            world.log.take() == [
                "info warming list=a urls=2", "info warmed list=a loaded=1 not-modified=0 failed=1",
                "warning not warmed list=a reason=\"http://bad.example/: refused\"",
            ]
        )
        world.set("a", nil)
        world.clock.advance(by: .seconds(3600))
        #expect(world.log.take() == ["warning not warmed list=a reason=\"a: cannot be read\""])
        world.refuseWork()
        world.clock.advance(by: .seconds(3600))
        #expect(world.log.take() == ["warning not warmed list=a reason=\"too much work waits for a thread\""])
        #expect(warming.faults == ["warm: too much work waits for a thread"] && warming.statistics.skipped == 2)
        let slow = World(["a": ["http://a.example/"]], isHeld: true)
        let waiting = Warming(slow.tools)
        waiting.apply([Self.hourly])
        slow.clock.advance(by: .seconds(3600))
        slow.endLoad(.notModified)
        #expect(
            slow.log.take() == [
                "info warming list=a urls=1", "info warming skipped: the round before still runs list=a",
                "info warmed list=a loaded=0 not-modified=1 failed=0",
            ]
        )
        #expect(waiting.faults == [])
    }

    @Test("a reload ends schedules that are gone, with the loads they have not begun; the others go on as they were")
    func reload() {
        let world = World(["a": (0..<9).map { "http://a.example/\($0)" }, "b": ["http://b.example/"]], isHeld: true)
        let warming = Warming(world.tools)
        warming.apply([Self.hourly])
        let other = WarmSettings(urls: "b", every: .seconds(60))
        warming.apply([Self.hourly, other])
        #expect(world.urls.count == 5)
        warming.apply([other])
        while world.waiting > 0 { world.endLoad() }
        #expect(world.urls.count == 5)
        world.clock.advance(by: .seconds(3600))
        #expect(world.urls.suffix(1) == ["http://b.example/"] && world.urls.count == 6)
        warming.stop()
        world.clock.advance(by: .seconds(3600))
        #expect(world.urls.count == 6)
    }
}
