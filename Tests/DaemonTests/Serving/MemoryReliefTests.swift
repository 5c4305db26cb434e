import Exchanges
import Glibc
import HTTPCaching
import HTTPCore
import Observability
import Platform
import ResourceCore
import Stores
import TestDoubles
import TestSupport
import Testing

@testable import Daemon

/// What happens under memory pressure.
@Suite struct MemoryReliefTests {
    @Test("each relief is counted, and logged once a minute with what it freed (S-018)")
    func relief() {
        let log = KeptLog()
        let clock = ManualTimekeeper()
        let table = ResourceTable(environment: CoreEnvironment(timekeeper: clock, hasher: NoHasher()))
        let registry = MetricsRegistry()
        // What is used before and after each relief.
        let used = SharedValue([500, 100, 80, 80, 70, 90])
        let relief = MemoryRelief(
            Service(name: "default", table: table),
            used: { used.update { $0.removeFirst() } },
            registry: registry,
            log: log.logger
        )
        let start = "warning memory pressure: unused responses were removed from memory"
        relief.relieve()
        #expect(log.take() == ["\(start) freed=400"])
        clock.advance(by: .seconds(59))
        relief.relieve()
        #expect(log.take() == [])
        clock.advance(by: .seconds(1))
        // More may be stored meanwhile than was freed.
        relief.relieve()
        #expect(log.take() == ["\(start) freed=0"])
        let text = String(decoding: registry.prometheusText(), as: UTF8.self)
        #expect(text.contains("\nrespite_memory_pressure_total 3\n"))
    }

    @Test("the log says which file tells of pressure, or why none does; it says nothing if there is none to try")
    func watching() throws {
        let (log, directory) = (KeptLog(), TemporaryDirectory())
        defer { withExtendedLifetime(directory) {} }
        let table = ResourceTable(environment: CoreEnvironment(timekeeper: ManualTimekeeper(), hasher: NoHasher()))
        let relief = MemoryRelief(
            Service(name: "default", table: table),
            used: { 7 },
            registry: MetricsRegistry(),
            log: log.logger
        )
        func started(_ path: String) -> PressureWatch? {
            relief.watch(environment: ["MEMORY_PRESSURE_WATCH": path], groups: "")
        }
        #expect(started("/dev/null") == nil && log.take() == [])
        let path = directory.path("pressure")
        #expect(started(path) == nil)
        #expect(log.take() == ["info memory pressure is not watched reason=\"\(path): No such file or directory\""])
        try #require(mkfifo(path, 0o600) == 0)
        let watch = try #require(started(path))
        defer { watch.stop() }
        #expect(log.take() == ["info memory pressure is watched file=\(path)"])
        let descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        #expect(write(descriptor, [1] as [UInt8], 1) == 1)
        try log.wait(for: "warning memory pressure: unused responses were removed from memory freed=0")
    }

    /// The relief of a service without responses.
    private static func idleRelief(_ log: KeptLog) -> MemoryRelief {
        let table = ResourceTable(environment: CoreEnvironment(timekeeper: ManualTimekeeper(), hasher: NoHasher()))
        return MemoryRelief(
            Service(name: "default", table: table),
            used: { 0 },
            registry: MetricsRegistry(),
            log: log.logger
        )
    }

    /// The descriptor of this process that leads to the file at `path`.
    private func descriptor(of path: String) -> Int32? {
        (0..<Int32(clamping: Descriptors.limit)).first { number in
            var target = [CChar](repeating: 0, count: 4096)
            let count = readlink("/proc/self/fd/\(number)", &target, target.count)
            return target.prefix(max(0, count)).elementsEqual(path.utf8.map { CChar(bitPattern: $0) })
        }
    }

    @Test("the log tells it if the file that tells of pressure does not do so any more")
    func lost() throws {
        let (log, directory) = (KeptLog(), TemporaryDirectory())
        defer { withExtendedLifetime(directory) {} }
        let path = directory.path("pressure")
        try #require(mkfifo(path, 0o600) == 0)
        let watch = try #require(Self.idleRelief(log).watch(environment: ["MEMORY_PRESSURE_WATCH": path], groups: ""))
        defer { watch.stop() }
        let watched = try #require(descriptor(of: path))
        // In its place comes a pipe that nobody reads, which is an error; then the watch is woken.
        let writer = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        try #require(writer >= 0)
        defer { close(writer) }
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        close(ends[0])
        defer { close(ends[1]) }
        try #require(dup2(ends[1], watched) == watched)
        #expect(write(writer, [1] as [UInt8], 1) == 1)
        let line = try log.wait(for: "warning memory pressure is not")
        #expect(line == "warning memory pressure is not watched any more")
    }

    @Test("if no file can tell of pressure, the log has the reason of each, the best one first")
    func reasons() async {
        // In a process of its own, which may open no file.
        await #expect(processExitsWith: .success) {
            let log = KeptLog()
            let relief = MemoryReliefTests.idleRelief(log)
            Descriptors.setLimit(0)
            guard relief.watch(environment: [:], groups: "0::/nowhere\n") == nil else { exit(1) }
            let reasons = ["/sys/fs/cgroup/nowhere/memory.pressure", "/proc/pressure/memory"].map {
                "\($0): Too many open files"
            }
            let line = "info memory pressure is not watched reason=\"\(reasons.joined(separator: "; "))\""
            guard log.take() == [line] else { exit(2) }
        }
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
