import EntityStorage
import Glibc
import Platform
import Settings
import TestSupport
import Testing

@testable import Daemon

/// The store of a daemon: what it takes from the settings, and what of it is logged.
@Suite struct StorageTests {
    private let home = TemporaryDirectory()
    private let log = KeptLog()
    private var path: String { home.path("store") }

    private func settings(_ change: (inout DaemonSettings) -> Void = { _ in }) -> DaemonSettings {
        var settings = DaemonSettings()
        settings.storage.directory = .directory(path)
        settings.storage.limit = StorageLimit(.mebibytes(32))
        settings.storage.maxObjectSize = .mebibytes(1)
        change(&settings)
        return settings
    }

    private func paths(_ settings: DaemonSettings) -> DaemonPaths {
        DaemonPaths(settings, context: ProcessContext(environment: [:], isRoot: false))
    }

    private func open(_ settings: DaemonSettings? = nil, partitionKey: [UInt8]? = nil) -> Storage {
        let settings = settings ?? self.settings()
        return Storage.open(settings, paths(settings), partitionKey: partitionKey, descriptors: 1600, log: log.logger)
    }

    // MARK: What is logged

    @Test("a store that cannot be used is logged with the reason, which a check before the start tells, too (H-154)")
    func refused() throws {
        _ = home.directory("store")
        try home.write("precious", to: "store/notes.txt")
        let storage = open()
        let reason =
            "the storage directory \(path) holds what is not Respite's (notes.txt): nothing in it was changed; name an "
            + "empty or a new directory in `storage.directory`"
        #expect(log.take() == ["error store not used; no response will survive a restart reason=\"\(reason)\""])
        #expect(storage.store == nil && storage.directory == nil && storage.refusal == reason)
        let warning = Storage.warning(paths(settings()), isRoot: false)
        #expect(warning == "\(reason); until then nothing is stored on disk")
        storage.close()
    }

    @Test("where no store is wanted, there is none and nothing is told")
    func none() {
        let without = settings { $0.storage.directory = .none }
        let storage = open(without)
        #expect(storage.store == nil && storage.directory == nil && storage.refusal == nil && log.take().isEmpty)
        #expect(Storage.warning(paths(without), isRoot: false) == nil)
        storage.close()
    }

    @Test("what the store tells is logged as information, a warning or an error, with the details in one field")
    func notices() throws {
        let opened = "store message=\"the store's directory was open to other users; it is now for its owner alone\""
        let details = "details=\"directory=\(path) mode=755\""
        _ = home.directory("store")
        // What was open before it was a store need not be a mistake.
        for level in ["info", "warning"] {
            chmod(path, 0o755)
            let storage = open()
            try log.wait(for: "\(level) store")
            storage.close()
            #expect(log.take() == ["\(level) \(opened) \(details)"])
            #expect(storage.directory == path && storage.refusal == nil)
        }
        try home.write([UInt8](repeating: 7, count: 50_000), to: "store/cache.db")
        let storage = open()
        let line = try log.wait(for: "error store")
        let begun = "error store message=\"the database could not be used; a new one was begun\" details=\"reason="
        #expect(line.hasPrefix(begun) && line.contains(" kept=\(path)/"), "\(line)")
        storage.close()
    }

    // MARK: What settings say

    @Test("content of one client may be on the disk or in memory alone, and names of partitions come from a given key")
    func keeping() throws {
        let credentials = Array("Bearer x".utf8)
        for keeping in [PrivateKeeping.disk, .memory] {
            let storage = open(settings { $0.storage.keepPrivate = keeping })
            let store = try #require(storage.store)
            #expect(store.keepsPrivate == (keeping == .disk))
            #expect(storage.hasher.hash(credentials) == store.hasher.hash(credentials))
            storage.close()
        }
        let key = [UInt8](repeating: 5, count: 32)
        let storage = open(partitionKey: key)
        #expect(storage.hasher.hash(credentials) == CredentialHasher(key: key).hash(credentials))
        storage.close()
    }

    @Test("each setting for compression is that of the store, and its limit that of the settings")
    func values() throws {
        let settings: [StorageCompression] = [.auto, .all, .off]
        #expect(settings.map { StoreCompression($0) } == [.auto, .all, .off] as [StoreCompression])
        let storage = open(self.settings { $0.memory.limit = .mebibytes(3) })
        let (store, isOpen) = (try #require(storage.store), Gate())
        store.whenOpen { _ in isOpen.open() }
        try isOpen.wait("the store to open")
        #expect(store.statistics().limit == 32 << 20 && storage.memory.limit == 3 << 20)
        #expect(store.acceptsBody(of: 1 << 20) && !store.acceptsBody(of: 1 << 20 + 1))
        storage.close()
    }
}
