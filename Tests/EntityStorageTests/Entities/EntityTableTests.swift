import TestSupport
import Testing

@testable import EntityStorage

/// The entities of a program in a file (S-191).
@Suite("Entities in a file") struct EntityTableTests {
    private let home = TemporaryDirectory()

    private func table(limit: Int64 = 1 << 20) throws -> EntityTable {
        try EntityTable.open(try EntityFile(in: home.path), limit: limit)
    }

    private var database: ClosedDatabase { ClosedDatabase(path: home.path(EntityFile.name)) }

    private func row(_ time: Int64, _ content: [UInt8] = [1, 2, 3], head: [UInt8] = [4, 5]) -> EntityRow {
        EntityRow(time: time, kind: 7, head: head, content: content)
    }

    private func count(_ name: String) -> String? { database.query("SELECT count(*) FROM \(name)").first }

    // MARK: Rows

    @Test("a row comes back as it was written, also from the next process; the last one written under a key counts")
    func rows() throws {
        let table = try table()
        #expect(try table.read([1]) == nil)
        #expect(try table.write(row(10), for: [1]) && table.write(row(20, []), for: [2]))
        #expect(try table.read([1]) == row(10) && table.read([2]) == row(20, []) && table.read([3]) == nil)
        #expect(try table.write(row(30, [9], head: []), for: [1]))
        #expect(try table.read([1]) == row(30, [9], head: []))
        let next = try self.table()
        #expect(try next.read([1]) == row(30, [9], head: []) && next.read([2]) == row(20, []))
        #expect(count("entity") == "2" && count("content") == "2")
    }

    @Test("what is removed is gone, with its content; nothing else is")
    func removing() throws {
        let table = try table()
        for key in [1, 2] as [UInt8] { _ = try table.write(row(10), for: [key]) }
        try table.remove([1])
        try table.remove([3])
        #expect(try table.read([1]) == nil && table.read([2]) == row(10))
        #expect(count("entity") == "1" && count("content") == "1")
    }

    @Test("a confirmed row has the new time and is whole; there is nothing to confirm of a missing one")
    func touching() throws {
        let table = try table()
        _ = try table.write(row(10), for: [1])
        _ = try table.write(row(10), for: [2])
        try table.touch([1], time: 99)
        try table.touch([3], time: 99)
        #expect(try table.read([1]) == row(99) && table.read([2]) == row(10) && table.read([3]) == nil)
        #expect(count("entity") == "2")
    }

    @Test(
        "a row of which anything was changed is missing from then on, and leaves nothing behind",
        arguments: [
            "UPDATE entity SET time = time + 1", "UPDATE entity SET kind = kind + 1", "UPDATE entity SET head = x'00'",
            "UPDATE entity SET key = x'02'", "UPDATE entity SET content_sum = content_sum + 1",
            "UPDATE entity SET sum = sum + 1", "UPDATE content SET octets = x'00'", "DELETE FROM content",
        ]
    )
    func damaged(statement: String) throws {
        let table = try table()
        _ = try table.write(row(10), for: [1])
        database.edit(statement)
        try table.touch([1], time: 99)
        #expect(try table.read([1]) == nil && table.read([2]) == nil)
        #expect(count("entity") == "0" && count("content") == "0")
    }

    // MARK: Room

    @Test("a row as large as nearly half of the file is written; a larger one takes the former with it")
    func large() throws {
        let table = try table(limit: 1)
        let most = 24 * 4096 - 1 - 2
        #expect(try table.write(row(1, bytes(most), head: []), for: [1]))
        #expect(try table.read([1])?.content.count == most)
        #expect(try !table.write(row(2, bytes(most), head: [0]), for: [1]) && table.read([1]) == nil)
        #expect(try table.write(row(3, bytes(most - 1), head: [0]), for: [1]))
        #expect(try !table.write(row(4, bytes(most), head: []), for: [1, 2]))
    }

    @Test("those that were written or confirmed longest ago make room, and the file keeps to its limit")
    func room() throws {
        let table = try table(limit: 256 << 10)
        for number in 0..<100 as Range<UInt8> {
            #expect(try table.write(row(Int64(number), bytes(8000, seed: UInt64(number))), for: [number]))
            if number >= 1 { try table.touch([0], time: Int64(number)) }
        }
        let kept = try (0..<100 as Range<UInt8>).filter { try table.read([$0]) != nil }
        #expect(kept.first == 0 && kept.count > 10 && kept.count < 32)
        #expect(kept.dropFirst() == (UInt8(100 - kept.count + 1)..<100).map { $0 }[...])
        let size = try EntityFile(in: home.path).directory.status(of: EntityFile.name)?.count
        #expect(size.map { $0 <= 256 << 10 } == true && count("entity") == count("content"))
    }

    @Test("the log is cut to a quarter of the limit, however much has been written")
    func log() throws {
        let table = try table(limit: 256 << 10)
        let directory = try EntityFile(in: home.path).directory
        let large = row(1, bytes(90_000))
        for number in 0..<60 as Range<UInt8> { _ = try table.write(large, for: [number % 2]) }
        for number in 0..<20 as Range<UInt8> { _ = try table.write(row(2), for: [number]) }
        let size = try #require(directory.status(of: EntityFile.name + "-wal")?.count)
        #expect(size > 0 && size <= 64 << 10)
    }

    // MARK: Files

    private func error() -> StoreError? {
        do {
            _ = try table()
            return nil
        } catch {
            return error as? StoreError
        }
    }

    private func refusal() -> StoreError.Code? { error()?.code }

    @Test("a database of another program, or of a newer one, is left alone")
    func foreign() throws {
        database.edit("CREATE TABLE other(a)")
        #expect(refusal() == .foreignDatabase)
        database.edit("DROP TABLE other; PRAGMA application_id = 7")
        #expect(refusal() == .foreignDatabase)
        database.edit("PRAGMA application_id = 1381191749; PRAGMA user_version = 2")
        #expect(refusal() == .newerVersion(found: 2, known: 1) && count("sqlite_schema") == "0")
    }

    @Test("a refusal names the file, and says what to do")
    func sentences() throws {
        let path = try EntityFile(in: home.path).path
        database.edit("PRAGMA application_id = 7")
        #expect(error()?.userMessage == "\(path) is a database of another program; use another directory")
        database.edit("PRAGMA application_id = 1381191749; PRAGMA user_version = 2")
        #expect(
            error()?.userMessage == "\(path) was made by a newer program: use that one, or another directory"
        )
        database.edit("PRAGMA user_version = 1")
        let message = try #require(error()).userMessage
        #expect(message.hasPrefix("cannot open the database \(path): "))
        #expect(message.hasSuffix("; make room, or make it writable"))
    }

    @Test("a file that is no database is replaced, and its log with it")
    func noDatabase() throws {
        try home.write(bytes(10_000), to: EntityFile.name)
        let table = try table()
        #expect(try table.write(row(1), for: [1]) && table.read([1]) == row(1))
        let file = try EntityFile(in: home.path)
        #expect(file.path.hasSuffix("/entities.db"))
        for suffix in ["", "-wal", "-shm"] { #expect(file.directory.status(of: EntityFile.name + suffix) != nil) }
        file.discard()
        #expect(file.directory.names.isEmpty)
        withExtendedLifetime(table) {}
    }

    @Test("a file that others may read is closed to them; a new one is from the beginning")
    func closed() throws {
        _ = try table().write(row(1), for: [1])
        let file = try EntityFile(in: home.path)
        #expect(file.directory.status(of: EntityFile.name)?.mode == 0o600)
        try file.directory.setMode(of: EntityFile.name, 0o644)
        let again = try EntityFile(in: home.path)
        #expect(again.directory.status(of: EntityFile.name)?.mode == 0o600)
        #expect(try table().read([1]) == row(1))
    }

    // MARK: For a program

    @Test("a program's database opens at the first use, and drops what the program cannot read")
    func program() throws {
        let database = EntityDatabase(directory: home.path("entities"), limit: 1 << 20)
        #expect(try database.read([1]) { $0 } == nil)
        try database.write(row(1), for: [1])
        try database.write(row(2), for: [2])
        try database.touch([2], time: 3)
        #expect(try database.read([1]) { $0 } == row(1) && database.read([2]) { $0 } == row(3))
        #expect(try database.read([1]) { _ in EntityRow?.none } == nil && database.read([1]) { $0 } == nil)
        try database.remove([2])
        #expect(try database.read([2]) { $0 } == nil)
    }

    @Test("without a directory each use fails with a sentence")
    func noDirectory() throws {
        try home.write("x", to: "file")
        let database = EntityDatabase(directory: home.path("file/entities"), limit: 1 << 20)
        for _ in 0..<2 {
            do {
                try database.write(row(1), for: [1])
                Issue.record("it can be used")
            } catch {
                #expect((error as? StoreError)?.code == .directoryNotUsable)
            }
        }
    }
}
