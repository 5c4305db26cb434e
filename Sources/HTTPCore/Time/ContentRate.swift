/// Counts the content of a message that is received in each minute of reading (H-126).
public struct ContentRate: Sendable {
    private var start: MonotonicTime?
    private var bytes = 0

    public init() {}

    public mutating func note(_ count: Int) { bytes += count }

    /// Stops the count while nothing is read.
    public mutating func pause() { start = nil }

    /// Whether less than `minimum` bytes were received in the minute, or other `period`, that ends now.
    public mutating func isTooLow(at now: MonotonicTime, minimum: Int, period: Duration = .seconds(60)) -> Bool {
        guard let start else {
            start = now
            bytes = 0
            return false
        }
        guard now - start >= period else { return false }
        defer {
            self.start = now
            bytes = 0
        }
        return bytes < minimum
    }
}
