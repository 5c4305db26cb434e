import HTTPCaching
import HTTPCore
import Stores
import Testing

@testable import Administration

/// What a walk for the first resources of an order keeps.
@Suite struct LeadingResourcesTests {
    private static func resource(_ size: Int64) throws -> ListedResource {
        let time = HTTPDate(seconds: 1_700_000_000)
        let summary = StoredSummary(
            id: size,
            uri: try TargetURI(parsing: "http://h.example/\(size)"),
            partition: .shared,
            status: 200,
            count: size,
            fields: nil,
            requestTime: time,
            responseTime: time,
            isInvalidated: false
        )
        return ListedResource(summary, now: time, options: CachingOptions(), hasher: PlainHasher())
    }

    private static func leading(_ count: Int) -> LeadingResources {
        LeadingResources(count, in: ResourceSorting(order: .size, isReversed: false), behind: nil)
    }

    @Test("it keeps less than twice as many as it is to find, and cuts when they are that many")
    func cut() throws {
        var leading = Self.leading(3)
        for size in Int64(1)...5 {
            leading.add(try Self.resource(size))
            #expect(leading.window.end == nil && !leading.hasMore, "\(size)")
        }
        leading.add(try Self.resource(6))
        #expect(leading.window.end?.key == 4 && leading.hasMore)
        // What stands behind the last one changes nothing any more.
        leading.add(try Self.resource(3))
        leading.add(try Self.resource(7))
        #expect(leading.window.end?.key == 4)
        let (resources, next) = leading.page()
        #expect(resources.map(\.size) == [7, 6, 5] && next?.hasPrefix("size.5.") == true)
    }

    @Test("as many as it is to find are all of them, and there is no next page; one more is on the next")
    func exactly() throws {
        var leading = Self.leading(3)
        for size in [2, 3, 1, 3] as [Int64] { leading.add(try Self.resource(size)) }
        let whole = leading.page()
        #expect(whole.resources.map(\.size) == [3, 2, 1] && whole.next == nil && !leading.hasMore)
        leading.add(try Self.resource(9))
        let first = leading.page()
        #expect(first.resources.map(\.size) == [9, 3, 2] && first.next?.hasPrefix("size.2.") == true)
    }
}
