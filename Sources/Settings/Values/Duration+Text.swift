extension Duration {
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("w", 604_800_000), ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
    ]

    /// Reads `500ms`, `30s`, `1h30m`, `1w` or `0`: each unit once, the larger one first.
    ///
    /// Nil if the text is not a duration or overflows.
    public init?(settingText text: String) {
        guard let parts = UnitText.parts(of: text) else { return nil }
        if parts.count == 1, parts[0].unit.isEmpty {
            guard parts[0].number == 0 else { return nil }
            self = .zero
            return
        }
        var (total, last) = (Int64(0), Int64.max)
        for (number, unit) in parts {
            guard let factor = Self.units.first(where: { $0.name == unit })?.milliseconds, factor < last else {
                return nil
            }
            let (milliseconds, overflow) = Int64(number).multipliedReportingOverflow(by: factor)
            let (sum, carry) = total.addingReportingOverflow(milliseconds)
            guard !overflow, !carry else { return nil }
            (total, last) = (sum, factor)
        }
        self = .milliseconds(total)
    }

    /// The largest unit first.
    static var unitNames: [String] { units.map(\.name) }

    /// The unit that a user means by a word such as `seconds` or `H`.
    static func unit(meantBy word: String) -> String? {
        switch word.lowercased() {
        case "": "s"
        case "ms", "msec", "msecs", "millisecond", "milliseconds": "ms"
        case "s", "sec", "secs", "second", "seconds": "s"
        case "m", "min", "mins", "minute", "minutes": "m"
        case "h", "hr", "hrs", "hour", "hours": "h"
        case "d", "day", "days": "d"
        case "w", "week", "weeks": "w"
        default: nil
        }
    }

    /// The duration in the largest unit up to days that divides it: `30s`, `1500ms`, `0`.
    ///
    /// Fractions of a millisecond are dropped.
    public var settingText: String {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let milliseconds = overflow ? Int64.max : scaled + attoseconds / 1_000_000_000_000_000
        guard milliseconds != 0,
            let unit = Self.units.dropFirst().first(where: { milliseconds % $0.milliseconds == 0 })
        else { return "0" }
        return "\(milliseconds / unit.milliseconds)\(unit.name)"
    }
}
