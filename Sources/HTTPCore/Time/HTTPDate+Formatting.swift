/// Formatting as IMF-fixdate, the only form that we send (RFC 9110 §5.6.7), with the calendar that it needs.
extension HTTPDate {
    /// The day in the calendar; month and day begin at 1.
    public var calendarDay: (year: Int, month: Int, day: Int) {
        // Days since 0000-03-01, in eras of 400 years.
        let shifted = Int((seconds - floorModulo(seconds, 86400)) / 86400) + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// The date as `Thu, 18 Aug 2050 02:01:18 GMT`.
    ///
    /// A year beyond 0 to 9999 becomes the nearest of these.
    public var bytes: [UInt8] { fixdate }

    /// Appends the IMF-fixdate.
    public func append(to output: inout [UInt8]) { output.append(contentsOf: fixdate) }

    private var fixdate: [UInt8] {
        let bounded = HTTPDate(seconds: min(max(seconds, -62_167_219_200), 253_402_300_799))
        let (year, month, day) = bounded.calendarDay
        let time = Int(floorModulo(bounded.seconds, 86400))
        let days = Int((bounded.seconds - Int64(time)) / 86400)
        var text: [UInt8] = []
        text.reserveCapacity(29)
        text.append(contentsOf: Self.weekdayNames[Int(floorModulo(Int64(days) + 3, 7))])
        text.append(contentsOf: [0x2C, 0x20])
        text.appendPadded(day, 2, then: 0x20)
        text.append(contentsOf: Self.monthNames[month - 1])
        text.append(0x20)
        text.appendPadded(year, 4, then: 0x20)
        text.appendPadded(time / 3600, 2, then: 0x3A)
        text.appendPadded(time / 60 % 60, 2, then: 0x3A)
        text.appendPadded(time % 60, 2, then: 0x20)
        text.append(contentsOf: [0x47, 0x4D, 0x54])
        return text
    }

    private static let weekdayNames = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].map { Array($0.utf8) }
    private static let monthNames = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ].map { Array($0.utf8) }

    /// The number of days from 1970-01-01 to a day of the Gregorian calendar.
    static func days(year: Int, month: Int, day: Int) -> Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    static func days(inMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

private func floorModulo(_ value: Int64, _ divisor: Int64) -> Int64 {
    let remainder = value % divisor
    return remainder < 0 ? remainder + divisor : remainder
}

extension [UInt8] {
    fileprivate mutating func appendPadded(_ value: Int, _ digits: Int, then separator: UInt8) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            append(0x30 + UInt8(value / divisor % 10))
            divisor /= 10
        }
        append(separator)
    }
}
