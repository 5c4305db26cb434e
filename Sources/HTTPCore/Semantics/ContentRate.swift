/// How much content of a message has come in the present minute of reading (H-126).
public struct ContentRate: Sendable {
    private var start: MonotonicTime?
    private var octets = 0

    public init() {}

    public mutating func note(_ count: Int) { octets += count }

    /// Reading stops for a while: that time does not count.
    public mutating func pause() { start = nil }

    /// Whether the minute, or another `period`, that ends now brought less than `minimum` octets.
    public mutating func isTooLow(at now: MonotonicTime, minimum: Int, period: Duration = .seconds(60)) -> Bool {
        guard let start else {
            start = now
            octets = 0
            return false
        }
        guard now - start >= period else { return false }
        defer {
            self.start = now
            octets = 0
        }
        return octets < minimum
    }
}
