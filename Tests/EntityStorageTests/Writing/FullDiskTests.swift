import EntityStorage
import Glibc
import HTTPCore
import ResourceCore
import Testing
import TestSupport

/// A file system of its own, so small that it fills; nil if this user may not mount one.
private final class SmallDisk: Sendable {
    let path: String
    private let directory: TemporaryDirectory

    init?(megabytes: Int) {
        directory = TemporaryDirectory()
        path = directory.path + "/disk"
        mkdir(path, 0o700)
        guard mount("tmpfs", path, "tmpfs", 0, "size=\(megabytes)m") == 0 else { return nil }
    }

    deinit { umount2(path, 2) }

    /// Another program takes all that is left.
    func fill() {
        let descriptor = open(path + "/hog", O_CREAT | O_RDWR | O_APPEND, 0o600)
        let block = [UInt8](repeating: 1, count: 4096)
        while write(descriptor, block, block.count) > 0 {}
        close(descriptor)
    }

    /// And gives it back.
    func empty() { unlink(path + "/hog") }

    static let isPossible = SmallDisk(megabytes: 1) != nil
}

@Suite("A full disk", .enabled(if: SmallDisk.isPossible, "needs the right to mount a small file system"))
struct FullDiskTests {
    @Test("storing stops with one line in the log, look-ups and removals go on, and storing resumes with space (H-154)")
    func fullDisk() async throws {
        let disk = try #require(SmallDisk(megabytes: 24))
        var configuration = StoreConfiguration(directory: disk.path + "/store", limit: 16 << 20)
        configuration.firstRetryDelay = .seconds(3600)
        let store = try OpenStore(configuration)
        #expect(await store.openError == nil)
        for number in 0..<40 { store.store.commit(record("/\(number)", bytes(30_000, seed: UInt64(number)))) { _ in } }
        await store.flush()

        disk.fill()
        var refused = 0
        for number in 100..<400 where !(await store.commit(record("/\(number)", bytes(30_000)))) { refused += 1 }
        #expect(refused > 0)
        guard case .full = store.store.statistics().state else {
            Issue.record("state \(store.store.statistics().state)")
            return
        }
        #expect(store.log.all.map(\.severity) == [.warning])
        #expect(store.store.makeBody(expected: nil) == nil)
        for number in 0..<40 {
            for found in await store.lookUp(uri("/\(number)")) {
                #expect(found.content == bytes(30_000, seed: UInt64(number)))
            }
        }
        // What was refused is not there in an older form either, and removals work.
        await store.commit(record("/39", [1]))
        #expect(await store.lookUp(uri("/39")).isEmpty)
        _ = await store.removeAll { _ in true }
        #expect(await store.list(after: 0, limit: 10).entries.isEmpty)

        disk.empty()
        #expect(await store.resumes())
        #expect(await store.commit(record("/new", [2])))
        #expect(await store.lookUp(uri("/new")).map(\.content) == [[2]])
        #expect(store.log.all.map(\.severity) == [.warning, .info])
    }

    @Test("a body that does not fit on the disk is refused, and leaves nothing behind (H-154)")
    func bodyOnFullDisk() async throws {
        let disk = try #require(SmallDisk(megabytes: 24))
        let store = try OpenStore(StoreConfiguration(directory: disk.path + "/store", limit: 200 << 20))
        #expect(await store.openError == nil)
        #expect(await store.body(bytes(30 << 20)) == nil)
        await store.flush()
        #expect(filesBelow(disk.path + "/store/spill").isEmpty)
    }

    @Test("a disk with no room for a database leaves the store empty until there is room (H-154)")
    func noRoomAtAll() async throws {
        let disk = try #require(SmallDisk(megabytes: 4))
        var configuration = StoreConfiguration(directory: disk.path + "/store", limit: 2 << 20)
        configuration.firstRetryDelay = .seconds(3600)
        var store = try OpenStore(configuration)
        await store.commit(record("/a"))
        await store.commit(record("/b"))
        await store.close()
        unlink(disk.path + "/store/ballast")
        disk.fill()
        store = try OpenStore(configuration)
        #expect(await store.openError?.code == .databaseNotUsable)
        #expect(!(await store.commit(record("/c"))))
        #expect(await store.lookUp(uri("/a")).isEmpty)
        // What is removed meanwhile must not come back with the database.
        _ = await store.remove(uri("/a"))

        disk.empty()
        #expect(await store.resumes())
        #expect(await store.openError == nil)
        #expect(await store.lookUp(uri("/a")).isEmpty)
        #expect(await store.lookUp(uri("/b")).count == 1)
        #expect(await store.commit(record("/c")))
        #expect(store.log.all.map(\.severity) == [.warning, .info])
    }

    @Test("a store that could not be opened on a full disk keeps as much as its limit says once there is room (H-154)")
    func limitAfterNoRoom() async throws {
        let disk = try #require(SmallDisk(megabytes: 16))
        var configuration = StoreConfiguration(directory: disk.path + "/store", limit: 8 << 20)
        configuration.firstRetryDelay = .seconds(3600)
        var store = try OpenStore(configuration)
        await store.close()
        unlink(disk.path + "/store/ballast")
        disk.fill()
        store = try OpenStore(configuration)
        #expect(await store.openError?.code == .databaseNotUsable)

        disk.empty()
        #expect(await store.resumes())
        for number in 0..<40 { #expect(await store.commit(record("/\(number)", bytes(30_000)))) }
        #expect(await store.list(after: 0, limit: 100).entries.count == 40)
    }

    @Test("with not a single block left, what was replaced or invalidated is not served, and the rest is (H-154)")
    func notASingleBlock() async throws {
        let disk = try #require(SmallDisk(megabytes: 8))
        var configuration = StoreConfiguration(directory: disk.path + "/store", limit: 4 << 20)
        configuration.firstRetryDelay = .seconds(3600)
        let store = try OpenStore(configuration)
        for name in ["/a", "/b", "/c"] { await store.commit(record(name)) }
        disk.fill()
        // The ballast goes, and so does its room.
        while store.store.statistics().state == .ok { await store.commit(record("/big", bytes(60_000))) }
        disk.fill()
        await store.invalidate(uri("/a"))
        await store.commit(record("/b", [2]))
        for found in await store.lookUp(uri("/a")) { #expect(found.isInvalidated) }
        for found in await store.lookUp(uri("/b")) { #expect(found.content == [2]) }

        disk.empty()
        #expect(await store.resumes())
        for found in await store.lookUp(uri("/a")) { #expect(found.isInvalidated) }
        #expect(await store.lookUp(uri("/b")).isEmpty)
        #expect(await store.lookUp(uri("/c")).count == 1)
        #expect(await store.commit(record("/a", [3])))
        #expect(await store.lookUp(uri("/a")).map(\.content) == [[3]])
    }

    /// A store with three records on a disk without a single block left, its ballast gone.
    private func exhausted(_ disk: SmallDisk, suppressing limit: Int = 100_000) async throws -> OpenStore {
        var configuration = StoreConfiguration(directory: disk.path + "/store", limit: 4 << 20)
        configuration.firstRetryDelay = .seconds(3600)
        configuration.pendingDeleteLimit = limit
        let store = try OpenStore(configuration)
        for name in ["/a", "/b", "/c"] { await store.commit(record(name)) }
        disk.fill()
        while store.store.statistics().state == .ok { await store.commit(record("/big", bytes(60_000))) }
        disk.fill()
        return store
    }

    /// What the store has by itself left behind is full: rows cannot be changed at all.
    private func isRefused(_ store: OpenStore, _ disk: SmallDisk) async -> Bool {
        for _ in 0..<100 {
            disk.fill()
            if !(await store.invalidate(uri("/c"))) { return true }
        }
        return false
    }

    @Test("what a purge was promised to remove is gone even where nothing can be written: the database goes (H-154)")
    func promise() async throws {
        let disk = try #require(SmallDisk(megabytes: 8))
        let store = try await exhausted(disk)
        try #require(await isRefused(store, disk))
        _ = await store.remove(uri("/a"))
        // Without a retry: it is gone by the time the purge is answered.
        #expect(store.log.all.contains { $0.severity == .error && $0.message.contains("a new one was begun") })
        disk.empty()
        _ = await store.resumes()
        for name in ["/a", "/b", "/c"] { #expect(await store.lookUp(uri(name)).isEmpty) }
    }

    @Test("more URIs than can be remembered cannot be hidden: the database goes (H-154)")
    func tooMany() async throws {
        let disk = try #require(SmallDisk(megabytes: 8))
        let store = try await exhausted(disk, suppressing: 1)
        try #require(await isRefused(store, disk))
        #expect(store.log.all.allSatisfy { $0.severity != .error })
        await store.invalidate(uri("/a"))
        #expect(store.log.all.contains { $0.severity == .error })
        disk.empty()
        _ = await store.resumes()
        for name in ["/a", "/b", "/c"] { #expect(await store.lookUp(uri(name)).isEmpty) }
    }

    @Test("an invalidation that the disk refuses is counted, and made when there is room (C-15.1, H-154)")
    func refusedInvalidation() async throws {
        let disk = try #require(SmallDisk(megabytes: 8))
        let store = try await exhausted(disk)
        try #require(await isRefused(store, disk))
        #expect(store.store.statistics().pendingInvalidations == 1)
        #expect(await store.lookUp(uri("/c")).isEmpty)
        disk.empty()
        #expect(await store.resumes())
        #expect(store.store.statistics().pendingInvalidations == 0)
        #expect(await store.lookUp(uri("/c")).map(\.isInvalidated) == [true])
        #expect(await store.lookUp(uri("/b")).map(\.isInvalidated) == [false])
    }
}
