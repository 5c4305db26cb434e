extension Duration {
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
    ]

    /// Reads `500ms`, `30s`, `5m`, `1h`, `1d` or `0`; nil if the text is not a duration or overflows.
    public init?(settingText text: String) {
        guard let (number, unit) = UnitText.split(text) else { return nil }
        if unit.isEmpty {
            guard number == 0 else { return nil }
            self = .zero
            return
        }
        guard let factor = Self.units.first(where: { $0.name == unit })?.milliseconds else { return nil }
        let (milliseconds, overflow) = Int64(number).multipliedReportingOverflow(by: factor)
        guard !overflow else { return nil }
        self = .milliseconds(milliseconds)
    }

    /// The duration in the largest unit that divides it: `30s`, `1500ms`, `0`; fractions of a millisecond are dropped.
    public var settingText: String {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let milliseconds = overflow ? Int64.max : scaled + attoseconds / 1_000_000_000_000_000
        guard milliseconds != 0, let unit = Self.units.first(where: { milliseconds % $0.milliseconds == 0 }) else {
            return "0"
        }
        return "\(milliseconds / unit.milliseconds)\(unit.name)"
    }
}
