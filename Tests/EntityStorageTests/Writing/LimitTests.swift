import EntityStorage
import HTTPCore
import Locking
import ResourceCore
import Testing
import Transforms
import TestSupport

@Suite("The limit of a store")
struct LimitTests {
    let directory = TemporaryDirectory()

    /// Looks at the directory again and again until it is told to stop; the most it saw.
    private final class Watch: Sendable {
        private let state = Lock((most: Int64(0), isDone: false))
        let path: String

        init(_ path: String) { self.path = path }

        func look() {
            let usage = directoryUsage(path)
            state.withLock { $0.most = max($0.most, usage) }
        }

        func run() async {
            while !state.withLock({ $0.isDone }) {
                look()
                await Task.yield()
            }
        }

        func stop() { state.withLock { $0.isDone = true } }
        var most: Int64 { state.withLock { $0.most } }
    }

    @Test(
        "what `du` says never passes the limit while three times as much is stored (H-130)",
        arguments: [1 << 20, 4 << 20, 12 << 20] as [Int64]
    )
    func limitHolds(limit: Int64) async throws {
        let store = try OpenStore(directory, limit: limit)
        let watch = Watch(directory.path)
        async let watching: Void = watch.run()
        var stored: Int64 = 0
        var number = 0
        let sizes = [300, 5_000, 60_000, 70_000, 20, 200_000, 1_200, 900_000, 30_000]
        while stored < 3 * limit {
            let size = min(sizes[number % sizes.count], Int(limit / 8))
            let content = bytes(size, seed: UInt64(number))
            if size > 65_536, let body = await store.body(content) {
                await store.commit(record("/\(number)", body: .file(body)))
            } else {
                store.store.commit(record("/\(number)", content)) { _ in }
                if number % 7 == 0 { await store.flush() }
            }
            watch.look()
            stored += Int64(size)
            number += 1
        }
        await store.flush()
        watch.stop()
        await watching
        #expect(watch.most <= limit)
        let statistics = store.store.statistics()
        #expect(statistics.evictions > 0 && statistics.state == .ok && statistics.limit == limit)
        #expect(statistics.usedBytes <= limit)
        #expect(statistics.entries > 0)
        // The newest are there, and what is there is whole.
        var found = 0
        for index in 0..<number {
            for entry in await store.lookUp(uri("/\(index)")) {
                found += 1
                let size = min(sizes[index % sizes.count], Int(limit / 8))
                #expect(entry.content == bytes(size, seed: UInt64(index)))
            }
        }
        #expect(Int64(found) == statistics.entries)
        #expect(await store.lookUp(uri("/\(number - 1)")).count == 1)
        #expect(log(store).isEmpty)
    }

    private func log(_ store: OpenStore) -> [String] { store.log.all.map { "\($0.message) \($0.details)" } }

    @Test("many growing bodies at once stay within the limit; what is kept comes back whole, and room is left (H-130)")
    func manyGrowingBodies() async throws {
        let limit: Int64 = 6 << 20
        let store = try OpenStore(directory, limit: limit)
        let watch = Watch(directory.path)
        async let watching: Void = watch.run()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<24 {
                group.addTask {
                    let content = bytes(700_000, seed: UInt64(number))
                    guard let body = await store.body(content, pieces: 30_000) else { return }
                    #expect(body.bytes == content)
                    _ = await store.commit(record("/\(number)", body: .file(body)))
                }
            }
        }
        watch.stop()
        await watching
        #expect(watch.most <= limit)
        for number in 0..<24 {
            for entry in await store.lookUp(uri("/\(number)")) {
                #expect(entry.content == bytes(700_000, seed: UInt64(number)))
            }
        }
        // All of them together may have refused each other; one alone is stored.
        let content = bytes(700_000, seed: 99)
        let body = try #require(await store.body(content, pieces: 30_000))
        #expect(await store.commit(record("/alone", body: .file(body))))
        #expect(await store.lookUp(uri("/alone")).first?.content == content)
        #expect(log(store).isEmpty)
    }

    @Test("content above the object limit is refused: at once if its length is known, else when it outgrows the limit")
    func objectLimit() async throws {
        let store = try OpenStore(
            StoreConfiguration(directory: directory.path, limit: 32 << 20, maximumObjectSize: 500_000)
        )
        _ = await store.openError
        #expect(store.store.makeBody(expected: 500_001) == nil)
        #expect(await store.body(bytes(500_001)) == nil)
        #expect(await store.body(bytes(500_000)) != nil)
        #expect(!(await store.commit(record("/", bytes(500_001)))))
        await store.flush()
        #expect(filesBelow(directory.path + "/spill").isEmpty)
    }

    @Test("a record is refused and counted as refused while growing bodies leave it no room, and only then")
    func countedRefusals() async throws {
        let store = try OpenStore(directory, limit: 1 << 20)
        #expect(await store.openError == nil)
        #expect(await store.commit(record("/before", bytes(60_000))))
        #expect(store.store.statistics().refused == 0)
        // Given bodies that take nearly everything, and cannot be evicted
        var growing: [any BodyWriter] = []
        for _ in 0..<2 {
            let writer = try #require(store.store.makeBody(expected: nil))
            #expect(await writer.flushed(ByteChunk(bytes(250_000))) == 250_000)
            growing.append(writer)
        }
        // When a record comes, then it is refused
        #expect(!(await store.commit(record("/meanwhile", bytes(60_000)))))
        #expect(store.store.statistics().refused == 1)
        // And once the bodies are gone, it is not
        for writer in growing { writer.discard() }
        // A discard is two jobs of one thread, the second of which gives the room back: it has done both after two answers.
        for _ in 0..<2 {
            let later = try #require(store.store.makeBody(expected: nil))
            #expect(await later.finished != nil)
        }
        await store.flush()
        #expect(await store.commit(record("/after", bytes(60_000))))
        #expect(store.store.statistics().refused == 1)
    }

    @Test("a body that is discarded or forgotten gives its room back")
    func forgottenBodies() async throws {
        let store = try OpenStore(directory, limit: 4 << 20)
        _ = await store.openError
        for number in 0..<40 {
            let writer = try #require(store.store.makeBody(expected: nil))
            #expect(await writer.flushed(ByteChunk(bytes(500_000))) == 500_000)
            if number % 2 == 0 { writer.discard() }
        }
        #expect(store.store.statistics().state == .ok)
    }

    @Test("records used since the hand last passed stay, also when that was before a restart")
    func usedRecordsStay() async throws {
        var store = try OpenStore(directory, limit: 2 << 20)
        for number in 0..<10 { await store.commit(record("/kept/\(number)", bytes(2_000))) }
        for number in 0..<10 { _ = await store.lookUp(uri("/kept/\(number)")) }
        await store.close()
        store = try OpenStore(directory, limit: 2 << 20)
        for number in 0..<60 {
            await store.commit(record("/once/\(number)", bytes(20_000)))
            if store.store.statistics().evictions > 5 { break }
        }
        #expect(store.store.statistics().reinsertions >= 10)
        for number in 0..<10 { #expect(await store.lookUp(uri("/kept/\(number)")).count == 1) }
        #expect(await store.lookUp(uri("/once/0")).isEmpty)
    }

    @Test("a lowered limit is met after the start")
    func loweredLimit() async throws {
        var store = try OpenStore(directory, limit: 32 << 20)
        for number in 0..<200 { store.store.commit(record("/\(number)", bytes(50_000))) { _ in } }
        for number in 200..<220 {
            store.store.commit(record("/\(number)", bytes(300_000, seed: UInt64(number)))) { _ in }
        }
        await store.close()
        #expect(directory.usage > 16 << 20)
        store = try OpenStore(directory, limit: 4 << 20)
        _ = await store.openError
        #expect(directory.usage <= 4 << 20)
        #expect(await store.lookUp(uri("/219")).count == 1)
    }

    @Test("a limit that leaves no room is an error with the remedy")
    func tooSmall() {
        for limit in [0, 1 << 19, (1 << 20) - 1] as [Int64] {
            let error = #expect(throws: StoreError.self) { try OpenStore(directory, limit: limit) }
            #expect(error?.code == .limitTooSmall(minimum: 1 << 20))
            #expect(error?.userMessage == "`storage.limit` is \(limit) bytes; the least is 1 MiB")
        }
        #expect(filesBelow(directory.path).isEmpty)
        #expect(throws: Never.self) { try OpenStore(directory, limit: 1 << 20) }
    }
}
