extension Table.Cell {
    /// A number of bytes; with a unit for people.
    package static func bytes(_ count: Int64?) -> Table.Cell {
        guard let count else { return .none }
        return Table.Cell(readable(bytes: count), plain: "\(count)")
    }

    /// A number of things; with commas for people.
    package static func count(_ count: Int64?) -> Table.Cell {
        guard let count else { return .none }
        return Table.Cell(readable(count: count), plain: "\(count)")
    }

    /// A time in seconds; in its two largest units for people.
    package static func seconds(_ seconds: Int64?) -> Table.Cell {
        guard let seconds else { return .none }
        return Table.Cell(readable(seconds: seconds), plain: "\(seconds)")
    }

    /// A time in seconds; in its largest unit for people.
    package static func roughly(_ seconds: Int64?) -> Table.Cell {
        guard let seconds else { return .none }
        return Table.Cell(rough(seconds: seconds), plain: "\(seconds)")
    }

    /// How long ago something was, in seconds; `3 min ago` for people.
    package static func ago(_ seconds: Int64?) -> Table.Cell {
        guard let seconds else { return .none }
        return Table.Cell(seconds < 1 ? "just now" : "\(rough(seconds: seconds)) ago", plain: "\(seconds)")
    }

    package static func state(_ word: String?) -> Table.Cell {
        guard let word else { return .none }
        let colors = ["fresh": 32, "stale": 33, "loading": 36, "error": 31]
        return Table.Cell(word, color: colors[word])
    }

    /// `1.4 MiB`.
    package static func readable(bytes count: Int64) -> String {
        var value = Double(count)
        var units = ["B", "KiB", "MiB", "GiB", "TiB"][...]
        // A value that would be rounded to 1024 is shown as 1 of the next unit.
        while value >= (units.first == "B" ? 1024 : 1023.5), units.count > 1 {
            value /= 1024
            units.removeFirst()
        }
        let unit = units.first ?? "B"
        let tenths = Int64((value * 10).rounded())
        return unit == "B" || tenths >= 1000
            ? "\(Int64(value.rounded())) \(unit)" : "\(tenths / 10).\(tenths % 10) \(unit)"
    }

    /// `1,234,567`.
    package static func readable(count: Int64) -> String {
        var groups: [Substring] = []
        var digits = Substring("\(count.magnitude)")
        while digits.count > 3 {
            groups.insert(digits.suffix(3), at: 0)
            digits.removeLast(3)
        }
        return (count < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
    }

    private static let units: [(size: Int64, name: String)] = [(86_400, "d"), (3600, "h"), (60, "min"), (1, "s")]

    /// `2 d 3 h`: the two largest units.
    package static func readable(seconds: Int64) -> String {
        var rest = Int64(clamping: seconds.magnitude)
        var parts: [String] = []
        for (size, name) in units where rest >= size && parts.count < 2 {
            parts.append("\(rest / size) \(name)")
            rest %= size
        }
        return parts.isEmpty ? "0 s" : (seconds < 0 ? "-" : "") + parts.joined(separator: " ")
    }

    /// `3 min`: the largest unit; hours up to two days.
    package static func rough(seconds: Int64) -> String {
        let count = Int64(clamping: seconds.magnitude)
        let unit = units.first { count >= ($0.name == "d" ? 2 : 1) * $0.size } ?? (1, "s")
        return (seconds < 0 ? "-" : "") + "\(count / unit.size) \(unit.name)"
    }

    // MARK: Short times

    /// A time in microseconds; with a unit for people.
    package static func microseconds(_ count: Int64?) -> Table.Cell {
        guard let count, count >= 0 else { return .none }
        return Table.Cell(readable(microseconds: count), plain: "\(count)")
    }

    /// `12 µs`, `3.4 ms`, `250 ms`, `1.2 s`, `2 min 3 s`.
    package static func readable(microseconds count: Int64) -> String {
        switch count {
        case ..<1000: "\(count) µs"
        case ..<9_950: "\(tenths(count, 1000)) ms"
        case ..<999_500: "\((count + 500) / 1000) ms"
        case ..<59_950_000: "\(tenths(count, 1_000_000)) s"
        default: readable(seconds: (count + 500_000) / 1_000_000)
        }
    }

    private static func tenths(_ count: Int64, _ unit: Int64) -> String {
        let tenths = (count * 10 + unit / 2) / unit
        return "\(tenths / 10).\(tenths % 10)"
    }

    // MARK: Shares

    /// A count, and for people its share of a total: `810, 81 %`.
    package static func part(_ count: Int64?, of total: Int64?) -> Table.Cell {
        guard let count, let total, total > 0 else { return .count(count) }
        return Table.Cell("\(readable(count: count)), \(percent(count, of: total))", plain: "\(count)")
    }

    /// A number of bytes, and for people its share of a total.
    package static func size(_ bytes: Int64?, of total: Int64?) -> Table.Cell {
        guard let bytes, let total, total > 0 else { return .bytes(bytes) }
        return Table.Cell("\(readable(bytes: bytes)), \(percent(bytes, of: total))", plain: "\(bytes)")
    }

    /// A share rounded to whole percents; 100 % and 0 % only if it is exactly all or nothing.
    package static func percent(_ part: Int64, of whole: Int64) -> String {
        let share = Double(part) / Double(whole) * 100
        if part > 0, share < 1 { return "below 1 %" }
        let rounded = Int(share.rounded())
        return "\(part < whole ? min(99, rounded) : rounded) %"
    }
}
