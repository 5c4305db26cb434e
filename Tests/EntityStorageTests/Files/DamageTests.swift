import CSQLite
import EntityStorage
import Glibc
import HTTPCore
import ResourceCore
import Testing
import Transforms
import TestSupport

@Suite("Damage to a store")
struct DamageTests {
    let directory = TemporaryDirectory()
    private var database: String { directory.path + "/cache.db" }

    private func edit(_ sql: String) { ClosedDatabase(path: database).edit(sql) }

    private func query(_ sql: String) -> [String] { ClosedDatabase(path: database).query(sql) }

    private func filled(_ count: Int = 20) async throws {
        let store = try OpenStore(directory)
        for number in 0..<count {
            store.store.commit(record("/\(number)", bytes(1000, seed: UInt64(number)))) { _ in }
        }
        await store.close()
    }

    @Test(
        "a row of which one bit has turned is never served, and dropped (H-155)",
        arguments: [
            "UPDATE entry SET fields = CAST(replace(fields, 'text/plain', 'text/plaio') AS BLOB)",
            "UPDATE entry SET status = 201", "UPDATE entry SET invalidated = 1", "UPDATE entry SET selection = x'01'",
            "UPDATE entry SET response_time = response_time + 1", "UPDATE entry SET size = size - 1",
            "UPDATE entry SET partition = x'01'", "UPDATE body SET data = CAST(substr(data, 1, 998) || 'zz' AS BLOB)",
            "UPDATE body SET data = substr(data, 1, 999)",
            "DELETE FROM body", "UPDATE entry SET format = 2",
        ]
    )
    func damagedRow(sql: String) async throws {
        try await filled(3)
        edit("\(sql) WHERE id = (SELECT id FROM entry WHERE uri LIKE '%/1')")
        let store = try OpenStore(directory)
        #expect(await store.lookUp(uri("/1")).isEmpty)
        #expect(await store.lookUp(uri("/0")).map(\.content) == [bytes(1000, seed: 0)])
        await store.flush()
        #expect(store.store.statistics().damaged == 1)
        #expect(store.store.statistics().entries == 2)
        await store.commit(record("/1", [1]))
        #expect(await store.lookUp(uri("/1")).map(\.content) == [[1]])
    }

    @Test("a lost invalidation mark is a damaged row")
    func lostMark() async throws {
        let store = try OpenStore(directory)
        await store.commit(record("/"))
        await store.invalidate(uri("/"))
        await store.close()
        edit("UPDATE entry SET invalidated = 0")
        #expect(await (try OpenStore(directory)).lookUp(uri("/")).isEmpty)
    }

    @Test("a flipped bit in the database file is never served", arguments: 0..<24)
    func flippedBit(step: Int) async throws {
        try await filled()
        var bytes = contents(database)
        let position = 4096 + (bytes.count - 4096) / 24 * step + step * 7
        bytes[position] ^= 1 << (step % 8)
        overwrite(database, bytes)
        let store = try OpenStore(directory)
        for number in 0..<20 {
            for found in await store.lookUp(uri("/\(number)")) {
                #expect(found.content == EntityStorageTests.bytes(1000, seed: UInt64(number)))
                #expect(found.fields == record("/").fields && found.status == 200 && !found.isInvalidated)
            }
        }
        // The one commit that meets the damage may be told lost, as the database is set aside then.
        var durable: Set<Int> = []
        for number in 0..<20 where await store.commit(record("/\(number)", [UInt8(number)])) { durable.insert(number) }
        #expect(durable.count >= 19)
        var missing = 0
        for number in durable {
            let found = await store.lookUp(uri("/\(number)")).map(\.content)
            #expect(found.isEmpty || found == [[UInt8(number)]])
            if found.isEmpty { missing += 1 }
        }
        // One that was committed just before is set aside with the database.
        #expect(missing <= 1)
    }

    @Test("a block of a body file that is not what was stored is never served; the entry is dropped (H-155)")
    func damagedFile() async throws {
        var store = try OpenStore(directory)
        let content = bytes(3 << 20)
        await store.commit(record("/", content))
        await store.close()
        let path = try #require(filesBelow(directory.path + "/bodies").first)
        var changed = content
        changed[(2 << 20) + 5] ^= 1
        overwrite(path, changed)

        store = try OpenStore(directory)
        let found = try #require(await store.lookUp(uri("/")).first)
        guard case .file(let file) = found.body else {
            Issue.record("a body of 3 MiB lies in a file")
            return
        }
        #expect(await file.isWhole(0..<(2 << 20)))
        #expect(!(await file.isWhole((2 << 20)..<(2 << 20) + 1)))
        #expect(!(await file.isWhole()))
        #expect(!(await file.isWhole(0..<(3 << 20) + 1)))
        await store.flush()
        #expect(await store.lookUp(uri("/")).isEmpty)
        #expect(store.store.statistics().damaged == 1)
    }

    @Test("a body file that is lost or cut is a miss", arguments: [true, false])
    func lostFile(isCut: Bool) async throws {
        var store = try OpenStore(directory)
        await store.commit(record("/", bytes(200_000)))
        await store.close()
        let path = try #require(filesBelow(directory.path + "/bodies").first)
        if isCut { truncate(path, 100_000) } else { unlink(path) }
        store = try OpenStore(directory)
        #expect(await store.lookUp(uri("/")).isEmpty)
        await store.flush()
        #expect(store.store.statistics().entries == 0)
    }

    @Test("a body file that is cut, or cannot be read, once it is open is never served; the entry is dropped (H-155)")
    func cutOpenFile() async throws {
        for isCut in [true, false] {
            var store = try OpenStore(directory)
            await store.commit(record("/", bytes(200_000)))
            await store.close()
            store = try OpenStore(directory)
            let found = try #require(await store.lookUp(uri("/")).first)
            guard case .file(let file) = found.body else {
                Issue.record("a body of 200,000 bytes lies in a file")
                return
            }
            if isCut {
                truncate(try #require(filesBelow(directory.path + "/bodies").first), 100_000)
            } else {
                #expect(await file.isWhole())
                file.fileCouldNotBeRead()
            }
            #expect(!(await file.isWhole()))
            #expect(!file.isVerified(0..<1) && !file.isVerified(0..<200_000))
            await store.flush()
            #expect(await store.lookUp(uri("/")).isEmpty)
            await store.close()
        }
    }

    @Test("a body file evicted while somebody holds it stays readable")
    func heldFile() async throws {
        let store = try OpenStore(directory)
        await store.commit(record("/", bytes(300_000)))
        let found = try #require(await store.lookUp(uri("/")).first)
        #expect(await store.remove(uri("/")) == 1)
        #expect(filesBelow(directory.path + "/bodies").isEmpty)
        #expect(found.content == bytes(300_000))
        guard case .file(let file) = found.body else { return }
        #expect(await file.isWhole())
    }

    @Test(
        "a database that is none, or was cut, is set aside; a new one is begun, with one line in the log (H-155)",
        arguments: ["garbage", "cut", "half", "end"]
    )
    func unusableDatabase(kind: String) async throws {
        try await filled(400)
        switch kind {
        case "garbage": overwrite(database, bytes(50_000))
        case "cut": truncate(database, 5 * 4096)
        case "end": truncate(database, off_t(contents(database).count - 4096))
        default: truncate(database, 8 * 4096 + 100)
        }
        let store = try OpenStore(directory)
        #expect(await store.openError == nil)
        // It shows before anything is read.
        #expect(store.store.statistics().damaged == 1)
        #expect(await store.lookUp(uri("/1")).isEmpty)
        await store.commit(record("/1", [1]))
        #expect(await store.lookUp(uri("/1")).map(\.content) == [[1]])
        #expect(store.log.all.count == 1 && store.log.all.first?.severity == .error)
        #expect(access(database + ".damaged-1", F_OK) == 0)
        #expect(store.store.statistics().state == .ok && store.store.statistics().damaged == 1)
    }

    @Test("body files of a database that was set aside are removed")
    func filesOfLostDatabase() async throws {
        var store = try OpenStore(directory)
        await store.commit(record("/", bytes(500_000)))
        await store.close()
        overwrite(database, bytes(50_000))
        store = try OpenStore(directory)
        #expect(await store.openError == nil)
        #expect(filesBelow(directory.path + "/bodies").isEmpty)
    }

    @Test("a database of a newer version is left alone; the store answers as if it were empty (H-155)")
    func newerVersion() async throws {
        try await filled()
        edit("PRAGMA user_version = 99")
        let before = contents(database)
        let store = try OpenStore(directory)
        let error = await store.openError
        #expect(error?.code == .newerVersion(found: 99, known: 7))
        #expect(error?.userMessage.contains("cache.db has version 99") == true)
        #expect(await store.lookUp(uri("/1")).isEmpty)
        #expect(!(await store.commit(record("/1"))))
        #expect(await store.remove(uri("/1")) == 0)
        #expect(await store.list(after: 0, limit: 10).entries.isEmpty)
        #expect(store.store.makeBody(expected: nil) == nil)
        await store.close()
        #expect(contents(database) == before)
    }

    @Test("another program's database is left alone")
    func foreignDatabase() async throws {
        // In a store: a directory with nothing but that is no store.
        await (try OpenStore(directory)).close()
        for name in ["cache.db", "cache.db-wal", "cache.db-shm"] { unlink(directory.path + "/" + name) }
        edit("CREATE TABLE precious(a); INSERT INTO precious VALUES(1)")
        let store = try OpenStore(directory)
        #expect(await store.openError?.code == .foreignDatabase)
        await store.close()
        #expect(query("SELECT a FROM precious") == ["1"])
    }

    @Test("a second store on one directory is refused with a sentence, and possible once the first is closed (H-155)")
    func secondStore() async throws {
        let first = try OpenStore(directory)
        let error = #expect(throws: StoreError.self) { try OpenStore(directory) }
        #expect(error?.code == .locked && error?.userMessage.contains(directory.path) == true)
        await first.commit(record("/"))
        await first.close()
        #expect(await (try OpenStore(directory)).lookUp(uri("/")).count == 1)
    }

    @Test("a directory that cannot be made is told in a sentence")
    func unusableDirectory() {
        let error = #expect(throws: StoreError.self) { try OpenStore(StoreConfiguration(directory: "/proc/none/x")) }
        #expect(error?.code == .directoryNotUsable && error?.userMessage.contains("/proc/none/x") == true)
    }

    @Test("drafts of an earlier run are removed; a whole body whose row was committed is kept")
    func interruptedWork() async throws {
        var store = try OpenStore(directory)
        await store.commit(record("/", bytes(200_000)))
        await store.close()
        let body = try #require(filesBelow(directory.path + "/bodies").first)
        let number = try #require(body.split(separator: "/").last)
        rename(body, directory.path + "/spill/\(number)")
        overwrite(directory.path + "/spill/77777", bytes(100))
        store = try OpenStore(directory)
        #expect(await store.openError == nil)
        #expect(filesBelow(directory.path + "/spill").isEmpty)
        #expect(filesBelow(directory.path + "/bodies") == [body])
        #expect(await store.lookUp(uri("/")).map(\.content) == [bytes(200_000)])
    }

    @Test("body files without a row are garbage for the walk in the background; those with a row stay")
    func garbage() async throws {
        let store = try OpenStore(directory)
        await store.commit(record("/", bytes(200_000)))
        let body = try #require(filesBelow(directory.path + "/bodies").first)
        let shelf = body.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
        let number = try #require(body.split(separator: "/").last.flatMap { Int($0) })
        overwrite(shelf + "/\(number + 256 * 1000)", bytes(100))
        await store.collectGarbage()
        #expect(filesBelow(directory.path + "/bodies") == [body])
        #expect(await store.lookUp(uri("/")).count == 1)
    }

    @Test("another program that reads the database for long does not make it grow beyond its limit")
    func foreignReader() async throws {
        let limit: Int64 = 2 << 20
        var configuration = StoreConfiguration(directory: directory.path, limit: limit)
        configuration.lockPatience = .zero
        configuration.lockRetryDelay = .seconds(3600)
        let store = try OpenStore(configuration)
        await store.commit(record("/first"))
        let reader = ForeignConnection(database)
        reader.run("BEGIN; SELECT count(*) FROM entry")
        for number in 0..<100 { store.store.commit(record("/\(number)", bytes(30_000))) { _ in } }
        await store.log.wait(for: 1)
        #expect(directory.usage <= limit && store.store.statistics().queued > 0)
        #expect(await store.lookUp(uri("/first")).count == 1)
        #expect(await store.lookUp(uri("/99")).isEmpty)
        reader.run("ROLLBACK")
        #expect(await store.resumes())
        await store.flush()
        #expect(await store.lookUp(uri("/99")).count == 1)
        #expect(await store.commit(record("/last")))
        #expect(directory.usage <= limit)
    }

    @Test("a person can read the store with any SQLite tool")
    func view() async throws {
        let store = try OpenStore(directory)
        await store.commit(record("/", bytes(200_000)))
        await store.commit(record("/a", [1], partition: .credential([1])))
        await store.close()
        #expect(query("SELECT uri FROM entries ORDER BY id") == [uri("/").text, uri("/a").text])
        #expect(query("SELECT partition FROM entries ORDER BY id") == ["shared", "credential"])
        #expect(query("SELECT stored FROM entries LIMIT 1") == ["2023-11-14 22:13:21"])
        let file = try #require(query("SELECT file FROM entries WHERE size = 200000").first)
        #expect(contents(directory.path + "/" + file) == bytes(200_000))
        #expect(query("PRAGMA integrity_check") == ["ok"])
    }
}
