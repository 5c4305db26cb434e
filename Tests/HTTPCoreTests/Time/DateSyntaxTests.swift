import HTTPCore
import Testing

@Suite("dates (RFC 9110 §5.6.7)")
struct DateSyntaxTests {
    private static let now = HTTPDate(seconds: 1_790_000_000)  // September 2026

    @Test(
        "the three forms are read, in any letter case (C-5.1, C-5.3)",
        arguments: [
            ("Thu, 18 Aug 2050 02:01:18 GMT", 2_544_400_878),
            ("Thursday, 18-Aug-50 02:01:18 GMT", 2_544_400_878),
            ("Thu Aug 18 02:01:18 2050", 2_544_400_878),
            ("Mon Aug  8 02:01:18 2050", 2_543_536_878),
            ("thu, 18 aug 2050 02:01:18 gMT", 2_544_400_878),
            ("THU, 18 AUG 2050 02:01:18 GMT", 2_544_400_878),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Thu, 29 Feb 2024 23:59:60 GMT", 1_709_251_200),
        ] as [(String, Int64)]
    )
    func threeRenditions(text: String, seconds: Int64) {
        #expect(HTTPDate(parsing: Array(text.utf8), now: Self.now)?.seconds == seconds)
    }

    @Test(
        "years past 2038 and 2286 are read (C-5.2)",
        arguments: [
            ("Wed, 20 Jan 2038 03:14:08 GMT", 2_147_570_048),
            ("Sat, 20 Nov 2286 17:46:40 GMT", 10_000_000_000),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ] as [(String, Int64)]
    )
    func farYears(text: String, seconds: Int64) {
        #expect(HTTPDate(parsing: Array(text.utf8), now: Self.now)?.seconds == seconds)
    }

    @Test(
        "a two-digit year is the nearest not more than 50 years ahead (C-5.1)",
        arguments: [(76, 2076), (77, 1977), (26, 2026)]
    )
    func twoDigitYear(short: Int, year: Int) {
        let text = "Friday, 01-May-\(short) 00:00:00 GMT"
        #expect(HTTPDate(parsing: Array(text.utf8), now: Self.now)?.calendarDay.year == year)
    }

    @Test(
        "each month has its last day, and no day behind it (C-5.4)",
        arguments: [
            ("Jan", 31), ("Feb", 28), ("Mar", 31), ("Apr", 30), ("May", 31), ("Jun", 30),
            ("Jul", 31), ("Aug", 31), ("Sep", 30), ("Oct", 31), ("Nov", 30), ("Dec", 31),
        ]
    )
    func lastDay(month: String, day: Int) {
        func date(_ day: Int) -> HTTPDate? {
            HTTPDate(parsing: Array("Thu, \(day) \(month) 2025 12:00:00 GMT".utf8), now: Self.now)
        }
        #expect(date(day) != nil && date(day + 1) == nil)
    }

    @Test(
        "everything else is invalid (C-5.4, H-120)",
        arguments: [
            "", "0", "-1", "yesterday", "Thu, 18 Aug 2050 02:01:18 UTC", "Thu, 18 Aug 2050 02:01:18 AEST",
            "Thu, 18 Aug 2050 02:01:18", "Thu, 18 Aug 50 02:01:18 GMT", "Thu 18 Aug 2050 02:01:18 GMT",
            "Thu, 18  Aug 2050 02:01:18 GMT", "Thu,  18 Aug 2050 02:01:18 GMT", "Thu, 18-Aug-2050 02:01:18 GMT",
            "Thu, 18 Aug 2050 02.01.18 GMT", "Thu, 18 Aug 2050 2:01:18 GMT", "Thu, 32 Jan 2050 02:01:18 GMT",
            "Thu, 18 Aug 10000 02:01:18 GMT", "Thu, 18 Aug 2050 24:01:18 GMT", "Thu, 18 Aug 2050 02:60:18 GMT",
            "Thu, 18 Aug 2050 02:01:18 GMT ", "Thu, 30 Feb 2024 02:01:18 GMT", "Thursday, 18-Aug-2050 02:01:18 GMT",
            "Xhu, 18 Aug 2050 02:01:18 GMT", "Thu, 18 Aug 2050 02:01:18 +0000", "Thu Aug 8 02:01:18 2050",
            "Thu, 18 Aug 2050 02:01:18 GMT, Thu, 18 Aug 2050 02:01:18 GMT",
        ]
    )
    func otherRenditions(text: String) {
        #expect(HTTPDate(parsing: Array(text.utf8), now: Self.now) == nil)
    }

    @Test(
        "the form sent is IMF-fixdate, and reads back as the same moment",
        arguments: [0, 784_111_777, 951_782_400, 1_709_164_800, 2_544_400_878, 253_402_300_799] as [Int64]
    )
    func roundTrip(seconds: Int64) {
        let date = HTTPDate(seconds: seconds)
        #expect(date.bytes.count == 29)
        #expect(HTTPDate(parsing: date.bytes, now: Self.now) == date)
    }

    @Test("the form sent names the weekday")
    func weekday() {
        #expect(HTTPDate(seconds: 784_111_777).bytes == Array("Sun, 06 Nov 1994 08:49:37 GMT".utf8))
    }
}
