/// How long to wait before the writer tries again a disk that refused: twice as long each time, up to five minutes.
struct DiskProbing {
    private static let longestDelay = Duration.seconds(300)
    /// How long the writer works with less space before it asks for more.
    static let capacityDelay = longestDelay

    private var delay: Duration

    init(firstDelay: Duration) { delay = firstDelay }

    mutating func nextDelay() -> Duration {
        defer { delay = min(delay * 2, Self.longestDelay) }
        return delay
    }
}
