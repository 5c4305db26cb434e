import Glibc
import HTTPCore
import Locking
import TestSupport
import Testing

@testable import EntityStorage

/// What the writer removes, what it gives up, and what it does without its database.
@Suite("Rows and databases that the writer gives up") struct WriterLossTests {
    private let home = TemporaryDirectory()
    private var database: String { home.path("store/cache.db") }

    private func configuration() -> StoreConfiguration {
        StoreConfiguration(directory: home.path("store"), limit: 4 << 20)
    }

    /// A writer whose database is open.
    private func opened(_ change: (inout StoreConfiguration) -> Void = { _ in }) throws -> WriterDesk {
        var configuration = configuration()
        change(&configuration)
        let desk = try WriterDesk(configuration)
        desk.writer.open()
        return desk
    }

    // MARK: Removals

    @Test("a removal by a condition covers what is there when it begins, and nothing that comes later")
    func bound() throws {
        let desk = try opened()
        desk.store(record("/x"), record("/y"))
        let removals = desk.parts.removals
        let counts = Lock<[Int]>([])
        let number = removals.begin { $0 == uri("/x") }
        desk.writer.remove(where: { $0 == uri("/x") }, number: number) { count in
            counts.withLock { $0.append(count) }
        }
        let later = desk.parts.rowIDs.next()
        #expect(removals.snapshot.cover(uri("/x"), row: 1, nil))
        #expect(!removals.snapshot.cover(uri("/x"), row: later, nil))
        desk.writer.drain()
        #expect(counts.withLock { $0 } == [1] && removals.isEmpty && desk.entries == 1)
    }

    @Test("a removal by tag leaves what came after its call, unless the call is older than the database")
    func taggedBound() throws {
        let desk = try opened()
        let counts = Lock<[Int]>([])
        func remove(_ bound: (id: Int64, epoch: Int)) {
            let number = desk.parts.removals.begin(taggedBy: tag("one")) { _ in true }
            desk.writer.remove(taggedBy: tag("one"), number: number, bound: bound) { count in
                counts.withLock { $0.append(count) }
            }
            desk.writer.drain()
            #expect(desk.parts.removals.isEmpty)
        }
        desk.store(record("/a", fields: [("Cache-Tag", "one")]))
        let bound = desk.parts.rowIDs.bound()
        desk.store(record("/b", fields: [("Cache-Tag", "one")]))
        remove(bound)
        #expect(counts.withLock { $0 } == [1] && desk.entries == 1)
        remove((id: 1, epoch: bound.epoch - 1))
        #expect(counts.withLock { $0 } == [1, 1] && desk.entries == 0)
    }

    @Test("a removal while no database can be opened ends at once, and takes all that the next one would have")
    func condemned() async throws {
        let store = try OpenStore(configuration())
        await store.commit(record("/small"))
        await store.commit(record("/large", bytes(200_000)))
        await store.close()
        let desk = try WriterDesk(configuration())
        let counts = Lock<[Int]>([])
        let number = desk.parts.removals.begin { _ in true }
        desk.writer.remove(where: { _ in true }, number: number) { count in counts.withLock { $0.append(count) } }
        #expect(counts.withLock { $0 } == [0] && desk.parts.removals.isEmpty && desk.writer.isCondemned)
        #expect(desk.writer.reopen() && !desk.writer.isCondemned && desk.entries == 0)
        #expect(filesBelow(home.path("store/bodies")).isEmpty)
    }

    // MARK: Lost databases

    @Test("the latest damaged database is kept, unless it takes more than a quarter of the limit")
    func setAside() throws {
        let desk = try opened()
        let damage = DatabaseError(code: 11, message: "malformed")
        let directory = desk.writer.directory
        for number in 1...2 {
            desk.store(record("/a"))
            desk.writer.setAside(damage)
            let kept = "cache.db.damaged-\(number)"
            #expect(
                desk.lines.last == "error: the database could not be used; a new one was begun reason=malformed "
                    + "kept=\(directory.path)/\(kept)"
            )
            #expect(directory.root.names.filter { $0.hasPrefix("cache.db.damaged") } == [kept])
            #expect(desk.parts.diskBudget.used.setAside > 0 && desk.entries == 0)
        }
        for number in 0..<40 { desk.store(record("/\(number)", bytes(30_000))) }
        try desk.writer.database?.connection.database.checkpoint(truncating: true)
        #expect(directory.size(of: StoreDirectory.database) > 1 << 20)
        desk.writer.setAside(damage)
        #expect(desk.lines.last?.hasSuffix("reason=malformed kept=no") == true)
        #expect(!directory.root.names.contains { $0.hasPrefix("cache.db.damaged") })
        #expect(desk.parts.counters.snapshot.damaged == 3 && desk.parts.diskBudget.used.setAside == 0)
    }

    @Test("changes that are given up hide their rows; if those are too many to remember, the database goes")
    func givingUp() throws {
        let desk = try opened { $0.pendingDeleteLimit = 2 }
        desk.store(record("/a"))
        let outcomes = Lock<[String]>([])
        @Sendable func add(_ outcome: String) { outcomes.withLock { $0.append(outcome) } }
        func changes() -> [RowOperation] {
            let operations: [RowOperation] = [
                .commit(record("/b")) { add("stored \($0)") }, .invalidate(uri("/a")) { add("invalid \($0)") },
                .remove(uri("/a")) { add("removed \($0)") },
            ]
            for operation in operations { #expect(desk.parts.writeQueue.add(operation)) }
            guard case .rows(let rows)? = desk.parts.writeQueue.take() else { return [] }
            return rows
        }
        let queue = desk.parts.writeQueue
        desk.writer.giveUp(changes())
        // A removal that somebody waits for goes on waiting.
        #expect(outcomes.withLock { $0 } == ["stored false", "invalid false"])
        #expect(queue.isBlocked && queue.count == 1 && queue.invalidationCount == 0)
        #expect(desk.parts.pendingDeletes.count == 2 && desk.parts.counters.snapshot.refused == 1)
        #expect(desk.lines.isEmpty)
        queue.unblock()
        desk.writer.giveUp(Array(changes().dropFirst()))
        #expect(outcomes.withLock { $0.dropFirst(2) } == ["stored false", "invalid true"])
        #expect(
            desk.lines == [
                "error: the database could not be used; a new one was begun "
                    + "reason=more changes wait than can be remembered kept=no"
            ]
        )
        #expect(!queue.isBlocked && desk.parts.pendingDeletes.isEmpty && desk.parts.counters.snapshot.refused == 1)
        desk.writer.drain()
        #expect(outcomes.withLock { $0.last } == "removed 0" && desk.entries == 0)
    }

    @Test(
        "a database that ends takes all that its body files used from the budget, also just after a removal",
        arguments: [false, true]
    )
    func released(removes: Bool) throws {
        let desk = try opened()
        let budget = desk.parts.diskBudget
        desk.store(record("/a", bytes(200_000)), record("/b", bytes(100_000, seed: 2)))
        var files = StoreLimits.fileCost(200_000) + StoreLimits.fileCost(100_000)
        #expect(budget.used.files == files)
        if removes {
            #expect(desk.parts.writeQueue.add(.remove(uri("/a")) { _ in }))
            desk.writer.drain()
            files = StoreLimits.fileCost(100_000)
            // The database notes in its next transaction that the file is gone.
            #expect(try desk.writer.database?.connection.doomed.all.count == 1)
            #expect(budget.used.files == files)
        }
        desk.writer.endDatabase()
        #expect(budget.used.files == 0 && budget.used.directories == 0 && desk.entries == -1)
        desk.writer.open()
        #expect(budget.used.files == files)
        #expect(desk.entries == (removes ? 1 : 2) && desk.lines.isEmpty)
    }

    @Test(
        "a store whose database is another program's, or a newer one's, is not used, and its log says why",
        arguments: [
            ("application_id = 7", "is a database of another program; move it away or change `storage.directory`"),
            (
                "user_version = 99",
                "has version 99, this program knows \(Schema.version): use the newer program, or another "
                    + "`storage.directory`"
            ),
        ]
    )
    func disabled(pragma: String, reason: String) async throws {
        let store = try OpenStore(configuration())
        await store.close()
        ClosedDatabase(path: database).edit("PRAGMA \(pragma)")
        let desk = try WriterDesk(configuration())
        desk.writer.open()
        let message = try #require(desk.writer.openError).userMessage
        #expect(message.hasSuffix("\(desk.writer.directory.databasePath) \(reason)"))
        #expect(desk.lines == ["error: the store is not used reason=\(message)"])
        #expect(desk.parts.counters.state == .disabled(reason: message) && desk.entries == -1)
    }

    @Test("a database, or a directory, that is gone is made anew, and told by its name")
    func replaced() throws {
        let desk = try opened()
        let path = desk.writer.directory.path
        unlink(database)
        desk.writer.checkDirectory()
        rename(home.path("store"), home.path("elsewhere"))
        desk.writer.checkDirectory()
        desk.writer.checkDirectory()
        #expect(
            desk.lines == [
                "warning: the store's database was removed or replaced; the one in its place was opened "
                    + "directory=\(path)",
                "warning: the store's directory was removed or replaced; the one in its place was opened "
                    + "directory=\(path)",
            ]
        )
        #expect(desk.writer.counters.state == .ok && access(database, F_OK) == 0)
    }
}
