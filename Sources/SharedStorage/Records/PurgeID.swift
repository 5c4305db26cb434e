/// The place of an entry in the server's stream of purges: a time of the server in milliseconds, and a number.
struct PurgeID: Sendable, Hashable, Comparable {
    var time: UInt64
    var number: UInt64

    /// Before all entries.
    static let none = PurgeID(time: 0, number: 0)

    init(time: UInt64, number: UInt64) { (self.time, self.number) = (time, number) }

    /// Nil: the text is no place, such as `1700000000000-0`.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { UInt64($0) }
        guard parts.count == 2, let time = parts[0], let number = parts[1] else { return nil }
        self.init(time: time, number: number)
    }

    var text: String { "\(time)-\(number)" }

    /// The next place.
    var next: PurgeID {
        number < .max ? PurgeID(time: time, number: number + 1) : PurgeID(time: time &+ 1, number: 0)
    }

    static func < (one: PurgeID, other: PurgeID) -> Bool {
        (one.time, one.number) < (other.time, other.number)
    }
}
