import HTTPCore

/// The moment in UTC by ISO 8601, to the millisecond, such as `2050-08-18T02:01:18.250Z`.
extension Timestamp: CustomStringConvertible {
    /// Without a fraction if the millisecond is 0.
    public var description: String {
        let (year, month, day) = date.calendarDay
        let second = Int((date.seconds % 86400 + 86400) % 86400)
        let millisecond = Int((sinceEpoch - .seconds(date.seconds)).components.attoseconds / 1_000_000_000_000_000)
        let days = [Self.padded(year, 4), Self.padded(month, 2), Self.padded(day, 2)]
        let times = [second / 3600, second / 60 % 60, second % 60].map { Self.padded($0, 2) }
        let fraction = millisecond == 0 ? "" : ".\(Self.padded(millisecond, 3))"
        return "\(days.joined(separator: "-"))T\(times.joined(separator: ":"))\(fraction)Z"
    }

    private static func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number.magnitude)
        return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
