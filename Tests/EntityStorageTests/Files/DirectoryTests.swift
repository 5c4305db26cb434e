import EntityStorage
import Glibc
import HTTPCore
import ResourceCore
import Testing
import TestSupport
import Transforms

@Suite("The directory of a store")
struct DirectoryTests {
    let home = TemporaryDirectory()
    private var path: String { home.path + "/store" }

    private func configuration() -> StoreConfiguration { StoreConfiguration(directory: path, limit: 64 << 20) }

    private func make(_ names: String...) {
        for name in names { mkdir("\(path)/\(name)", 0o755) }
    }

    private func mode(_ name: String = "") -> UInt32 {
        var status = stat()
        return lstat("\(path)/\(name)", &status) == 0 ? status.st_mode & 0o777 : 0
    }

    /// A store with one record in the table and one in a file.
    private func fill() async throws {
        let store = try OpenStore(configuration())
        await store.commit(record("/", Array("of the table".utf8)))
        await store.commit(record("/large", bytes(200_000)))
        await store.close()
    }

    private func holdsAll(_ store: OpenStore) async -> Bool {
        let small = await store.lookUp(uri("/")).map(\.content)
        let large = await store.lookUp(uri("/large")).map(\.content)
        return small == [Array("of the table".utf8)] && large == [bytes(200_000)]
    }

    // MARK: Whose it is

    @Test(
        "a directory that holds what is not Respite's is refused, with its name, and nothing in it is touched",
        arguments: ["notes.txt", "spill/notes.txt", "bodies/0a/10", "cache.db", "cache.db-wal", "respite-store/x"]
    )
    func foreignContent(name: String) throws {
        // Given a directory of a user's, with names that a store has, too
        mkdir(path, 0o755)
        make("spill", "bodies", "bodies/0a")
        if name.hasPrefix("respite-store") { make("respite-store") }
        overwrite("\(path)/\(name)", Array("precious".utf8))
        let before = filesBelow(path)
        // When a store is to be there
        let error = #expect(throws: StoreError.self) { try OpenStore(configuration()) }
        // Then it is refused, and all is as it was
        #expect(error?.code == .foreignDirectory && error?.userMessage.contains("`storage.directory`") == true)
        #expect(filesBelow(path) == before && contents("\(path)/\(name)") == Array("precious".utf8))
        #expect(mode() == 0o755)
        #expect(SQLiteStore.refusal(ofDirectory: path, isHandedOver: false)?.userMessage == error?.userMessage)
    }

    @Test("what the daemon keeps beside its store makes no directory somebody else's")
    func earlyFiles() throws {
        mkdir(path, 0o700)
        make("run", "lost+found")
        for name in ["admin-token", "admin-token.123", "admin.sock", "partition-key.9"] {
            overwrite("\(path)/\(name)", [])
        }
        #expect(SQLiteStore.refusal(ofDirectory: path, isHandedOver: false) == nil)
        #expect(access("\(path)/respite-store", F_OK) != 0)
        _ = try OpenStore(configuration())
        #expect(access("\(path)/respite-store", F_OK) == 0)
    }

    @Test(
        "the directory of another user is refused, unless a service manager made it for us",
        .enabled(if: geteuid() == 0)
    )
    func otherOwner() throws {
        mkdir(path, 0o700)
        chown(path, 12345, 12345)
        let error = #expect(throws: StoreError.self) { try OpenStore(configuration()) }
        #expect(error?.code == .foreignDirectory && error?.userMessage.contains("user 12345") == true)
        #expect(filesBelow(path).isEmpty)
        var handedOver = configuration()
        handedOver.isHandedOver = true
        _ = try OpenStore(handedOver)
    }

    @Test(
        "a link of another user's is refused; a link of ours, as systemd makes them, leads to the store",
        .enabled(if: geteuid() == 0)
    )
    func links() async throws {
        mkdir(home.path + "/private", 0o700)
        symlink("private", path)
        try await fill()
        #expect(access(home.path + "/private/cache.db", F_OK) == 0)
        let store = try OpenStore(configuration())
        #expect(await holdsAll(store))
        await store.close()
        lchown(path, 12345, 12345)
        let error = #expect(throws: StoreError.self) { try OpenStore(configuration()) }
        #expect(error?.code == .foreignDirectory && error?.userMessage.contains("is a link") == true)
    }

    @Test(
        "a store of an earlier version, without a marker, is taken over and closed to others",
        arguments: [false, true]
    )
    func earlierVersion(isDamaged: Bool) async throws {
        // Given a store as an earlier version left it, below a usual umask
        try await fill()
        unlink("\(path)/respite-store")
        chmod(path, 0o755)
        for name in ["cache.db", "lock", "partition-key"] { chmod("\(path)/\(name)", 0o644) }
        chmod("\(path)/spill", 0o755)
        if isDamaged { overwrite("\(path)/cache.db", bytes(50_000)) }
        // When it is opened
        let store = try OpenStore(configuration())
        // Then it is the same store, for its owner alone
        #expect(await holdsAll(store) == !isDamaged)
        await store.commit(record("/new"))
        for name in ["", "spill", "bodies"] { #expect(mode(name) == 0o700, "\(name)") }
        for name in ["cache.db", "cache.db-wal", "cache.db-shm", "lock", "partition-key", "respite-store", "ballast"] {
            #expect(mode(name) == 0o600, "\(name)")
        }
        #expect(store.log.all.first?.message.contains("open to other users") == true)
    }

    // MARK: Links and names

    @Test("links planted among a store's files are not followed", arguments: ["spill", "bodies", "cache.db", "lock"])
    func plantedLinks(name: String) async throws {
        try await fill()
        let victim = home.path + "/victim"
        rename("\(path)/\(name)", victim)
        symlink(victim, "\(path)/\(name)")
        let before = filesBelow(victim)
        let error = #expect(throws: StoreError.self) { try OpenStore(configuration()) }
        #expect(error?.code == .directoryNotUsable && error?.userMessage.contains(name) == true)
        #expect(filesBelow(victim) == before)
    }

    @Test("a planted link gives way to a file of the store's own, and what it leads to stays as it is")
    func plantedBallast() async throws {
        try await fill()
        let victim = home.path + "/victim"
        overwrite(victim, Array("precious".utf8))
        for name in ["ballast", "spill/77", "bodies/0a"] {
            unlink("\(path)/\(name)")
            symlink(victim, "\(path)/\(name)")
        }
        let store = try OpenStore(configuration())
        #expect(await holdsAll(store))
        await store.collectGarbage()
        #expect(contents(victim) == Array("precious".utf8))
        var status = stat()
        #expect(lstat("\(path)/ballast", &status) == 0 && status.st_mode & S_IFMT == S_IFREG)
    }

    @Test("a database with a second name elsewhere is refused: it would be written there, too")
    func secondName() async throws {
        try await fill()
        #expect(link("\(path)/cache.db", home.path + "/other") == 0)
        let error = #expect(throws: StoreError.self) { try OpenStore(configuration()) }
        #expect(error?.userMessage.contains("cache.db") == true)
    }

    @Test("nothing is deleted but what has a name that the store makes")
    func foreignNames() async throws {
        try await fill()
        make("bodies/00")
        let kept = [
            "notes.txt", "spill/notes.txt", "spill/007", "spill/-5", "bodies/00/junk", "bodies/00/7",
            "bodies/notes.txt", "cache.db.damaged-old", "cache.db.damaged-07",
        ]
        for name in kept { overwrite("\(path)/\(name)", Array("precious".utf8)) }
        overwrite("\(path)/spill/4711", bytes(100))
        overwrite("\(path)/bodies/00/512", bytes(100))
        // When a start cleans up, and then a damaged database takes all its files with it
        var store = try OpenStore(configuration())
        await store.collectGarbage()
        await store.close()
        overwrite("\(path)/cache.db", bytes(50_000))
        store = try OpenStore(configuration())
        #expect(await store.openError == nil)
        // Then what is not the store's stays
        for name in kept { #expect(contents("\(path)/\(name)") == Array("precious".utf8), "\(name)") }
        for name in ["spill/4711", "bodies/00/512"] { #expect(access("\(path)/\(name)", F_OK) != 0, "\(name)") }
    }

    @Test("a body file without a row goes, whatever its shelf: each has a name of two digits")
    func shelves() async throws {
        // Given what a run left that was killed
        try await fill()
        let shelves = [("00", 0x1000), ("09", 0x1009), ("0f", 0x100F), ("10", 0x1010), ("a0", 0x10A0), ("ff", 0x10FF)]
        let orphans = shelves.map { "bodies/\($0)/\($1)" }
        for (shelf, _) in shelves { make("bodies/\(shelf)") }
        for name in orphans { overwrite("\(path)/\(name)", bytes(100)) }
        // When the store looks for such files
        let store = try OpenStore(configuration())
        await store.collectGarbage()
        await store.close()
        // Then they are gone
        for name in orphans { #expect(access("\(path)/\(name)", F_OK) != 0, "\(name)") }
    }

    // MARK: Replaced while open

    @Test("a directory that is deleted while it is open is made anew, with the same key; one line tells")
    func deleted() async throws {
        let store = try OpenStore(configuration())
        await store.commit(record("/before"))
        let name = store.store.hasher.hash([1, 2, 3])
        run("/bin/rm", ["-rf", path])
        await store.checkDirectory()
        #expect(store.log.all.map(\.message).filter { $0.contains("removed or replaced") }.count == 1)
        #expect(store.store.statistics().state == .ok && store.store.statistics().entries == 0)
        #expect(await store.lookUp(uri("/before")).isEmpty)
        #expect(await store.commit(record("/after")))
        #expect(await store.commit(record("/large", bytes(200_000))))
        #expect(await store.lookUp(uri("/large")).map(\.content) == [bytes(200_000)])
        #expect(mode() == 0o700 && store.store.hasher.hash([1, 2, 3]) == name)
        await store.checkDirectory()
        #expect(store.log.all.count == 1)
        await store.close()
        let again = try OpenStore(configuration())
        #expect(await again.lookUp(uri("/after")).count == 1 && again.store.hasher.hash([1, 2, 3]) == name)
    }

    @Test("another store in the place of the open one is opened, with its key; the first one is left as it is")
    func replaced() async throws {
        try await fill()
        rename(path, home.path + "/other")
        let store = try OpenStore(configuration())
        await store.commit(record("/first"))
        rename(path, home.path + "/first")
        rename(home.path + "/other", path)
        await store.checkDirectory()
        #expect(await holdsAll(store))
        #expect(await store.lookUp(uri("/first")).isEmpty)
        #expect(contents("\(path)/partition-key") != contents(home.path + "/first/partition-key"))
        let key = try CredentialHasher(directory: path)
        #expect(store.store.hasher.hash([1]) == key.hash([1]))
        // The first may be opened meanwhile: its lock is free, its log is whole.
        let first = try OpenStore(StoreConfiguration(directory: home.path + "/first", limit: 64 << 20))
        #expect(await first.lookUp(uri("/first")).count == 1)
    }

    @Test("what is not ours in the place of the store ends storing until it is gone; both are told once")
    func replacedByForeign() async throws {
        let store = try OpenStore(configuration())
        await store.commit(record("/before"))
        rename(path, home.path + "/gone")
        mkdir(path, 0o755)
        overwrite("\(path)/notes.txt", Array("precious".utf8))
        await store.checkDirectory()
        await store.checkDirectory()
        guard case .disabled(let reason) = store.store.statistics().state else {
            Issue.record("still stored")
            return
        }
        #expect(reason.contains("notes.txt"))
        #expect(!(await store.commit(record("/lost"))) && store.store.makeBody(expected: nil) == nil)
        #expect(filesBelow(path) == ["\(path)/notes.txt"])
        unlink("\(path)/notes.txt")
        await store.checkDirectory()
        #expect(await store.commit(record("/after")))
        #expect(store.log.all.map(\.severity) == [.error, .warning, .info])
    }

    @Test("a database that is removed under the store is begun anew")
    func databaseRemoved() async throws {
        let store = try OpenStore(configuration())
        await store.commit(record("/before"))
        unlink("\(path)/cache.db")
        await store.checkDirectory()
        #expect(await store.lookUp(uri("/before")).isEmpty)
        #expect(await store.commit(record("/after")))
        await store.close()
        #expect(await (try OpenStore(configuration())).lookUp(uri("/after")).count == 1)
    }

    @Test("a body that is being written while its directory is deleted gets no row, and takes no room afterwards")
    func draftOfDeleted() async throws {
        let store = try OpenStore(configuration())
        await store.commit(record("/kept", bytes(300_000)))
        let writer = try #require(store.store.makeBody(expected: nil))
        #expect(await writer.flushed(ByteChunk(bytes(100_000))) == 100_000)
        run("/bin/rm", ["-rf", path])
        await store.checkDirectory()
        var body = await writer.finished
        if let body {
            #expect(body.bytes == bytes(100_000))
            #expect(!(await store.commit(record("/draft", body: .file(body)))))
        }
        body = nil
        #expect(await store.lookUp(uri("/draft")).isEmpty)
        await store.flush()
        let used = store.store.statistics().usedBytes
        #expect(used < 9 << 20, "\(used)")
        #expect(home.usage <= 64 << 20)
    }

    // MARK: While it is open

    @Test("a directory that was moved away is released, although somebody holds content: another store may open it")
    func movedAway() async throws {
        // Given a store with content that somebody holds
        var configuration = configuration()
        configuration.directoryCheckInterval = .milliseconds(10)
        let store = try OpenStore(configuration)
        let body = await store.body(bytes(200_000))
        // When its directory moves
        let moved = home.path + "/moved"
        #expect(rename(path, moved) == 0)
        func isTold() -> Bool { store.log.all.contains { $0.message.contains("removed or replaced") } }
        var count = 1
        while !isTold() {
            await store.log.wait(for: count)
            count += 1
        }
        // Then there is a store in its place, and one may be where it is now
        let other = try OpenStore(StoreConfiguration(directory: moved, limit: 64 << 20))
        #expect(await other.openError == nil)
        withExtendedLifetime(body) {}
        await other.close()
        await store.close()
    }
}
