/// Finds the valid name that a user probably meant.
public enum NearestName {
    /// The candidate with the fewest edits from `name`, if these are at most a third of its length (at least 2).
    ///
    /// Among several, it is the one with the longest common prefix.
    public static func find(_ name: String, in candidates: some Sequence<String>) -> String? {
        guard name.utf8.count <= 200 else { return nil }
        let scored = candidates.map { (name: $0, edits: edits(from: name, to: $0), shared: sharedStart(name, $0)) }
        guard let best = scored.min(by: { ($0.edits, -$0.shared) < ($1.edits, -$1.shared) }) else { return nil }
        return best.edits <= max(2, name.utf8.count / 3) && best.edits < name.utf8.count ? best.name : nil
    }

    private static func sharedStart(_ first: String, _ second: String) -> Int {
        zip(first.utf8, second.utf8).prefix { $0 == $1 }.count
    }

    /// The number of bytes inserted, deleted, replaced or swapped with their neighbour (optimal string alignment).
    static func edits(from first: String, to second: String) -> Int {
        let (a, b) = (Array(first.utf8), Array(second.utf8))
        var beforeLast = [Int](repeating: 0, count: b.count + 1)
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1] + last.dropFirst()
            for j in b.indices {
                row[j + 1] = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    row[j + 1] = min(row[j + 1], beforeLast[j - 1] + 1)
                }
            }
            (beforeLast, last) = (last, row)
        }
        return last[b.count]
    }
}
