/// The exchanges of one recording, in the order in which their requests began.
///
/// Its file is HAR 1.2, so that other tools open it.
public struct Cassette: Sendable, Equatable {
    /// The version of our own members in the file.
    public static let version: Int64 = 1

    public var entries: [CassetteEntry]
    /// What was kept out of the entries.
    public var scrubbing: ScrubbingRules

    public init(entries: [CassetteEntry] = [], scrubbing: ScrubbingRules = ScrubbingRules()) {
        self.entries = entries
        self.scrubbing = scrubbing
    }

    /// The entries in the order of the file, each with its number in the recording.
    ///
    /// They are sorted by URL, method and content, so that a new entry moves no other. Entries of equal requests stay
    /// in the order of the recording.
    var sortedEntries: [(order: Int, entry: CassetteEntry)] {
        let numbered = entries.enumerated().map { (order: $0.offset + 1, entry: $0.element) }
        return numbered.sorted { left, right in
            let (one, other) = (left.entry.request, right.entry.request)
            if one.url != other.url { return one.url.utf8.lexicographicallyPrecedes(other.url.utf8) }
            if one.method != other.method { return one.method < other.method }
            if one.content != other.content { return one.content.lexicographicallyPrecedes(other.content) }
            return left.order < right.order
        }
    }
}
