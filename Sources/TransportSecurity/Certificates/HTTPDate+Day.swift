public import HTTPCore

extension HTTPDate {
    /// The day as `2026-11-22`.
    public var day: String {
        let (year, month, day) = calendarDay
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(year)-\(two(month))-\(two(day))"
    }
}
