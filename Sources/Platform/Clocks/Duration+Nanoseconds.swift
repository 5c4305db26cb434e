extension Duration {
    /// The whole nanoseconds, limited to 250 years in either direction.
    ///
    /// Such a number can be added to a clock's without an overflow.
    var limitedNanoseconds: Int64 {
        let longest: Int64 = 250 * 365 * 86_400
        let (seconds, attoseconds) = components
        guard -longest..<longest ~= seconds else {
            return seconds < 0 ? -longest * 1_000_000_000 : longest * 1_000_000_000
        }
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
