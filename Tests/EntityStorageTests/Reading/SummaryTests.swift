import EntityStorage
import HTTPCore
import Locking
import Stores
import TestSupport
import Testing

/// What listings tell of each row.
@Suite("Summaries of rows") struct SummaryTests {
    @Test("a summary has status, size and times of its row, and whether it is invalidated")
    func summaries() async throws {
        let directory = TemporaryDirectory()
        let store = try OpenStore(directory)
        await store.commit(record("/a", [1, 2, 3]))
        await store.commit(record("/b", [1, 2, 3, 4]))
        await store.invalidate(uri("/b"))
        await store.flush()
        let page = await store.list(after: 0, limit: 10)
        let rows = Dictionary(uniqueKeysWithValues: page.entries.map { ($0.uri, $0) })
        let (fresh, marked) = (try #require(rows[uri("/a")]), try #require(rows[uri("/b")]))
        #expect(!fresh.isInvalidated)
        #expect(marked.isInvalidated)
        #expect(page.entries.count == 2)
        for (row, count) in [(fresh, 3), (marked, 4)] as [(StoredSummary, Int64)] {
            #expect(row.status == 200 && row.count == count && row.partition == .shared && row.extent == nil)
            #expect(row.requestTime.seconds == 1_700_000_000 && row.responseTime.seconds == 1_700_000_001)
            #expect(row.fields?.text(of: .etag) == "\"1\"")
        }
        await store.close()
    }

    @Test("a listing has the rows that its test wants by URI, status and size; the cursor passes the others, too")
    func wanted() async throws {
        let directory = TemporaryDirectory()
        let store = try OpenStore(directory)
        for size in 1...6 { await store.commit(record("/\(size)", Array(repeating: 0, count: size))) }
        await store.flush()
        let seen = Lock<[Int64]>([])
        var found: [Int64] = []
        var next: Int64? = 0
        while let cursor = next {
            let choice = RowChoice { canonical, status, bytes in
                seen.withLock { $0.append(bytes) }
                let isNamed = canonical[canonical.count - 1] == UInt8(ascii: "0") + UInt8(bytes)
                return status == 200 && bytes > 3 && isNamed
            } does: { summary in
                summary.count > 4 && summary.fields != nil
            }
            let page = await store.list(after: cursor, limit: 2, where: choice)
            found += page.entries.map(\.count)
            next = page.next
        }
        #expect(found.sorted() == [5, 6])
        #expect(seen.withLock { $0.sorted() } == [1, 2, 3, 4, 5, 6])
        await store.close()
    }
}
