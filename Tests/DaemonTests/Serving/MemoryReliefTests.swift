import Exchanges
import HTTPCaching
import HTTPCore
import Locking
import Observability
import ResourceCore
import Stores
import TestDoubles
import TestSupport
import Testing

@testable import Daemon

/// What happens under memory pressure.
@Suite struct MemoryReliefTests {
    @Test("each relief is counted, and logged once a minute with what it freed (S-018)")
    func log() {
        let lines = Lock<[String]>([])
        let logger = Logger(
            level: .info,
            format: .text,
            output: { bytes in lines.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) } },
            clock: { 0 }
        )
        let clock = ManualTimekeeper()
        let table = ResourceTable(environment: CoreEnvironment(timekeeper: clock, hasher: NoHasher()))
        let registry = MetricsRegistry()
        // What is used before and after each relief.
        let used = SharedValue([500, 100, 80, 80, 70, 90])
        let relief = MemoryRelief(
            Service(name: "default", table: table),
            used: { used.update { $0.removeFirst() } },
            registry: registry,
            log: logger
        )
        func told() -> [String] {
            lines.withLock { lines in
                defer { lines = [] }
                return lines.map { $0.split(separator: " ").last.map { String($0.filter { $0 != "\n" }) } ?? "" }
            }
        }
        relief.relieve()
        #expect(told() == ["freed=400"])
        clock.advance(by: .seconds(59))
        relief.relieve()
        #expect(told() == [])
        clock.advance(by: .seconds(1))
        // More may be stored meanwhile than was freed.
        relief.relieve()
        #expect(told() == ["freed=0"])
        let text = String(decoding: registry.prometheusText(), as: UTF8.self)
        #expect(text.contains("\nrespite_memory_pressure_total 3\n"))
    }

    @Test("no more readers are let in than may read at a time")
    func readers() {
        let readers = ReaderCount(limit: 2)
        #expect(readers.begin() && readers.begin() && !readers.begin())
        readers.end()
        #expect(readers.begin() && !readers.begin())
        readers.end()
        readers.end()
        #expect(readers.begin() && readers.begin() && !readers.begin())
    }
}
