import Glibc
import HTTPCore
import Stores
import TestSupport
import Testing
import Transforms

@testable import EntityStorage

@Suite("Body files with the same bytes")
struct SharingTests {
    let directory = TemporaryDirectory()
    private static let content = bytes(300_000)

    private var database: ClosedDatabase { ClosedDatabase(path: directory.path + "/cache.db") }
    private var bodies: [String] { filesBelow(directory.path + "/bodies").sorted() }

    /// The numbers of the files behind the names of bodies.
    private var inodes: Set<UInt> { Set(bodies.map(inode)) }

    private func inode(_ path: String) -> UInt {
        var status = stat()
        #expect(stat(path, &status) == 0)
        return status.st_ino
    }

    /// Commits bodies in files, and waits until they were compared.
    private func commit(_ store: OpenStore, _ records: [StoredRecord]) async {
        for record in records { #expect(await store.commit(record)) }
        await store.finishComparisons()
    }

    /// A store with `content` under two URLs.
    private func twice() async throws -> OpenStore {
        let store = try OpenStore(directory)
        await commit(store, [record("/one", Self.content), record("/two", Self.content)])
        return store
    }

    @Test("two URLs with the same large body keep it once, also after a restart; status tells what that saves")
    func once() async throws {
        var store = try await twice()
        #expect(bodies.count == 2 && inodes.count == 1)
        let space = store.store.statistics().space
        #expect(space.sharedBodies == 1 && space.sharedBytes == 300_000)
        await store.close()
        store = try OpenStore(directory)
        for path in ["/one", "/two"] {
            let found = try #require(await store.lookUp(uri(path)).first)
            #expect(found.content == Self.content)
            let file = try #require(found.file)
            #expect(await file.isWhole())
        }
        await store.flush()
        #expect(store.store.statistics().space == space)
    }

    /// Whether the store counts what `du` does, but for its directories and small files.
    private func countsAll(_ store: OpenStore) async -> Bool {
        await store.flush()
        return directory.usage - store.store.statistics().usedBytes <= 48 << 10
    }

    @Test(
        "a shared body counts once for the limit, as du counts it, whichever name goes first, over restarts",
        arguments: [["/one", "/two"], ["/two", "/one"]],
        [false, true]
    )
    func counting(order: [String], restarts: Bool) async throws {
        var store = try OpenStore(directory)
        await commit(store, [record("/other", bytes(100_000, seed: 5))])
        await commit(store, [record("/one", Self.content)])
        let alone = store.store.statistics().usedBytes
        await commit(store, [record("/two", Self.content)])
        // A further name costs its place in a directory, which counts as a page, its row, and pages of the log.
        #expect(store.store.statistics().usedBytes - alone < 100_000)
        for path in order {
            if restarts {
                await store.close()
                store = try OpenStore(directory)
            }
            #expect(await countsAll(store))
            #expect(await store.remove(uri(path)) == 1)
            #expect(await countsAll(store))
            #expect(store.store.statistics().space == SpaceSavings())
            if path == order[0] { #expect(await store.lookUp(uri(order[1])).first?.content == Self.content) }
        }
        #expect(bodies.count == 1)
        // The next transaction counts what was removed after the last one.
        await store.commit(record("/small"))
        await store.close()
        #expect(database.query("SELECT count(*) FROM content") == ["1"])
        let counted = database.query("SELECT value FROM meta WHERE name = 'file_bytes'")
        #expect(counted == ["\(StoreLimits.fileCost(100_000))"])
    }

    @Test("a body that is open continues as a name of the shared file, and reads the same bytes")
    func openBody() async throws {
        let store = try OpenStore(directory)
        await store.commit(record("/one", Self.content))
        let body = try #require(await store.body(Self.content))
        await commit(store, [record("/two", body: .file(body))])
        var status = stat()
        let descriptor = body.descriptor
        #expect(fstat(descriptor, &status) == 0)
        #expect(inodes == [status.st_ino])
        #expect(body.bytes == Self.content && fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
    }

    @Test("equal checksums are not enough: a body of other bytes, as a collision has them, stays a file of its own")
    func collision() async throws {
        let store = try OpenStore(directory)
        await commit(store, [record("/one", Self.content)])
        var other = Self.content
        other[299_999] ^= 1
        overwrite(try #require(bodies.first), other)
        await commit(store, [record("/two", Self.content)])
        #expect(inodes.count == 2 && store.store.statistics().space.sharedBodies == 0)
        #expect(await store.lookUp(uri("/two")).first?.content == Self.content)
    }

    @Test("bodies of different length, and equal content in the table, share nothing")
    func others() async throws {
        let store = try OpenStore(directory)
        await commit(
            store,
            [
                record("/1", bytes(300_000)), record("/2", bytes(300_001)), record("/3", bytes(1000)),
                record("/4", bytes(1000)),
            ]
        )
        #expect(bodies.count == 2 && inodes.count == 2)
    }

    @Test("responses of a credential share nothing, neither with each other nor with those of everybody (C-20.1)")
    func credentials() async throws {
        let store = try OpenStore(directory)
        await commit(
            store,
            [
                record("/1", Self.content, partition: .credential([1])), record("/2", Self.content),
                record("/3", Self.content, partition: .credential([2])),
                record("/4", Self.content, partition: .credential([1])),
            ]
        )
        #expect(inodes.count == 4 && store.store.statistics().space.sharedBodies == 0)
        await store.close()
        #expect(database.query("SELECT count(*) FROM content") == ["1"])
    }

    @Test("damage to a shared file is a miss under each of its URLs (H-155)")
    func damage() async throws {
        var store = try await twice()
        await store.close()
        var changed = Self.content
        changed[1000] ^= 1
        overwrite(try #require(bodies.first), changed)
        store = try OpenStore(directory)
        for path in ["/one", "/two"] {
            let file = try #require(await store.lookUp(uri(path)).first?.file)
            #expect(!(await file.isWhole()))
            await store.flush()
            #expect(await store.lookUp(uri(path)).isEmpty)
        }
        #expect(store.store.statistics().damaged == 2)
        await commit(store, [record("/one", Self.content)])
        #expect(await store.lookUp(uri("/one")).first?.content == Self.content)
    }

    @Test("a body whose twin has lost its file stays a file of its own")
    func lostTwin() async throws {
        let store = try OpenStore(directory)
        await commit(store, [record("/one", Self.content)])
        unlink(try #require(bodies.first))
        await commit(store, [record("/two", Self.content)])
        #expect(await store.lookUp(uri("/two")).first?.content == Self.content)
        #expect(store.store.statistics().space.sharedBodies == 0)
    }

    @Test("after a kill between the link and its row the store counts too much, never too little, and all is there")
    func interruptedLink() async throws {
        var store = try await twice()
        await store.close()
        // As if the process had ended before the row was changed, and another body were just being linked.
        database.edit(
            """
            UPDATE content SET base = file;
            UPDATE meta SET value = 0 WHERE name IN ('shared_bodies', 'shared_bytes');
            UPDATE meta SET value = value + 303104 WHERE name = 'file_bytes'
            """
        )
        let name = try #require(bodies.last)
        let number = try #require(name.split(separator: "/").last)
        #expect(link(name, directory.path + "/spill/\(number)") == 0)
        store = try OpenStore(directory)
        #expect(await store.openError == nil)
        #expect(filesBelow(directory.path + "/spill").isEmpty && bodies.count == 2)
        for path in ["/one", "/two"] {
            #expect(await store.lookUp(uri(path)).first?.content == Self.content)
            #expect(await store.remove(uri(path)) == 1)
            #expect(await countsAll(store))
        }
        #expect(bodies.isEmpty)
    }

    @Test("a store restored without hard links is counted as it is, and evicted to its limit (H-130)")
    func copies() async throws {
        let limit: Int64 = 4 << 20
        var store = try OpenStore(directory, limit: limit)
        for number in 0..<20 { await commit(store, [record("/\(number)", Self.content)]) }
        await store.close()
        // As a backup has them that knows no links.
        for path in bodies {
            unlink(path)
            overwrite(path, Self.content)
        }
        #expect(inodes.count == 20 && directory.usage > limit)
        store = try OpenStore(directory, limit: limit)
        await store.collectGarbage()
        #expect(directory.usage <= limit)
        #expect(await countsAll(store))
        #expect(store.store.statistics().space == SpaceSavings() && store.store.statistics().evictions > 0)
        let left = store.store.statistics().entries
        #expect(left > 3 && bodies.count == Int(left))
        #expect(await store.lookUp(uri("/19")).first?.content == Self.content)
        for number in 0..<20 { _ = await store.remove(uri("/\(number)")) }
        await store.commit(record("/small"))
        await store.close()
        #expect(database.query("SELECT value FROM meta WHERE name = 'file_bytes'") == ["0"])
    }

    @Test("many names of one body fit where one copy each would not; du never passes the limit (H-130)")
    func manyNames() async throws {
        let limit: Int64 = 4 << 20
        let store = try OpenStore(directory, limit: limit)
        for number in 0..<40 {
            await commit(store, [record("/\(number)", Self.content)])
            #expect(directory.usage <= limit)
        }
        #expect(store.store.statistics().evictions == 0 && store.store.statistics().entries == 40)
        #expect(store.store.statistics().space.sharedBodies == 39 && inodes.count == 1)
        // Bodies of their own evict them, one name after the other.
        for number in 100..<120 {
            await commit(store, [record("/\(number)", bytes(300_000, seed: UInt64(number)))])
            #expect(directory.usage <= limit)
            #expect(store.store.statistics().usedBytes <= limit)
        }
        #expect(await store.lookUp(uri("/0")).isEmpty)
        #expect(await store.lookUp(uri("/119")).first?.content == bytes(300_000, seed: 119))
        #expect(store.store.statistics().space == SpaceSavings())
    }
}

extension OpenStore {
    /// Waits until every committed body was compared with those that may have the same bytes.
    fileprivate func finishComparisons() async { await answer { waiter in store.finishComparisons { waiter(()) } } }
}

extension StoredRecord {
    /// The body, if it is in a file.
    fileprivate var file: (any BodyFile)? {
        if case .file(let file) = body { file } else { nil }
    }
}
