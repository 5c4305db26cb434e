import Testing

@testable import HTTPCore

@Suite("The calendar")
struct CalendarTests {
    @Test("each day of a hundred years follows the one before it")
    func days() {
        var expected = (year: 1895, month: 1, day: 1)
        for number in 0..<40_000 as Range<Int64> {
            let day = HTTPDate(seconds: -2_366_755_200 + number * 86_400).calendarDay
            guard day == expected else {
                Issue.record("\(day) is not \(expected)")
                return
            }
            let isLeap = expected.year % 4 == 0 && expected.year != 1900
            let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            expected.day += 1
            if expected.day > lengths[expected.month - 1] { (expected.month, expected.day) = (expected.month + 1, 1) }
            if expected.month > 12 { (expected.year, expected.month) = (expected.year + 1, 1) }
        }
    }

    @Test("the first day of a month is where the days before it end, also before the year 1")
    func months() {
        for year in [-401, -400, -100, -1, 0, 1, 99, 400, 1582, 1900, 1970, 2000, 2024, 2100, 9999] {
            for month in 1...12 {
                let first = HTTPDate(year: year, month: month, day: 1, hour: 23, minute: 59, second: 59)
                #expect(first.map { $0.calendarDay == (year, month, 1) } == true, "\(year)-\(month)")
                let length = HTTPDate.days(inMonth: month, year: year)
                let last = HTTPDate(year: year, month: month, day: length, hour: 23, minute: 59, second: 59)
                let next = month == 12 ? (year + 1, 1, 1) : (year, month + 1, 1)
                #expect(last.map { HTTPDate(seconds: $0.seconds + 1).calendarDay == next } == true, "\(year)-\(month)")
            }
        }
        #expect([1900, 2000, 2023, 2024].map { HTTPDate.days(inMonth: 2, year: $0) } == [28, 29, 28, 29])
    }

    @Test("a time of day has its hours, minutes and seconds, and one leap second")
    func bounds() {
        func seconds(_ month: Int, _ day: Int, _ hour: Int, _ minute: Int, _ second: Int) -> Int64? {
            HTTPDate(year: 1970, month: month, day: day, hour: hour, minute: minute, second: second)?.seconds
        }
        #expect(seconds(1, 1, 0, 0, 0) == 0 && seconds(1, 2, 1, 1, 1) == 86_400 + 3661)
        #expect(seconds(1, 1, 23, 59, 60) == 86_400 && seconds(12, 31, 0, 0, 0) == 364 * 86_400)
        for (month, day, hour, minute, second) in [
            (0, 1, 0, 0, 0), (13, 1, 0, 0, 0), (1, 0, 0, 0, 0), (1, 32, 0, 0, 0), (2, 29, 0, 0, 0), (1, 1, 24, 0, 0),
            (1, 1, -1, 0, 0), (1, 1, 0, 60, 0), (1, 1, 0, -1, 0), (1, 1, 0, 0, 61), (1, 1, 0, 0, -1),
        ] {
            #expect(seconds(month, day, hour, minute, second) == nil, "\(month) \(day) \(hour) \(minute) \(second)")
        }
    }

    @Test(
        "the form sent has four digits for the year: dates beyond them are the first or the last one",
        arguments: [
            (Int64.min, "Sat, 01 Jan 0000 00:00:00 GMT"), (-62_167_219_200, "Sat, 01 Jan 0000 00:00:00 GMT"),
            (-62_167_219_199, "Sat, 01 Jan 0000 00:00:01 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
            (253_402_300_798, "Fri, 31 Dec 9999 23:59:58 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ] as [(Int64, String)]
    )
    func extremes(seconds: Int64, expected: String) {
        var output: [UInt8] = [0x3D]
        HTTPDate(seconds: seconds).append(to: &output)
        #expect(text(output) == "=" + expected && text(HTTPDate(seconds: seconds).bytes) == expected)
    }

    @Test("each weekday and each month has its name, short or long")
    func names() {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let days = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]
        let now = HTTPDate(seconds: 0)
        for number in 0..<365 {
            let date = HTTPDate(seconds: Int64(number) * 86_400)
            let (_, month, day) = date.calendarDay
            let (name, weekday) = (months[month - 1], days[number % 7])
            let padded = day < 10 ? "0\(day)" : "\(day)"
            #expect(text(date.bytes) == "\(weekday.prefix(3)), \(padded) \(name) 1970 00:00:00 GMT")
            for form in [
                "\(weekday.prefix(3)), \(padded) \(name) 1970 00:00:00 GMT",
                "\(weekday), \(padded)-\(name)-70 00:00:00 GMT",
                "\(weekday.prefix(3)) \(name) \(day < 10 ? " \(day)" : "\(day)") 00:00:00 1970",
            ] {
                #expect(HTTPDate(parsing: latin(form), now: now) == date, "\(form)")
            }
        }
    }

    @Test(
        "a two-digit year is near the year that it is now",
        arguments: [(1970, 20, 2020), (1970, 21, 1921), (2099, 0, 2100)]
    )
    func century(thisYear: Int, short: Int, year: Int) throws {
        let now = try #require(HTTPDate(year: thisYear, month: 6, day: 1, hour: 0, minute: 0, second: 0))
        let form = "Friday, 01-May-\(short < 10 ? "0" : "")\(short) 00:00:00 GMT"
        #expect(HTTPDate(parsing: latin(form), now: now)?.calendarDay.year == year)
    }
}
