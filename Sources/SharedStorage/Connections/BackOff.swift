import HTTPCore

/// Pauses between attempts, each twice as long as the one before.
struct BackOff {
    private let first: Duration
    private let longest: Duration
    private var pause: Duration
    private var next: MonotonicTime?
    /// The pause that the latest failure began.
    private(set) var latest = Duration.zero

    init(first: Duration, longest: Duration) {
        (self.first, self.longest) = (first, longest)
        pause = first
    }

    /// Whether an attempt may be made.
    func isDue(_ now: MonotonicTime) -> Bool { next.map { now >= $0 } ?? true }

    mutating func succeed() {
        pause = first
        next = nil
    }

    mutating func fail(at now: MonotonicTime) {
        next = now + pause
        latest = pause
        pause = min(pause * 2, longest)
    }
}
