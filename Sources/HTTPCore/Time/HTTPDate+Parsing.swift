/// Parsing of the three forms of an HTTP-date (RFC 9110 §5.6.7), strict but in any letter case.
extension HTTPDate {
    /// Reads a date; nil unless it is exactly one of the three forms and a day of the calendar.
    ///
    /// `now` decides the century of a two-digit year: the latest that is not more than 50 years ahead. Any weekday is
    /// accepted. A leap second counts as the second after it.
    public init?(parsing text: Span<UInt8>, now: HTTPDate) {
        guard text.count >= 24, let form = DateForm(of: text) else { return nil }
        var scanner = DateScanner()
        switch form {
        case .imfFixdate: self.init(imfFixdate: text, &scanner)
        case .rfc850: self.init(rfc850: text, &scanner, now: now)
        case .asctime: self.init(asctime: text, &scanner)
        }
    }

    public init?(parsing text: [UInt8], now: HTTPDate) { self.init(parsing: text.span, now: now) }

    /// A moment in UTC, by the proleptic Gregorian calendar; nil if there is no such day or time.
    public init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        guard (1...12).contains(month), (1...HTTPDate.days(inMonth: month, year: year)).contains(day) else {
            return nil
        }
        guard (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second) else { return nil }
        let days = HTTPDate.days(year: year, month: month, day: day)
        self.init(seconds: Int64(days) * 86400 + Int64(hour * 3600 + minute * 60 + second))
    }

    // Thu, 18 Aug 2050 02:01:18 GMT
    private init?(imfFixdate text: Span<UInt8>, _ scanner: inout DateScanner) {
        guard
            text.count == 29, text[4] == 0x20, text[7] == 0x20, text[11] == 0x20, text[16] == 0x20,
            text[19] == 0x3A, text[22] == 0x3A, text[25] == 0x20, scanner.weekday(in: text, long: false),
            let month = scanner.month(at: 8, in: text), scanner.isGMT(at: 26, in: text)
        else { return nil }
        // `pair` returns more than 99 if one of the bytes is no digit.
        let day = DateScanner.pair(text[5], text[6])
        let (century, year) = (DateScanner.pair(text[12], text[13]), DateScanner.pair(text[14], text[15]))
        let hour = DateScanner.pair(text[17], text[18])
        let minute = DateScanner.pair(text[20], text[21])
        let second = DateScanner.pair(text[23], text[24])
        guard max(day, century, year) < 100 else { return nil }
        self.init(year: century * 100 + year, month: month, day: day, hour: hour, minute: minute, second: second)
    }

    // Thursday, 18-Aug-50 02:01:18 GMT
    private init?(rfc850 text: Span<UInt8>, _ scanner: inout DateScanner, now: HTTPDate) {
        guard
            scanner.weekday(in: text, long: true), scanner.skip(", ", in: text),
            let day = scanner.number(2, in: text), scanner.skip("-", in: text),
            let month = scanner.month(in: text), scanner.skip("-", in: text),
            let shortYear = scanner.number(2, in: text), scanner.skip(" ", in: text),
            let time = scanner.time(in: text), scanner.skip(" gmt", in: text), scanner.position == text.count
        else { return nil }
        let thisYear = now.calendarDay.year
        var year = thisYear - thisYear % 100 + shortYear + 100
        while year > thisYear + 50 { year -= 100 }
        self.init(year: year, month: month, day: day, hour: time.hour, minute: time.minute, second: time.second)
    }

    // Thu Aug  8 02:01:18 2050
    private init?(asctime text: Span<UInt8>, _ scanner: inout DateScanner) {
        guard
            text.count == 24, scanner.weekday(in: text, long: false), scanner.skip(" ", in: text),
            let month = scanner.month(in: text), scanner.skip(" ", in: text),
            let day = scanner.paddedNumber(in: text), scanner.skip(" ", in: text),
            let time = scanner.time(in: text), scanner.skip(" ", in: text),
            let year = scanner.number(4, in: text)
        else { return nil }
        self.init(year: year, month: month, day: day, hour: time.hour, minute: time.minute, second: time.second)
    }
}

private enum DateForm {
    case imfFixdate, rfc850, asctime

    /// Decides the form by what follows the weekday.
    init?(of text: Span<UInt8>) {
        if text[3] == 0x2C {
            self = .imfFixdate
        } else if text[3] == 0x20 {
            self = .asctime
        } else {
            self = .rfc850
        }
    }
}

/// Reads the parts of a date one after the other.
private struct DateScanner {
    var position = 0

    private static let weekdays: [StaticString] = [
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]

    /// Three letters in any case as one number, the first one highest.
    private func letters(_ text: Span<UInt8>) -> UInt32 {
        guard text.count - position >= 3 else { return 0 }
        var value: UInt32 = 0
        for index in position..<position + 3 { value = value << 8 | UInt32(text[index].asciiLowercased) }
        return value
    }

    /// Skips `expected` (lower-case) in any letter case.
    mutating func skip(_ expected: StaticString, in text: Span<UInt8>) -> Bool {
        let end = position + expected.utf8CodeUnitCount
        guard end <= text.count, ByteScan.matches(text, position..<end, expected) else { return false }
        position = end
        return true
    }

    mutating func weekday(in text: Span<UInt8>, long: Bool) -> Bool {
        if long {
            for day in Self.weekdays where skip(day, in: text) { return true }
            return false
        }
        switch letters(text) {
        // mon, tue, wed, thu, fri, sat, sun
        case 0x6D6F6E, 0x747565, 0x776564, 0x746875, 0x667269, 0x736174, 0x73756E: break
        default: return false
        }
        position += 3
        return true
    }

    /// Reads a month; 1 is January.
    mutating func month(in text: Span<UInt8>) -> Int? {
        let month: Int
        switch letters(text) {
        case 0x6A616E: month = 1  // jan
        case 0x666562: month = 2  // feb
        case 0x6D6172: month = 3  // mar
        case 0x617072: month = 4  // apr
        case 0x6D6179: month = 5  // may
        case 0x6A756E: month = 6  // jun
        case 0x6A756C: month = 7  // jul
        case 0x617567: month = 8  // aug
        case 0x736570: month = 9  // sep
        case 0x6F6374: month = 10  // oct
        case 0x6E6F76: month = 11  // nov
        case 0x646563: month = 12  // dec
        default: return nil
        }
        position += 3
        return month
    }

    // MARK: Parts at fixed positions

    /// The number of two digits; more than 99 if one of the bytes is no digit.
    static func pair(_ high: UInt8, _ low: UInt8) -> Int {
        let (tens, ones) = (Int(high &- 0x30), Int(low &- 0x30))
        return tens < 10 && ones < 10 ? tens * 10 + ones : .max
    }

    mutating func month(at index: Int, in text: Span<UInt8>) -> Int? {
        position = index
        return month(in: text)
    }

    mutating func isGMT(at index: Int, in text: Span<UInt8>) -> Bool {
        position = index
        return letters(text) == 0x676D74
    }

    // MARK: Parts of varying length

    /// Reads a number of exactly `digits` digits.
    mutating func number(_ digits: Int, in text: Span<UInt8>) -> Int? {
        guard text.count - position >= digits else { return nil }
        var value = 0
        for index in 0..<digits {
            let digit = text[position + index] &- 0x30
            guard digit < 10 else { return nil }
            value = value * 10 + Int(digit)
        }
        position += digits
        return value
    }

    /// Reads two digits, or a blank and one digit.
    mutating func paddedNumber(in text: Span<UInt8>) -> Int? {
        skip(" ", in: text) ? number(1, in: text) : number(2, in: text)
    }

    mutating func time(in text: Span<UInt8>) -> (hour: Int, minute: Int, second: Int)? {
        guard
            let hour = number(2, in: text), skip(":", in: text),
            let minute = number(2, in: text), skip(":", in: text),
            let second = number(2, in: text)
        else { return nil }
        return (hour, minute, second)
    }
}
