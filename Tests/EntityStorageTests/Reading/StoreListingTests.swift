import EntityStorage
import HTTPCore
import Locking
import ResourceCore
import TestSupport
import Testing

/// The order of listings, and what stays true while rows change.
@Suite("Listings of the store") struct StoreListingTests {
    private let directory = TemporaryDirectory()

    @Test(
        "a listing has the URIs in the order in which they were stored, whatever the size of a page",
        arguments: [1, 3, 7, 100]
    )
    func order(limit: Int) async throws {
        let store = try OpenStore(directory)
        let paths = (0..<12).map { "/\($0 * 7 % 12)" }
        for path in paths { await store.commit(record(path)) }
        #expect(await store.listAll(limit: limit).map(\.uri) == paths.map(uri))
        await store.close()
    }

    @Test(
        "a URI with several variants stands for its first row, in one page and over several",
        arguments: [1, 2, 5, 100]
    )
    func variants(limit: Int) async throws {
        let store = try OpenStore(directory)
        for number in 0..<8 {
            await store.commit(record("/v", bytes(10 + number), selection: [UInt8(number)]))
            await store.commit(record("/\(number)"))
        }
        await store.commit(record("/v", partition: .credential([1])))
        let listed = await store.listAll(limit: limit)
        #expect(listed.map(\.uri) == [uri("/v")] + (0..<8).map { uri("/\($0)") })
        #expect(listed.first?.count == 10)
        await store.close()
    }

    @Test("a URI whose first variant goes between two pages is listed by the next one", arguments: [1, 3])
    func firstVariantGoes(limit: Int) async throws {
        let store = try OpenStore(directory)
        for path in ["/a", "/v", "/b", "/c"] { await store.commit(record(path, selection: [1])) }
        await store.commit(record("/v", selection: [2]))
        let page = await store.list(after: 0, limit: limit)
        store.store.remove(uri("/v"), partition: .shared, selection: [1])
        await store.flush()
        let rest = await store.list(after: try #require(page.next), limit: 100)
        #expect(rest.entries.last?.uri == uri("/v"))
        #expect(Set((page.entries + rest.entries).map(\.uri)) == Set(["/a", "/v", "/b", "/c"].map(uri)))
        await store.close()
    }

    @Test("a row that eviction moves between two pages is not missed", arguments: [3, 8, 14])
    func moved(limit: Int) async throws {
        // Given used rows, and others behind them
        let store = try OpenStore(directory, limit: 2 << 20)
        for number in 0..<10 { await store.commit(record("/kept/\(number)", bytes(2_000))) }
        for number in 0..<10 { _ = await store.lookUp(uri("/kept/\(number)")) }
        for number in 0..<20 { await store.commit(record("/once/\(number)", bytes(20_000))) }
        let kept = Set((0..<10).map { uri("/kept/\($0)") })
        let page = await store.list(after: 0, limit: limit)
        let known = kept.intersection(page.entries.map(\.uri))
        #expect(known.count == min(limit, 10) && store.store.statistics().reinsertions == 0)
        // When eviction moves them
        for number in 20..<200 where store.store.statistics().evictions < 5 {
            await store.commit(record("/once/\(number)", bytes(20_000)))
        }
        #expect(store.store.statistics().reinsertions >= 10)
        // Then each is in the first page or in a later one; those of the first come twice
        var found: [TargetURI] = []
        var next = page.next
        while let cursor = next {
            let page = await store.list(after: cursor, limit: limit)
            found += page.entries.map(\.uri)
            next = page.next
        }
        #expect(kept.subtracting(found).isEmpty && Set(found).count == found.count)
        await store.close()
    }

    @Test("a URI that is stored anew while its earlier row is about to be removed is listed by the new row")
    func storedDuringRemoval() async throws {
        let store = try OpenStore(directory)
        for number in 0..<1600 { store.store.commit(record("/\(number)")) { _ in } }
        await store.flush()
        // Given a walk that stands first in its second page, then in its third
        let stops = [uri("/701"), uri("/1201")]
        let gates = stops.map { _ in (reached: Gate(), released: Gate()) }
        let passed = Lock<Set<TargetURI>>([])
        let (stored, ended) = (Gate(), Gate())
        store.store.removeAll { candidate in
            if let stop = stops.firstIndex(of: candidate), passed.withLock({ $0.insert(candidate).inserted }) {
                gates[stop].reached.open()
                gates[stop].released.wait()
            }
            return candidate == uri("/1500")
        } _: { _ in
            ended.open()
        }
        gates[0].reached.wait()
        // When another variant is stored between these pages
        store.store.commit(record("/1500", bytes(3), selection: [1])) { _ in stored.open() }
        gates[0].released.open()
        stored.wait()
        gates[1].reached.wait()
        let listed = await store.listAll(limit: 1000).filter { $0.uri == uri("/1500") }
        // Then that one is listed
        #expect(listed.map(\.count) == [3])
        gates[1].released.open()
        ended.wait()
        await store.close()
    }

    @Test("a quick test by a pattern's literal text keeps a URI with an escape")
    func escapes() async throws {
        let store = try OpenStore(directory)
        for path in ["/a/abc", "/a/%61bc", "/a/abd", "/x/../a/abc", "/b/abc"] { await store.commit(record(path)) }
        let glob = try URLGlob("http://org.example:8080/a/abc")
        let text = RequiredText(of: glob)
        let choice = RowChoice { canonical, _, _ in
            text.mayMatch(canonical)
        } does: { summary in
            glob.matches(summary.uri)
        }
        let page = await store.list(after: 0, limit: 100, where: choice)
        #expect(page.entries.map(\.uri) == ["/a/abc", "/a/%61bc", "/x/../a/abc"].map(uri))
        #expect(page.next == nil)
        await store.close()
    }

    @Test("a look-up is served between two steps of a listing that takes long")
    func steps() async throws {
        // Each step has taken too long once it looks at the clock.
        var configuration = StoreConfiguration(directory: directory.path)
        #expect(configuration.listingTime == .milliseconds(1))
        configuration.listingTime = .zero
        let store = try OpenStore(configuration)
        for number in 0..<100 { store.store.commit(record("/\(number)")) { _ in } }
        await store.flush()
        let events = Lock<[String]>([])
        let (listed, found) = (Gate(), Gate())
        let count = Lock(0)
        let choice = RowChoice { [store = store.store] _, _, _ in
            if count.withLock({ count in
                count += 1
                return count == 1
            }) {
                store.lookUp(uri("/99")) { records in
                    events.withLock { $0.append("found \(records.count)") }
                    found.open()
                }
            }
            return true
        }
        store.store.list(after: 0, limit: 100, where: choice) { page in
            events.withLock { $0.append("listed \(page.entries.count)") }
            listed.open()
        }
        found.wait()
        listed.wait()
        #expect(events.withLock { $0 } == ["found 1", "listed 100"])
        await store.close()
    }
}
