// Nothing is imported here: a reading of RFC 9110 §14 that shares no code with what it judges.

/// What a Range means for a file of some length.
struct ReferenceRanges {
    /// The bytes that are wanted, in the order of the response; empty: none of them exists; nil: the whole.
    let wanted: [Range<Int>]?
    /// Whether the whole may be sent all the same: too many ranges, too many overlaps, or more bytes than the file has.
    private(set) var mayBeWhole = false

    init(_ value: String?, length: Int) {
        guard let asked = value.flatMap({ Self.parse($0, length: length) }) else {
            wanted = nil
            return
        }
        let existing = asked.compactMap { $0 }
        let merged = Self.merged(existing)
        wanted = merged.count == existing.count ? existing : merged
        guard merged.count > 1 else { return }
        let bytes = merged.reduce(0) { $0 + $1.count + 160 }
        mayBeWhole = merged.count > 16 || existing.count - merged.count > 2 || bytes > 2 * max(length, 320)
    }

    /// One entry for each member; nil for one that no byte satisfies.
    ///
    /// Nil as a whole if the value must be ignored.
    private static func parse(_ value: String, length: Int) -> [Range<Int>?]? {
        guard value.hasPrefix("bytes=") else { return nil }
        var all: [Range<Int>?] = []
        for member in value.dropFirst(6).split(separator: ",") {
            let ends = member.split(separator: "-", omittingEmptySubsequences: false)
            guard ends.count == 2 else { return nil }
            if ends[0].isEmpty {
                guard let count = number(ends[1]) else { return nil }
                all.append(count == 0 ? nil : max(0, length - count)..<length)
                continue
            }
            guard let first = number(ends[0]), let last = ends[1].isEmpty ? Int.max : number(ends[1]), first <= last
            else { return nil }
            all.append(first < length ? first..<(min(last, length - 1) + 1) : nil)
        }
        return all.isEmpty ? nil : all
    }

    /// A number beyond all files is the largest one.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text) ?? Int.max
    }

    private static func merged(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var result: [Range<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = result.last, range.lowerBound <= last.upperBound {
                result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }
}
