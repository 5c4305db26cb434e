// Nothing is imported here: the syntax the reference model needs, written from the text of RFC 9110 and RFC 9111.

/// Field lines as they came.
struct ReferenceFields {
    var lines: [(name: String, value: String)]

    init(_ lines: [(String, String)] = []) { self.lines = lines.map { (name: $0.0, value: $0.1) } }

    /// The values of all lines of a field (RFC 9110 §5.1: names have no case).
    func values(_ name: String) -> [String] { lines.filter { $0.name.lowercased() == name }.map(\.value) }

    func first(_ name: String) -> String? { values(name).first }

    /// All lines as one list (RFC 9110 §5.3); nil if there is none.
    func combined(_ name: String) -> String? {
        let all = values(name)
        return all.isEmpty ? nil : all.joined(separator: ", ")
    }

    mutating func remove(_ name: String) { lines.removeAll { $0.name.lowercased() == name } }
}

enum ReferenceSyntax {
    static func trimmed(_ text: some StringProtocol) -> String {
        var rest = Substring(String(text))
        while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return String(rest)
    }

    /// The members of a list, split at commas that are not quoted (RFC 9110 §5.6.1).
    static func members(_ list: String) -> [String] {
        var members: [String] = [""]
        var isQuoted = false
        var isEscaped = false
        for character in list {
            if character == ",", !isQuoted {
                members.append("")
                continue
            }
            if isEscaped {
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            }
            members[members.count - 1].append(character)
        }
        return members.map { trimmed($0) }.filter { !$0.isEmpty }
    }

    // MARK: Cache-Control (RFC 9111 §5.2)

    /// Each directive's name in lower case with its argument, unquoted; members that are none are left out.
    static func directives(_ list: String?) -> [(name: String, argument: String?)] {
        members(list ?? "").compactMap { member in
            guard let sign = member.firstIndex(of: "=") else {
                return isToken(member) ? (member.lowercased(), nil) : nil
            }
            let name = String(member[..<sign])
            var argument = String(member[member.index(after: sign)...])
            guard isToken(name), argument.first != " ", argument.first != "\t" else { return nil }
            if argument.count >= 2, argument.hasPrefix("\""), argument.hasSuffix("\"") {
                argument = String(argument.dropFirst().dropLast())
            }
            return (name.lowercased(), argument)
        }
    }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "!#$%&'*+-.^_`|~".contains($0)) }
    }

    /// Seconds of a delta-seconds argument (RFC 9111 §1.2.2); nil if it is none.
    static func seconds(_ text: String?) -> Int? {
        guard let text, !text.isEmpty, text.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        return text.count > 9 ? 2_147_483_648 : Int(text)
    }

    // MARK: Dates (RFC 9110 §5.6.7), days counted one by one

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    private static func length(_ month: Int, _ year: Int) -> Int {
        [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month]
    }

    /// An IMF-fixdate, from 1970 on.
    static func date(_ time: Int) -> String {
        var (day, year, month) = (time / 86400, 1970, 0)
        let weekday = weekdays[day % 7]
        while day >= (isLeap(year) ? 366 : 365) {
            day -= isLeap(year) ? 366 : 365
            year += 1
        }
        while day >= length(month, year) {
            day -= length(month, year)
            month += 1
        }
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let clock = [time % 86400 / 3600, time % 3600 / 60, time % 60].map(two).joined(separator: ":")
        return "\(weekday), \(two(day + 1)) \(months[month]) \(year) \(clock) GMT"
    }

    /// The time of an IMF-fixdate of this or the next years, the only form the sequences contain; nil for all else.
    static func time(_ text: String?) -> Int? {
        guard let text else { return nil }
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(of: String(parts[2])),
            let day = Int(parts[1]), let year = Int(parts[3]), (1970...2100).contains(year)
        else { return nil }
        let clock = parts[4].split(separator: ":").compactMap { Int($0) }
        guard clock.count == 3 else { return nil }
        var days = day - 1
        for earlier in 1970..<year { days += isLeap(earlier) ? 366 : 365 }
        for earlier in 0..<month { days += length(earlier, year) }
        return days * 86400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
    }

    // MARK: Ranges (RFC 9110 §14)

    /// The bytes that a Range asks for of a content, one range each; nil if it is malformed, or asks for none.
    static func ranges(_ text: String?, length: Int) -> [Range<Int>]? {
        guard let text, text.hasPrefix("bytes=") else { return nil }
        var found: [Range<Int>] = []
        for member in members(String(text.dropFirst(6))) {
            let ends = member.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard ends.count == 2 else { return nil }
            if ends[0].isEmpty {
                guard let count = seconds(ends[1]) else { return nil }
                if count > 0 { found.append(max(0, length - count)..<length) }
            } else {
                guard let first = seconds(ends[0]) else { return nil }
                let last = ends[1].isEmpty ? length - 1 : seconds(ends[1])
                guard let last, last >= first || ends[1].isEmpty else { return nil }
                if first < length { found.append(first..<min(length, last + 1)) }
            }
        }
        return found.isEmpty ? nil : found
    }

    /// Whether what a Range asks for depends on the length of the whole.
    static func leansOnLength(_ text: String?) -> Bool {
        members(String((text ?? "").dropFirst(6))).contains { $0.hasPrefix("-") || $0.hasSuffix("-") }
    }

    /// First, end and total of a Content-Range in bytes; nil if it is malformed or contradicts itself.
    static func contentRange(_ text: String?) -> (range: Range<Int>, total: Int?)? {
        guard let text, text.hasPrefix("bytes ") else { return nil }
        let halves = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard halves.count == 2, ends.count == 2, let first = seconds(ends[0]), let last = seconds(ends[1]),
            first <= last
        else { return nil }
        let total = seconds(halves[1])
        guard halves[1] == "*" || (total ?? 0) > last else { return nil }
        return (first..<(last + 1), total)
    }

    // MARK: Tags

    static func isStrong(_ tag: String) -> Bool { !tag.hasPrefix("W/") }

    static func tags(_ list: String?) -> [String] { members(list ?? "") }

    /// Weak comparison (RFC 9110 §8.8.3.2).
    static func matchWeakly(_ one: String, _ other: String) -> Bool { opaque(one) == opaque(other) }

    private static func opaque(_ tag: String) -> String { tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag }
}
