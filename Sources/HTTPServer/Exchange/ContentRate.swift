import HTTPCore

/// How much request content has come in the present minute of reading (H-126).
struct ContentRate {
    private var start: MonotonicTime?
    private var octets = 0

    mutating func note(_ count: Int) { octets += count }

    /// Reading stops for a while: that time does not count.
    mutating func pause() { start = nil }

    /// Whether the minute that ends now brought less than `minimum` octets.
    mutating func isTooLow(at now: MonotonicTime, minimum: Int) -> Bool {
        guard let start else {
            start = now
            octets = 0
            return false
        }
        guard now - start >= .seconds(60) else { return false }
        defer {
            self.start = now
            octets = 0
        }
        return octets < minimum
    }
}
