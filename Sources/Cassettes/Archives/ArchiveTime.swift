public import HTTPCore

/// Times of HAR files: ISO 8601 with date, time and zone.
public enum ArchiveTime {
    /// `2026-01-31T12:00:00Z`.
    public static func text(_ date: HTTPDate) -> String {
        let (year, month, day) = date.calendarDay
        let second = Int((date.seconds % 86_400 + 86_400) % 86_400)
        func padded(_ number: Int, _ width: Int = 2) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return "\(padded(year, 4))-\(padded(month))-\(padded(day))"
            + "T\(padded(second / 3600)):\(padded(second / 60 % 60)):\(padded(second % 60))Z"
    }

    /// The moment, without its fraction; nil if the text is none.
    static func date(_ text: String) -> HTTPDate? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes[4] == 0x2D, bytes[7] == 0x2D, [0x54, 0x74, 0x20].contains(bytes[10]),
            bytes[13] == 0x3A, bytes[16] == 0x3A,
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
            let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
            let moment = HTTPDate(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        var zone = bytes[19...]
        if zone.first == UInt8(ascii: ".") { zone = zone.dropFirst().drop { $0 &- 0x30 < 10 } }
        return offset(Array(zone)).map { HTTPDate(seconds: moment.seconds - Int64($0)) }
    }

    /// The seconds east of Greenwich: `Z`, `+01:00`, `-0730`.
    private static func offset(_ zone: [UInt8]) -> Int? {
        if zone == [UInt8(ascii: "Z")] || zone == [UInt8(ascii: "z")] { return 0 }
        let digits = zone.dropFirst().filter { $0 != UInt8(ascii: ":") }
        guard let sign = zone.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), digits.count == 4,
            let hours = number(digits[0..<2]), let minutes = number(digits[2..<4]), hours < 24, minutes < 60
        else { return nil }
        let seconds = hours * 3600 + minutes * 60
        return sign == UInt8(ascii: "-") ? -seconds : seconds
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
