import Glibc
import HTTPCore
import TestSupport
import Testing

@testable import EntityStorage

/// What the writer puts off, for how long, and what it tells.
@Suite("What the writer does later") struct WriterTimingTests {
    private let home = TemporaryDirectory()
    private var database: String { home.path("store/cache.db") }
    private var ballast: String { home.path("store/ballast") }

    private func configuration() -> StoreConfiguration {
        StoreConfiguration(directory: home.path("store"), limit: 4 << 20)
    }

    /// A writer whose database is open.
    private func opened(_ change: (inout StoreConfiguration) -> Void = { _ in }) throws -> WriterDesk {
        var configuration = configuration()
        change(&configuration)
        let desk = try WriterDesk(configuration)
        desk.writer.open()
        #expect(desk.writer.counters.state == .ok && desk.delays.isEmpty && desk.lines.isEmpty)
        return desk
    }

    private func isFull(_ desk: WriterDesk) -> Bool {
        if case .full = desk.writer.counters.state { true } else { false }
    }

    // MARK: From time to time

    @Test("uses are saved every five minutes, sums every three seconds, and the directory is checked every five")
    func regular() throws {
        let desk = try opened()
        desk.writer.keepSavingUse()
        desk.writer.keepSavingSavings()
        desk.writer.keepWatchingDirectory()
        let delays: [Duration] = [.seconds(300), .seconds(3), .seconds(5)]
        #expect(desk.delays == delays)
        for _ in 0..<2 {
            for _ in delays { desk.goOn() }
            #expect(desk.delays == delays)
        }
        #expect(desk.lines.isEmpty)
    }

    @Test("uses and sums are saved while all is in order, and kept for later while it is not")
    func saving() throws {
        let desk = try opened()
        let connection = try #require(desk.writer.database?.connection)
        desk.parts.uses.touch(1000)
        desk.parts.savings.begin { Savings(requests: 3, bytes: 40) }
        desk.writer.counters.enter(.locked(reason: "", isOpen: true), nil)
        desk.writer.saveUse()
        desk.writer.saveSavings()
        #expect(try !connection.usage.remove(1000) && connection.meta.savings() == Savings())
        desk.writer.counters.enter(.ok, nil)
        desk.writer.saveUse()
        desk.writer.saveSavings()
        let saved = try connection.meta.savings()
        #expect(saved.requests == 3 && saved.bytes == 40 && saved.since == desk.parts.savings.total.since)
        #expect(try saved.since != nil && connection.usage.remove(1000))
        // Nothing is saved twice.
        desk.writer.saveUse()
        desk.writer.saveSavings()
        #expect(try !connection.usage.remove(1000) && connection.meta.savings() == saved)
    }

    @Test("directories of body files are looked through one after another, each a fifth of a second later, and once")
    func garbage() throws {
        let desk = try opened()
        let orphans = [("00", 512), ("80", 0x180), ("ff", 0x1FF)].map { "store/bodies/\($0.0)/\($0.1)" }
        for (shelf, orphan) in zip(["00", "80", "ff"], orphans) {
            _ = home.directory("store/bodies/\(shelf)")
            try home.write("x", to: orphan)
        }
        desk.writer.collectGarbage(after: .seconds(10))
        var delays: [Duration] = []
        while let delay = desk.delays.first, delays.count < 300 {
            delays.append(delay)
            desk.goOn()
        }
        let pauses = [Duration](repeating: .milliseconds(200), count: 255)
        #expect(delays == [.seconds(10)] + pauses)
        for orphan in orphans { #expect(access(home.path(orphan), F_OK) != 0, "\(orphan)") }
    }

    @Test("rows of an earlier version are reviewed in steps a fiftieth of a second apart; then the log is empty")
    func review() async throws {
        let store = try OpenStore(configuration())
        for number in 0..<3 { await store.commit(record("/\(number)", fields: [("Cache-Tag", "one")])) }
        await store.close()
        ClosedDatabase(path: database).downgrade(to: 5)
        let desk = try WriterDesk(configuration())
        desk.writer.open()
        #expect(desk.parts.review.isUnderWay && desk.delays == [.milliseconds(20)])
        desk.goOn()
        #expect(desk.parts.review.isUnderWay && desk.delays == [.milliseconds(20)] && desk.lines.isEmpty)
        desk.goOn()
        #expect(!desk.parts.review.isUnderWay && desk.delays.isEmpty)
        #expect(desk.lines == ["info: what was stored earlier is kept as the version and the settings of now say"])
        // It contained the former values, too.
        #expect(desk.writer.directory.size(of: StoreDirectory.log) == 0)
    }

    // MARK: A disk that refuses

    @Test("a disk that refuses is tried after two seconds, then after twice as long each time, up to five minutes")
    func probing() throws {
        let desk = try opened()
        #expect(access(ballast, F_OK) == 0)
        desk.writer.diskRefused("no space")
        #expect(isFull(desk) && access(ballast, F_OK) != 0)
        // What is in the place of the ballast keeps the disk from taking it.
        mkdir(ballast, 0o700)
        var delays: [Duration] = []
        for _ in 0..<10 {
            delays += desk.delays
            desk.goOn()
        }
        let expected: [Duration] = [2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map { (time: Int) in .seconds(time) }
        #expect(delays == expected && isFull(desk))
        rmdir(ballast)
        desk.goOn()
        #expect(desk.writer.counters.state == .ok && access(ballast, F_OK) == 0)
        #expect(
            desk.lines == [
                "warning: the disk refuses to write; nothing is stored until it accepts reason=no space",
                "info: the disk accepts writes again; storing goes on",
            ]
        )
    }

    @Test("a store whose ballast cannot be made is full from the start")
    func noBallast() throws {
        let desk = try WriterDesk(configuration())
        mkdir(ballast, 0o700)
        desk.writer.open()
        #expect(isFull(desk) && desk.delays == [.seconds(2)] && desk.lines.count == 1)
        #expect(desk.lines.first?.hasPrefix("warning: the disk refuses to write; nothing") == true)
    }

    @Test("after a refusal there are three quarters of the space once, and a quarter more every five minutes")
    func capacity() throws {
        let desk = try opened()
        let budget = desk.parts.diskBudget
        let whole = budget.capacity
        budget.change { $0.files = 2_000_000 }
        let lowered = min(budget.used.total, whole) / 4 * 3
        desk.writer.diskRefused("no space")
        #expect(budget.capacity == lowered && lowered < whole)
        desk.writer.diskRefused("still none")
        #expect(budget.capacity == lowered && desk.delays == [.seconds(2)] && desk.lines.count == 1)
        desk.goOn()
        #expect(desk.writer.counters.state == .ok && budget.capacity == lowered && desk.delays == [.seconds(300)])
        // While another program has a lock, nothing is asked for.
        desk.writer.counters.enter(.locked(reason: "", isOpen: true), nil)
        desk.goOn()
        #expect(budget.capacity == lowered && desk.delays == [.seconds(300)])
        desk.writer.counters.enter(.ok, nil)
        var capacities: [Int64] = []
        while desk.delays == [.seconds(300)], capacities.count < 20 {
            desk.goOn()
            capacities.append(budget.capacity)
        }
        #expect(capacities.first == lowered + lowered / 4 && capacities == capacities.sorted())
        #expect(capacities.last == whole && desk.delays.isEmpty)
    }

    @Test(
        "a store that is full again, or closed, asks for no space",
        arguments: [StoreState.full(reason: ""), .closed]
    )
    func noCapacity(state: StoreState) throws {
        let desk = try opened()
        desk.writer.diskRefused("no space")
        desk.goOn()
        #expect(desk.delays == [.seconds(300)])
        let capacity = desk.parts.diskBudget.capacity
        desk.writer.counters.enter(state, nil)
        desk.goOn()
        #expect(desk.delays.isEmpty && desk.parts.diskBudget.capacity == capacity)
    }

    @Test("nothing is evicted for a body that all space together could not hold, nor while the disk refuses")
    func hopeless() throws {
        let desk = try opened()
        for number in 0..<5 { desk.store(record("/\(number)", bytes(20_000))) }
        let budget = desk.parts.diskBudget
        #expect(!desk.writer.makeRoomForFiles(budget.capacity) && desk.entries == 5)
        desk.writer.counters.enter(.full(reason: ""), nil)
        #expect(!desk.writer.makeRoomForFiles(budget.capacity - 1) && desk.entries == 5)
        #expect(desk.writer.makeRoomForFiles(100_000) && desk.entries == 5 && budget.used.files == 100_000)
    }

    // MARK: A locked database

    @Test("another program's lock is looked for every tenth of a second until it is gone; both are reported")
    func lock() throws {
        let desk = try opened { $0.lockPatience = .zero }
        desk.store(record("/a"))
        let other = ForeignConnection(database)
        other.lock()
        desk.store(record("/b"))
        #expect(desk.parts.writeQueue.isBlocked && desk.parts.writeQueue.count == 1)
        #expect(desk.delays == [.milliseconds(100)])
        desk.writer.waitForLock()
        #expect(desk.delays == [.milliseconds(100)])
        desk.goOn()
        #expect(desk.parts.writeQueue.isBlocked && desk.delays == [.milliseconds(100)])
        other.unlock()
        desk.goOn()
        #expect(!desk.parts.writeQueue.isBlocked && desk.delays.isEmpty && desk.writer.counters.state == .ok)
        desk.writer.drain()
        #expect(desk.entries == 2)
        let path = desk.writer.directory.databasePath
        #expect(
            desk.lines == [
                "warning: another program has locked the database; changes wait in memory until it lets go "
                    + "database=\(path)",
                "info: the database is free again; what waited is stored now",
            ]
        )
    }

    @Test("a database in which outdated rows cannot be changed is removed when the store closes")
    func outdated() throws {
        let desk = try opened { $0.lockPatience = .zero }
        desk.store(record("/a"))
        let other = ForeignConnection(database)
        other.lock()
        desk.parts.pendingDeletes.add(uri("/a").bytes, .remove)
        desk.writer.close {}
        #expect(desk.writer.counters.state == .closed && access(database, F_OK) != 0)
        #expect(desk.lines.last == "error: changes could not be made in the database: it was removed")
        withExtendedLifetime(other) {}
    }
}
