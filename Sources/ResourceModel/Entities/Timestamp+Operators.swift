public import Exchanges

// Here, where programs see them: an import of a single type brings none of its operators.
extension Timestamp {
    public static func + (time: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(sinceEpoch: time.sinceEpoch + duration)
    }

    public static func - (left: Timestamp, right: Timestamp) -> Duration { left.sinceEpoch - right.sinceEpoch }
}
