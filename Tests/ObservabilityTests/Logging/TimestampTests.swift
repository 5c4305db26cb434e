import Testing

@testable import Observability

/// Dates and times in lines, against a calendar that counts days one by one.
@Suite struct TimestampTests {
    private static let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    private static func lengths(_ year: Int) -> [Int] {
        [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    }

    /// The days from the beginning of 1970 to that of a year.
    private static func start(of year: Int) -> Int {
        let years = year >= 1970 ? 1970..<year : year..<1970
        let days = years.reduce(0) { $0 + (isLeap($1) ? 366 : 365) }
        return year >= 1970 ? days : -days
    }

    private static func padded(_ number: Int, _ width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: width - digits.count) + digits
    }

    private static func iso(_ milliseconds: Int64) -> String {
        var output: [UInt8] = []
        Timestamp.append(milliseconds: milliseconds, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    private static func log(_ seconds: Int64) -> String {
        var output: [UInt8] = []
        Timestamp.appendLogTime(seconds: seconds, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test(
        "the first and last days of each month have their date, in leap years and between",
        arguments: [
            1600, 1601, 1699, 1700, 1899, 1900, 1903, 1904, 1968, 1969, 1970, 1971, 1999, 2000, 2001, 2023, 2024, 2099,
            2100, 2101, 2399, 2400,
        ]
    )
    func days(year: Int) {
        var day = Self.start(of: year)
        for (month, length) in Self.lengths(year).enumerated() {
            for number in [1, 2, length - 1, length] {
                let today = Int64(day + number - 1)
                let date = "\(Self.padded(year, 4))-\(Self.padded(month + 1))-\(Self.padded(number))"
                #expect(Self.iso(today * 86_400_000) == "\(date)T00:00:00.000Z")
                #expect(Self.iso(today * 86_400_000 + 86_399_999) == "\(date)T23:59:59.999Z")
                let logged = "\(Self.padded(number))/\(Self.names[month])/\(Self.padded(year, 4))"
                #expect(Self.log(today * 86_400) == "\(logged):00:00:00 +0000")
                #expect(Self.log(today * 86_400 + 86_399) == "\(logged):23:59:59 +0000")
            }
            day += length
        }
    }

    @Test(
        "a time has hours, minutes, seconds and milliseconds, each in its own digits",
        arguments: [
            (1, "00:00:00.001"), (10, "00:00:00.010"), (999, "00:00:00.999"), (1000, "00:00:01.000"),
            (59_999, "00:00:59.999"), (60_000, "00:01:00.000"), (3_599_999, "00:59:59.999"),
            (3_600_000, "01:00:00.000"),
            (45_296_789, "12:34:56.789"), (36_000_000, "10:00:00.000"),
        ] as [(Int64, String)]
    )
    func times(milliseconds: Int64, expected: String) {
        for day in [0, -1, 20_000] as [Int64] {
            #expect(Self.iso(day * 86_400_000 + milliseconds).dropFirst(11) == "\(expected)Z")
            #expect(Self.log(day * 86_400 + milliseconds / 1000).dropFirst(12) == "\(expected.prefix(8)) +0000")
        }
    }
}
