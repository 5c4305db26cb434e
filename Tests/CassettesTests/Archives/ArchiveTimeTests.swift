import HTTPCore
import JSON
import Testing

@testable import Cassettes

/// Times in HAR files, and what they say of an entry.
struct ArchiveTimeTests {
    @Test(
        "a time is written in whole seconds, in UTC",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (1_769_864_645, "2026-01-31T13:04:05Z"), (-1, "1969-12-31T23:59:59Z"),
            (-61_125_656_155, "0033-01-02T03:04:05Z"),
            (1_769_903_999, "2026-01-31T23:59:59Z"), (1_769_904_000, "2026-02-01T00:00:00Z"),
        ] as [(Int64, String)]
    )
    func writing(seconds: Int64, text: String) { #expect(ArchiveTime.text(HTTPDate(seconds: seconds)) == text) }

    @Test(
        "all of these are noon in Greenwich",
        arguments: [
            "2026-01-31T12:00:00Z", "2026-01-31t12:00:00z", "2026-01-31 12:00:00Z", "2026-01-31T12:00:00.5Z",
            "2026-01-31T12:00:00.123456789Z", "2026-01-31T12:00:00.09+00:00", "2026-02-01T11:59:00+23:59",
            "2026-01-30T12:01:00-2359", "2026-01-31T11:59:00-00:01", "2026-01-31T13:00:00+0100",
        ]
    )
    func reading(text: String) { #expect(ArchiveTime.date(text)?.seconds == 1_769_860_800) }

    @Test(
        "these are no times",
        arguments: [
            "2026/01-31T12:00:00Z", "2026-01/31T12:00:00Z", "2026-01-31x12:00:00Z", "2026-01-31T12.00:00Z",
            "2026-01-31T12:00.00Z", "2026-01-31T12:00:00+24:00", "2026-01-31T12:00:00+00:60",
            "2026-01-31T12:00:00*01:00",
            "2026-01-31T12:00:00+1:00", "2026-01-31T12:00:00+01:000", "2026-01-31T12:00:00Zx", "2026-01-31T12:00:00ZZ",
            "202x-01-31T12:00:00Z", "2026-0x-31T12:00:00Z", "2026-01-3xT12:00:00Z", "2026-01-31T1::00:00Z",
            "2026-01-31T12:x0:00Z", "2026-01-31T12:00:x0Z", "2026-01-31T12:00:00+0x:00", "2026-01-31T12:00:00+00:0x",
            "2026-01-31T12:00:0Z", "2026-01-31T12:00:00.5", "2026-01-31T12:00:00.5x",
        ]
    )
    func refusing(text: String) { #expect(ArchiveTime.date(text) == nil) }

    private static func entry(_ started: String, waited: Double) -> ArchivedEntry {
        let entry = CassetteEntry(
            started: started,
            waited: waited,
            request: .sample("GET"),
            response: CassetteResponse(status: 200)
        )
        return ArchivedEntry(entry, isPrivate: false)
    }

    @Test(
        "a delay is whole seconds, rounded up, eleven days at most; without a time nobody knows when it came",
        arguments: [(0, 0), (0.1, 1), (1000, 1), (1000.5, 2), (1e9, 1_000_000), (2e9, 1_000_000)] as [(Double, Int64)]
    )
    func delays(waited: Double, delay: Int64) {
        let entry = Self.entry("1970-01-01T00:00:07Z", waited: waited)
        #expect(entry.delay == delay && entry.received == HTTPDate(seconds: 7 + delay))
        #expect(Self.entry("yesterday", waited: waited).received == nil)
    }

    @Test(
        "content that was not recorded is told by its size, unless the status has none",
        arguments: [
            (#""status": 200"#, false), (#""status": 200, "bodySize": 0"#, true),
            (#""status": 200, "bodySize": 5"#, false),
            (#""status": 204"#, true), (#""status": 204, "bodySize": 5"#, true),
            (#""status": 205, "bodySize": 5"#, false),
            (#""status": 200, "bodySize": 0, "content": {"size": 5}"#, false),
        ]
    )
    func unknownContent(response: String, isRead: Bool) throws {
        let text = #"{"request": {"method": "GET", "url": "http://a.example/"}, "response": {\#(response)}}"#
        let cursor = JSONCursor(try JSONReader.parse(Array(text.utf8)))
        #expect(((try? ArchivedEntry(cursor, isForeign: true)) != nil) == isRead)
    }

    @Test("an entry says whether it is private, and whether its request had cookies")
    func marks() throws {
        func read(_ request: String, _ own: String) throws -> ArchivedEntry {
            let text = """
                {"request": {"method": "GET", "url": "http://a.example/"\(request)}, "response": {"status": 204}\(own)}
                """
            return try ArchivedEntry(JSONCursor(JSONReader.parse(Array(text.utf8))), isForeign: false)
        }
        let marked = try read(#", "cookies": [{}]"#, #", "_respite": {"private": true}"#)
        #expect(marked.isPrivate && marked.hasCookies)
        let plain = try read(#", "cookies": []"#, #", "_respite": {"private": false}"#)
        #expect(try !plain.isPrivate && !plain.hasCookies && !read("", "").hasCookies)
    }
}
