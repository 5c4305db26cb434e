import Platform

/// What differs between two texts, as a unified diff.
public enum TextDifference {
    /// The unchanged lines around the changed ones.
    private static let context = 2
    /// Texts with more lines between their equal ends are not compared line by line.
    private static let most = 3000

    /// A line of one text or of both.
    private struct Line {
        /// ` `, `-` or `+`.
        var mark: Character
        var text: Substring
        /// The numbers of the lines in the old and the new text, from 1.
        var old: Int
        var new: Int
    }

    /// Lines with ` `, `-` or `+` in front, below `@@ -3,5 +3,6 @@`; empty for equal texts.
    public static func lines(from old: String, to new: String) -> [String] {
        let all = script(Self.split(old), Self.split(new))
        var result: [String] = []
        for hunk in hunks(all) {
            let lines = all[hunk]
            guard let first = lines.first else { continue }
            let counts = (lines.count { $0.mark != "+" }, lines.count { $0.mark != "-" })
            result.append("@@ -\(first.old),\(counts.0) +\(first.new),\(counts.1) @@")
            result += lines.map { "\($0.mark)\(TerminalText.printable(expanded($0.text)))" }
        }
        return result
    }

    private static func split(_ text: String) -> [Substring] {
        var lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    private static func expanded(_ line: Substring) -> String {
        line.split(separator: "\t", omittingEmptySubsequences: false).joined(separator: "    ")
    }

    // MARK: Comparing

    /// All lines, in the order in which a diff shows them.
    private static func script(_ old: [Substring], _ new: [Substring]) -> [Line] {
        let start = zip(old, new).prefix { $0 == $1 }.count
        let room = min(old.count, new.count) - start
        let end = zip(old.reversed(), new.reversed()).prefix { $0 == $1 }.prefix(room).count
        let (before, after) = (old[start..<(old.count - end)], new[start..<(new.count - end)])
        let (removed, inserted) = changed(before, after)
        var (lines, i, j) = ([Line](), 0, 0)
        while i < old.count || j < new.count {
            if i < old.count, removed.contains(i) {
                lines.append(Line(mark: "-", text: old[i], old: i + 1, new: j + 1))
                i += 1
            } else if j < new.count, inserted.contains(j) {
                lines.append(Line(mark: "+", text: new[j], old: i + 1, new: j + 1))
                j += 1
            } else {
                lines.append(Line(mark: " ", text: old[i], old: i + 1, new: j + 1))
                i += 1
                j += 1
            }
        }
        return lines
    }

    /// The indices of removed lines, and of added ones.
    private static func changed(_ old: ArraySlice<Substring>, _ new: ArraySlice<Substring>) -> (Set<Int>, Set<Int>) {
        guard old.count + new.count <= most else { return (Set(old.indices), Set(new.indices)) }
        var (removed, inserted) = (Set<Int>(), Set<Int>())
        for change in Array(new).difference(from: Array(old)) {
            switch change {
            case .remove(let offset, _, _): removed.insert(old.startIndex + offset)
            case .insert(let offset, _, _): inserted.insert(new.startIndex + offset)
            }
        }
        return (removed, inserted)
    }

    /// The parts of the lines that have a change in them or near.
    private static func hunks(_ lines: [Line]) -> [Range<Int>] {
        var hunks: [Range<Int>] = []
        for index in lines.indices where lines[index].mark != " " {
            let range = max(0, index - context)..<min(lines.count, index + context + 1)
            if let last = hunks.last, last.upperBound >= range.lowerBound {
                hunks[hunks.count - 1] = last.lowerBound..<range.upperBound
            } else {
                hunks.append(range)
            }
        }
        return hunks
    }
}
