/// The non-negative numbers of seconds in caching directives and `Age` (RFC 9111 §1.2.2).
public enum DeltaSeconds {
    /// A larger number counts as this one, 2³¹; sums of a few of these are far from wrapping.
    public static let limit: Int64 = 2_147_483_648

    /// Parses digits only, with leading zeros, saturating at `limit`; nil for anything else, also for no digits.
    static func parse(_ text: Span<UInt8>, in range: Range<Int>) -> Int64? {
        guard !range.isEmpty else { return nil }
        var value: Int64 = 0
        for index in range {
            let digit = text[index] &- 0x30
            guard digit < 10 else { return nil }
            value = min(limit, value * 10 + Int64(digit))
        }
        return value
    }

    /// `value` between 0 and `limit`.
    static func clamped(_ value: Int64) -> Int64 { min(max(0, value), limit) }

    /// Seconds from `start` to `end`, between 0 and `limit`.
    static func between(_ start: Int64, _ end: Int64) -> Int64 {
        let (difference, overflow) = end.subtractingReportingOverflow(start)
        return overflow ? (end > start ? limit : 0) : clamped(difference)
    }
}
