import EntityStorage
import Glibc
import HTTPCore
import ResourceCore
import Testing

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
        for number in 0..<40 { store.store.commit(record("/\(number)", octets(30_000, seed: UInt64(number)))) { _ in } }
        await store.flush()

        // Another program fills the disk.
        let hog = disk.path + "/hog"
        let descriptor = open(hog, O_CREAT | O_RDWR, 0o600)
        let block = [UInt8](repeating: 1, count: 4096)
        while write(descriptor, block, block.count) > 0 {}
        close(descriptor)
        var refused = 0
        for number in 100..<400 where !(await store.commit(record("/\(number)", octets(30_000)))) { refused += 1 }
        #expect(refused > 0)
        guard case .full = store.store.statistics().state else {
            Issue.record("state \(store.store.statistics().state)")
            return
        }
        #expect(store.log.all.map(\.severity) == [.warning])
        #expect(store.store.makeBody(expected: nil) == nil)
        for number in 0..<40 {
            for found in await store.lookUp(uri("/\(number)")) {
                #expect(found.content == octets(30_000, seed: UInt64(number)))
            }
        }
        // What was refused is not there in an older form either, and removals work.
        await store.commit(record("/39", [1]))
        #expect(await store.lookUp(uri("/39")).isEmpty)
        _ = await store.removeAll { _ in true }
        #expect(await store.list(after: 0, limit: 10).isEmpty)

        unlink(hog)
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
        #expect(await store.body(octets(30 << 20)) == nil)
        await store.flush()
        #expect(filesBelow(disk.path + "/store/spill").isEmpty)
    }

    @Test("a disk with no room for a database disables the store with a sentence")
    func noRoomAtAll() async throws {
        let disk = try #require(SmallDisk(megabytes: 1))
        mkdir(disk.path + "/store", 0o700)
        let descriptor = open(disk.path + "/hog", O_CREAT | O_RDWR, 0o600)
        let block = [UInt8](repeating: 1, count: 4096)
        while write(descriptor, block, block.count) > 0 {}
        close(descriptor)
        let store = try OpenStore(StoreConfiguration(directory: disk.path + "/store", limit: 16 << 20))
        #expect(await store.openError?.code == .databaseNotUsable)
        #expect(!(await store.commit(record("/"))))
        #expect(await store.lookUp(uri("/")).isEmpty)
    }
}

extension OpenStore {
    /// Has the store try the disk now rather than later; whether it is in order again.
    fileprivate func resumes() async -> Bool {
        await withCheckedContinuation { waiter in
            store.retry { waiter.resume(returning: store.statistics().state == .ok) }
        }
    }
}
