import HTTPCore
import Observability
import Testing

@testable import Administration

/// Which requests a stream gets at one time.
@Suite struct RequestBatchTests {
    /// Requests with these numbers, every second one a 404.
    private static func recent(_ numbers: ClosedRange<UInt64>, horizon: UInt64, dropped: UInt64 = 0) -> RecentRecords {
        var recent = RecentRecords()
        recent.records = numbers.map { number in
            RequestRecord(
                id: RequestID(number: number),
                milliseconds: 1_700_000_000_123,
                client: nil,
                method: .get,
                target: Array("http://a.example/x".utf8),
                status: number % 2 == 0 ? 404 : 200,
                outcome: "hit",
                contentBytes: 5,
                duration: 1000
            )
        }
        (recent.horizon, recent.lastDropped) = (RequestID(number: horizon), RequestID(number: dropped))
        return recent
    }

    private static func wish(
        behind position: UInt64 = 0,
        earlier: Int? = nil,
        _ filter: String = ""
    ) throws -> RequestBatch.Wish {
        RequestBatch.Wish(
            position: RequestID(number: position),
            earlier: earlier,
            filter: try RequestFilter(filter)
        )
    }

    private static func selection(_ wish: RequestBatch.Wish, _ recent: RecentRecords) throws -> RequestBatch.Selection {
        try #require(RequestBatch(recent, for: [7: wish], masking: SecretParameters([])).selections[7])
    }

    private static func numbers(_ selection: RequestBatch.Selection) -> [UInt64] { selection.events.map(\.id.number) }

    @Test("a stream gets what matches behind its last request, up to the horizon; what is beyond comes later")
    func behind() throws {
        let recent = Self.recent(1...6, horizon: 5)
        #expect(try Self.numbers(Self.selection(Self.wish(behind: 2), recent)) == [3, 4, 5])
        #expect(try Self.numbers(Self.selection(Self.wish(behind: 2, "status=200"), recent)) == [3, 5])
        #expect(try Self.numbers(Self.selection(Self.wish(behind: 5), recent)).isEmpty)
    }

    @Test(
        "requests are missing if one behind the last is gone, or if the last is one of another daemon",
        arguments: [(3, 0, false), (3, 3, false), (3, 4, true), (5, 0, false), (6, 0, true)]
            as [(UInt64, UInt64, Bool)]
    )
    func gaps(position: UInt64, dropped: UInt64, hasGap: Bool) throws {
        let recent = Self.recent(4...6, horizon: 5, dropped: dropped)
        #expect(try Self.selection(Self.wish(behind: position), recent).hasGap == hasGap)
        // One that begins anew misses nothing.
        #expect(try !Self.selection(Self.wish(behind: position, earlier: 1), recent).hasGap)
    }

    @Test(
        "a stream begins with as many of the latest requests as it asks for, the oldest first",
        arguments: [(0, "", []), (1, "", [5]), (2, "", [4, 5]), (9, "", [1, 2, 3, 4, 5]), (1, "status=404", [4])]
            as [(Int, String, [UInt64])]
    )
    func earlier(count: Int, filter: String, numbers: [UInt64]) throws {
        let recent = Self.recent(1...6, horizon: 5)
        #expect(try Self.numbers(Self.selection(Self.wish(earlier: count, filter), recent)) == numbers)
    }

    @Test("each stream gets its own selection, and a request has one text")
    func several() throws {
        let wishes = try [1: Self.wish(behind: 4), 2: Self.wish(earlier: 1), 3: Self.wish(behind: 9)]
        let batch = RequestBatch(Self.recent(1...5, horizon: 5), for: wishes, masking: SecretParameters([]))
        #expect(batch.horizon == RequestID(number: 5))
        #expect(batch.selections.mapValues(Self.numbers) == [1: [5], 2: [5], 3: []])
        let text = """
            id: 5
            event: request
            data: {"id":"5","time":"2023-11-14T22:13:20.123Z","method":"GET","url":"http://a.example/x","status":200,\
            "cache":"hit","requestBytes":0,"bytes":5,"durationMicroseconds":1,"isComplete":true}


            """
        for number in [1, 2] {
            let event = try #require(batch.selections[number]?.events.first)
            #expect(String(decoding: event.text, as: UTF8.self) == text)
        }
    }
}
