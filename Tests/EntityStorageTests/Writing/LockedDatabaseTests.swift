import Glibc
import HTTPCore
import Locking
import ResourceCore
import Testing
import TestSupport
import Transforms

@testable import EntityStorage

/// Another program, such as a person's `sqlite3`, has locked the database.
@Suite("A locked database")
struct LockedDatabaseTests {
    let directory = TemporaryDirectory()
    private var database: String { directory.path + "/cache.db" }

    /// A store that looks again only when it is told to.
    private func open(_ change: (inout StoreConfiguration) -> Void = { _ in }) throws -> OpenStore {
        var configuration = StoreConfiguration(directory: directory.path, limit: 64 << 20)
        configuration.lockPatience = .zero
        configuration.lockRetryDelay = .seconds(3600)
        configuration.firstRetryDelay = .seconds(3600)
        configuration.closingPatience = .milliseconds(1)
        change(&configuration)
        return try OpenStore(configuration)
    }

    /// Changes that were told how they ended.
    private final class Outcomes: Sendable {
        private let told = Lock<[Bool]>([])
        var all: [Bool] { told.withLock { $0 } }
        func add(_ outcome: Bool) { told.withLock { $0.append(outcome) } }
    }

    private func isLocked(_ store: OpenStore) -> Bool {
        if case .locked = store.store.statistics().state { true } else { false }
    }

    @Test("what is loaded meanwhile is kept once the lock is gone, and look-ups do not wait for it")
    func kept() async throws {
        let store = try open()
        await store.commit(record("/before"))
        await store.commit(record("/old", [1]))
        let other = ForeignConnection(database)
        other.lock()
        let outcomes = Outcomes()
        store.store.commit(record("/old", [2])) { outcomes.add($0) }
        for number in 0..<59 {
            // Some lie in files.
            let content = bytes(number % 10 == 0 ? 100_000 : 1000, seed: UInt64(number))
            store.store.commit(record("/\(number)", content)) { outcomes.add($0) }
        }
        await store.log.wait(for: 1)
        #expect(store.log.all.first?.severity == .warning && isLocked(store))
        #expect(store.log.all.first?.message.contains("locked") == true)
        #expect(store.store.statistics().queued == 60)
        // What is there is found, what waits is not, in no older form either.
        #expect(await store.lookUp(uri("/before")).count == 1)
        for path in ["/old", "/0", "/1"] { #expect(await store.lookUp(uri(path)).isEmpty) }
        #expect(await store.list(after: 0, limit: 100).entries.map(\.uri) == [uri("/before")])
        #expect(store.store.makeBody(expected: 1_000_000) != nil)

        other.unlock()
        #expect(await store.resumes())
        await store.flush()
        #expect(outcomes.all == [Bool](repeating: true, count: 60))
        #expect(await store.lookUp(uri("/old")).map(\.content) == [[2]])
        for number in 0..<59 {
            let content = bytes(number % 10 == 0 ? 100_000 : 1000, seed: UInt64(number))
            #expect(await store.lookUp(uri("/\(number)")).map(\.content) == [content])
        }
        #expect(store.log.all.map(\.severity) == [.warning, .info])
    }

    @Test("the store looks by itself whether the lock is gone")
    func retries() async throws {
        let store = try open { $0.lockRetryDelay = .milliseconds(1) }
        await store.commit(record("/"))
        let other = ForeignConnection(database)
        other.lock()
        store.store.commit(record("/a")) { _ in }
        await store.log.wait(for: 1)
        other.unlock()
        await store.log.wait(for: 2)
        await store.flush()
        #expect(await store.lookUp(uri("/a")).count == 1)
        #expect(store.store.statistics().state == .ok)
    }

    @Test("an invalidation waits, is counted, hides what it marks, and is made once the lock is gone (C-15.1)")
    func invalidation() async throws {
        let store = try open()
        await store.commit(record("/a"))
        await store.commit(record("/b"))
        let other = ForeignConnection(database)
        other.lock()
        let outcomes = Outcomes()
        store.store.invalidate(uri("/a")) { outcomes.add($0) }
        await store.log.wait(for: 1)
        #expect(store.store.statistics().pendingInvalidations == 1 && outcomes.all.isEmpty)
        #expect(await store.lookUp(uri("/a")).isEmpty)
        #expect(await store.lookUp(uri("/b")).count == 1)
        other.unlock()
        #expect(await store.resumes())
        await store.flush()
        #expect(outcomes.all == [true] && store.store.statistics().pendingInvalidations == 0)
        #expect(await store.lookUp(uri("/a")).map(\.isInvalidated) == [true])
        #expect(await store.lookUp(uri("/b")).map(\.isInvalidated) == [false])
    }

    @Test("a purge waits; nothing else is lost for it", arguments: [true, false])
    func purge(isOfOne: Bool) async throws {
        let store = try open()
        for number in 0..<20 { await store.commit(record("/\(number)")) }
        let other = ForeignConnection(database)
        other.lock()
        let counts = Lock<[Int]>([])
        if isOfOne {
            store.store.remove(uri("/1")) { count in counts.withLock { $0.append(count) } }
        } else {
            store.store.removeAll(where: { $0 == uri("/1") }) { count in counts.withLock { $0.append(count) } }
        }
        await store.log.wait(for: 1)
        #expect(await store.lookUp(uri("/1")).isEmpty)
        #expect(await store.lookUp(uri("/2")).count == 1)
        #expect(counts.withLock { $0 } == [])
        other.unlock()
        #expect(await store.resumes())
        await store.flush()
        #expect(counts.withLock { $0 } == [1])
        #expect(await store.lookUp(uri("/1")).isEmpty)
        #expect(await store.lookUp(uri("/2")).count == 1)
        #expect(store.log.all.allSatisfy { $0.severity != .error })
    }

    @Test("what waits is bounded: records are refused, then the oldest given up, and nothing outdated is served")
    func bounds() async throws {
        let store = try open { $0.queueCount = 20 }
        for number in 0..<60 { await store.commit(record("/\(number)", [1])) }
        let other = ForeignConnection(database)
        other.lock()
        let outcomes = Outcomes()
        store.store.commit(record("/0", [2])) { outcomes.add($0) }
        await store.log.wait(for: 1)
        for number in 1..<30 { store.store.invalidate(uri("/\(number)")) { outcomes.add($0) } }
        #expect(store.store.statistics().refused == 0)
        #expect(!(await answer { waiter in store.store.commit(record("/new")) { waiter($0) } }))
        #expect(store.store.statistics().refused == 1)
        let transformed = StoredRendition(
            name: RenditionName(pipeline: "p", variation: ""),
            fields: Fields(),
            digest: [],
            madeAt: HTTPDate(seconds: 1_700_000_000),
            body: .bytes([1])
        )
        #expect(!(await answer { waiter in store.store.commit(transformed, of: record("/1")) { waiter($0) } }))
        #expect(store.store.statistics().refused == 2)
        for number in 30..<60 { store.store.invalidate(uri("/\(number)")) { outcomes.add($0) } }
        // Ahead of what waits: the writer has seen all of it by then.
        #expect(!(await store.resumes()))
        #expect(store.store.statistics().queued <= 41)
        #expect(outcomes.all.contains(false) && !outcomes.all.contains(true))
        #expect(store.store.statistics().pendingInvalidations >= 59)
        for number in 0..<60 { #expect(await store.lookUp(uri("/\(number)")).isEmpty) }
        other.unlock()
        #expect(await store.resumes())
        await store.flush()
        #expect(store.store.statistics().pendingInvalidations == 0)
        #expect(await store.lookUp(uri("/0")).allSatisfy { $0.content == [2] })
        for number in 1..<60 {
            #expect(await store.lookUp(uri("/\(number)")).map(\.isInvalidated) == [true], "\(number)")
        }
    }

    @Test("a store that is closed meanwhile keeps nothing that should be gone", arguments: [true, false])
    func closing(isOutdated: Bool) async throws {
        var store = try open()
        await store.commit(record("/a"))
        await store.commit(record("/b"))
        let other = ForeignConnection(database)
        other.lock()
        store.store.commit(record("/new")) { _ in }
        if isOutdated { store.store.invalidate(uri("/a")) { _ in } }
        await store.log.wait(for: 1)
        await store.close()
        other.unlock()
        store = try open()
        #expect(await store.lookUp(uri("/a")).allSatisfy { !isOutdated && !$0.isInvalidated })
        #expect(await store.lookUp(uri("/b")).count == (isOutdated ? 0 : 1))
    }

    // MARK: A lock before it is open

    /// Another program that alone uses the database, in which `/a` and `/b` are stored.
    private func lockedAlone() async throws -> ForeignConnection {
        let store = try open()
        await store.commit(record("/a"))
        await store.commit(record("/b"))
        await store.close()
        let other = ForeignConnection(database)
        other.lockAlone()
        return other
    }

    @Test("while a database cannot be opened for a lock, look-ups find nothing, and what is loaded waits and is kept")
    func lockedBefore() async throws {
        let other = try await lockedAlone()
        let store = try open()
        await store.log.wait(for: 1)
        guard case .locked(_, isOpen: false) = store.store.statistics().state else {
            Issue.record("\(store.store.statistics().state)")
            return
        }
        #expect(await store.lookUp(uri("/a")).isEmpty)
        let outcomes = Outcomes()
        store.store.commit(record("/new", [2])) { outcomes.add($0) }
        store.store.invalidate(uri("/b")) { outcomes.add($0) }
        // How much the limit leaves is not known yet.
        #expect(store.store.makeBody(expected: 1_000_000) == nil)
        #expect(!(await store.resumes()) && outcomes.all.isEmpty && store.store.statistics().queued == 2)

        other.close()
        #expect(await store.resumes())
        await store.flush()
        #expect(outcomes.all == [true, true])
        #expect(await store.openError == nil)
        #expect(await store.lookUp(uri("/a")).map(\.isInvalidated) == [false])
        #expect(await store.lookUp(uri("/b")).map(\.isInvalidated) == [true])
        #expect(await store.lookUp(uri("/new")).map(\.content) == [[2]])
        #expect(store.log.all.map(\.severity) == [.warning, .info])
    }

    enum WaitingChange: CaseIterable { case replace, invalidate, remove, removeAll }

    @Test(
        "a store closed before its database could be opened keeps nothing that must be gone",
        arguments: WaitingChange.allCases
    )
    func closedBefore(change: WaitingChange) async throws {
        let other = try await lockedAlone()
        var store = try open()
        await store.log.wait(for: 1)
        switch change {
        case .replace: store.store.commit(record("/a", [2])) { _ in }
        case .invalidate: store.store.invalidate(uri("/a")) { _ in }
        case .remove: store.store.remove(uri("/a")) { _ in }
        case .removeAll: store.store.removeAll(where: { $0 == uri("/a") }) { _ in }
        }
        await store.close()
        other.close()
        store = try open()
        for path in ["/a", "/b"] { #expect(await store.lookUp(uri(path)).count == (change == .replace ? 1 : 0)) }
    }

    // MARK: Without a lock

    @Test("an invalidation is committed at once; where nothing is stored, nothing is waited for (C-15.1)")
    func atOnce() async throws {
        let store = try open()
        #expect(await store.openError == nil)
        await store.commit(record("/a"))
        // Known is what is stored once the keys were walked over.
        await store.flush()
        while store.store.mayHold(uri("/nothing")) { _ = await store.lookUp(uri("/nothing")) }
        let isInside = Lock(false)
        store.store.invalidate(uri("/nothing")) { isDurable in isInside.withLock { $0 = isDurable } }
        #expect(isInside.withLock { $0 })
        // Nothing hurries it but itself.
        #expect(await store.invalidate(uri("/a")))
        let mark = ClosedDatabase(path: database).query("SELECT invalidated FROM entry WHERE uri LIKE '%/a'")
        #expect(mark == ["1"])
    }

    @Test("invalidations that come together share a commit (C-15.1)")
    func together() async throws {
        let store = try open()
        for number in 0..<20 { await store.commit(record("/\(number)")) }
        let other = ForeignConnection(database)
        other.lock()
        let outcomes = Outcomes()
        for number in 0..<20 { store.store.invalidate(uri("/\(number)")) { outcomes.add($0) } }
        await store.log.wait(for: 1)
        let before = commits
        other.unlock()
        #expect(await store.resumes())
        await store.flush()
        #expect(outcomes.all == [Bool](repeating: true, count: 20))
        #expect(commits == before + 1)
    }

    /// Transactions in the log: the last frame of each tells the size of the database.
    private var commits: Int {
        let log = contents(database + "-wal")
        let salt = log.dropFirst(16).prefix(8)
        return stride(from: 32, to: log.count - 23, by: 4120).count { start in
            log[start + 4..<start + 8].contains { $0 != 0 } && log[start + 8..<start + 16].elementsEqual(salt)
        }
    }
}
