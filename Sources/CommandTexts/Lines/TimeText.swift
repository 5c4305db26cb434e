/// Moments as text, in UTC.
package enum TimeText {
    /// `22:13:20`.
    ///
    /// - Parameter milliseconds: since 1970.
    package static func clock(_ milliseconds: Int64) -> String {
        let second = max(0, milliseconds / 1000) % 86_400
        return [second / 3600, second / 60 % 60, second % 60].map { padded($0, 2) }.joined(separator: ":")
    }

    /// `2023-11-14T22:13:20.123Z`.
    package static func date(_ milliseconds: Int64) -> String {
        let milliseconds = max(0, milliseconds)
        // Days of a calendar whose years begin in March, in eras of 400 years.
        let days = milliseconds / 86_400_000 + 719_468
        let day = days % 146_097
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1
        let name = days / 146_097 * 400 + year + (month > 9 ? 1 : 0)
        let date = "\(padded(name, 4))-\(padded(month < 10 ? month + 3 : month - 9, 2))-\(padded(dayOfMonth, 2))"
        return "\(date)T\(clock(milliseconds)).\(padded(milliseconds % 1000, 3))Z"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
