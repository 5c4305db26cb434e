import HTTPCore
import ResourceCore
import TestSupport
import Testing

@testable import Administration

/// How many bytes of events are kept for listeners that come back.
@Suite struct EventBytesTests {
    private static let limit = 4 << 20

    @Test("events of up to 4 MiB are kept; beyond that, the oldest go until 2 MiB are left")
    func kept() throws {
        // Given a listener that has had the first of many events of several kilobytes
        let still = try EventGraceTests.Still()
        let witness = try still.listen()
        let name = String(repeating: "a", count: 4000)
        let resource = still.service.resource(for: try TargetURI(parsing: "http://h.example/\(name)"))
        _ = still.received(by: witness)
        func change() -> String {
            resource.overrideLocalData([1], fields: Fields())
            still.turn()
            return still.received(by: witness)
        }
        let first = change()
        let id = EventTests.Listener.value("id", first)
        #expect(id.hasSuffix("-1"))
        // When there are as many as fit, with room for digits that numbers grow by
        var (total, size) = (first.utf8.count, first.utf8.count)
        while total + size + 8 <= Self.limit {
            size = change().utf8.count
            try #require(size > name.utf8.count)
            total += size
        }
        // Then none is gone, and one more has half of them go
        let early = try still.listen(behind: id)
        #expect(!still.received(by: early).contains("event: gap"))
        for _ in 0..<2 { total += change().utf8.count }
        try #require(total > Self.limit)
        let late = still.received(by: try still.listen(behind: id))
        let mark = late.split(separator: "event: gap\ndata: {\"missed\":").last?.prefix { $0.isNumber }
        let missed = try #require(mark.flatMap { Int($0) }, "\(late.prefix(1000))")
        let expected = (total - Self.limit / 2) / size
        #expect(abs(missed - expected) <= 4, "\(missed) of \(total / size)")
    }
}
