import HTTPCore

/// Reads a list of hosts, one line at a time.
///
/// | Line | Means |
/// |---|---|
/// | `ads.example` | this host |
/// | `.ads.example`, `||ads.example^` | this host and all below it |
/// | `*.ads.example` | all hosts below it |
/// | `192.0.2.1`, `2001:db8::1` | this address |
/// | `0.0.0.0 ads.example tracker.example` | these hosts, as in /etc/hosts |
/// | `# …`, `! …` | nothing |
struct HostListParser {
    private var table: HostTable
    private var line = 0
    /// The name that is being read, in lower case; reused.
    private var name: [UInt8] = []

    /// - Parameter text: the whole list, for its size.
    init(_ text: Span<UInt8>) {
        table = HostTable(expected: Self.expectedNames(text), bytes: text.count)
    }

    /// Counts the lines that begin with a name or an address; slots for empty ones and comments would be wasted.
    static func expectedNames(_ text: Span<UInt8>) -> Int {
        var (names, previous) = (0, 0x0A as UInt8)
        for index in 0..<text.count {
            let byte = text[index]
            if previous == 0x0A, byte != 0x0A, byte != 0x23, byte != 0x21, !isBlank(byte) { names += 1 }
            previous = byte
        }
        return names
    }

    /// The names read.
    consuming func finish() -> HostTable {
        table.finish()
        return table
    }

    mutating func parse(_ text: Span<UInt8>) throws(HostListFault) {
        // In UTF-8 a byte order mark has no meaning.
        var start = text.count >= 3 && text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF ? 3 : 0
        while start < text.count {
            var end = start
            while end < text.count, text[end] != 0x0A { end += 1 }
            line += 1
            try read(text, start, end)
            start = end + 1
        }
    }

    // MARK: Lines

    private mutating func read(_ text: Span<UInt8>, _ start: Int, _ end: Int) throws(HostListFault) {
        var word = Self.word(text, start, end)
        guard !word.isEmpty, text[word.lowerBound] != 0x21, !Self.isTitle(text, word, end) else { return }
        let first = word
        word = Self.word(text, first.upperBound, end)
        if word.isEmpty { return try readEntry(text, first) }
        guard let address = Self.address(text, first) else {
            throw fault(text, start, end, "a line is one host; behind an address such as 0.0.0.0 it may be several")
        }
        while !word.isEmpty {
            if !Self.isUsual(text, word) {
                guard Self.blocking.contains(address) else {
                    let names = Self.blocking.map(\.description).joined(separator: ", ")
                    throw fault(text, start, end, "only \(names) may be before a host that is listed")
                }
                try readName(text, word, .itself)
            }
            word = Self.word(text, word.upperBound, end)
        }
    }

    /// Reads a line of a single word.
    private mutating func readEntry(_ text: Span<UInt8>, _ word: Range<Int>) throws(HostListFault) {
        let (start, end) = (word.lowerBound, word.upperBound)
        if text[start] == 0x7C, end - start > 3, text[start + 1] == 0x7C, text[end - 1] == 0x5E {
            return try readName(text, start + 2..<end - 1, [.itself, .below], in: word)
        }
        if text[start] == 0x2E { return try readName(text, start + 1..<end, [.itself, .below], in: word) }
        if text[start] == 0x2A, end - start > 2, text[start + 1] == 0x2E {
            return try readName(text, start + 2..<end, .below, in: word)
        }
        guard let address = Self.address(text, word) else { return try readName(text, word, .itself) }
        let canonical = Array(address.unmapped.description.utf8)
        table.insert(canonical.span, .itself)
    }

    // MARK: Names

    /// - Parameter whole: the word for messages, if it has more than the name, such as `||name^`.
    private mutating func readName(
        _ text: Span<UInt8>,
        _ range: Range<Int>,
        _ kinds: HostTable.Kinds,
        in whole: Range<Int>? = nil
    ) throws(HostListFault) {
        let end = range.upperBound - (text[range.upperBound - 1] == 0x2E ? 1 : 0)
        // The table changes while the name is lent to it.
        var name: [UInt8] = []
        swap(&name, &self.name)
        defer { swap(&name, &self.name) }
        name.removeAll(keepingCapacity: true)
        var labelStart = range.lowerBound
        for index in range.lowerBound..<max(range.lowerBound, end) {
            let byte = text[index]
            if byte == 0x2E {
                guard 1...63 ~= index - labelStart else { throw badName(text, whole ?? range) }
                labelStart = index + 1
            } else if !Self.isNameByte(byte) {
                throw badName(text, whole ?? range)
            }
            name.append(byte.asciiLowercased)
        }
        guard 1...63 ~= end - labelStart, name.count <= 253 else { throw badName(text, whole ?? range) }
        // No URL has such a host, unless it is an address.
        if Self.isNumber(text, labelStart..<end) {
            guard whole == nil, IPAddress(host: name.span) != nil else { throw badName(text, whole ?? range) }
        }
        table.insert(name.span, kinds)
    }

    /// Whether a label is a number, decimal or `0x…`.
    private static func isNumber(_ text: Span<UInt8>, _ label: Range<Int>) -> Bool {
        let isHex =
            label.count > 1 && text[label.lowerBound] == 0x30 && text[label.lowerBound + 1].asciiLowercased == 0x78
        guard isHex else { return label.allSatisfy { text[$0] &- 0x30 < 10 } }
        return label.dropFirst(2).allSatisfy { text[$0] &- 0x30 < 10 || text[$0].asciiLowercased &- 0x61 < 6 }
    }

    private func badName(_ text: Span<UInt8>, _ word: Range<Int>) -> HostListFault {
        let bytes = text.extracting(word)
        var reason = "this is no name of a host; write one name, or `.name` for all below it, too"
        if bytes.count > 1, bytes[0] == 0x40, bytes[1] == 0x40 {
            reason = "exceptions have no place in a list; write a later rule with `deny = false` for them"
        } else if (0..<bytes.count).contains(where: { bytes[$0] >= 0x80 }) {
            reason = "names are in ASCII; write the `xn--` form"
        } else if Self.isNetwork(text, word) {
            reason =
                "a list has no ranges of addresses; name each address, or use `match` of a rule, such as `*://10.0.*/**`"
        } else if (0..<bytes.count).contains(where: { bytes[$0] == 0x2F || bytes[$0] == 0x3A }) {
            reason = "a list has hosts alone, without scheme, port and path; `match` of a rule has a pattern with these"
        } else if (0..<bytes.count).contains(where: { bytes[$0] == 0x2A }) {
            reason = "a `*` stands at the beginning, before a dot, or nowhere; `match` of a rule has a pattern with it"
        }
        return fault(text, word.lowerBound, word.upperBound, reason)
    }

    /// Whether a word is an address, a slash and more.
    private static func isNetwork(_ text: Span<UInt8>, _ word: Range<Int>) -> Bool {
        guard let slash = word.first(where: { text[$0] == 0x2F }), slash > word.lowerBound else { return false }
        return address(text, word.lowerBound..<slash) != nil
    }

    private func fault(_ text: Span<UInt8>, _ start: Int, _ end: Int, _ reason: String) -> HostListFault {
        guard line > 1, Self.mayBeShown(text, start, end) else {
            return HostListFault(line: line, text: nil, userMessage: reason)
        }
        let shown = [UInt8](copying: text.extracting(start..<min(end, start + 100)))
        let trimmed = shown.last == 0x0D ? shown.dropLast() : shown[...]
        return HostListFault(line: line, text: String(decoding: trimmed, as: UTF8.self), userMessage: reason)
    }

    /// Whether all words look like those of lists; if the path is wrong, the file may be one with secrets.
    private static func mayBeShown(_ text: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
        var length = 0
        for index in start..<end {
            let byte = text[index]
            length = isBlank(byte) ? 0 : length + 1
            guard length <= 63, isBlank(byte) || isNameByte(byte) || signs.contains(byte) else { return false }
        }
        return true
    }

    /// The signs in words of lists of all kinds: `.:/*|^$@`.
    private static let signs: [UInt8] = [0x2E, 0x3A, 0x2F, 0x2A, 0x7C, 0x5E, 0x24, 0x40]
}

extension HostListParser {
    /// The next word before `end`; empty if there is none, or a comment begins.
    private static func word(_ text: Span<UInt8>, _ start: Int, _ end: Int) -> Range<Int> {
        var start = start
        while start < end, isBlank(text[start]) { start += 1 }
        if start < end, text[start] == 0x23 { return end..<end }
        var stop = start
        while stop < end, !isBlank(text[stop]) { stop += 1 }
        return start..<stop
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10 || byte.asciiLowercased &- 0x61 < 26 || byte == 0x2D || byte == 0x5F
    }

    /// Whether it is the title of a list for an ad blocker, such as `[Adblock Plus 2.0]`.
    private static func isTitle(_ text: Span<UInt8>, _ word: Range<Int>, _ end: Int) -> Bool {
        let title: StaticString = "[adblock"
        guard word.count >= title.utf8CodeUnitCount else { return false }
        return Token.matches(
            text.extracting(word.lowerBound..<word.lowerBound + title.utf8CodeUnitCount),
            title
        )
    }

    /// The address that a word is; the zone of an address does not count.
    private static func address(_ text: Span<UInt8>, _ word: Range<Int>) -> IPAddress? {
        let first = text[word.lowerBound]
        if first == 0x5B { return IPAddress(host: text.extracting(word)) }
        if first &- 0x30 < 10, let address = IPAddress(host: text.extracting(word)) { return address }
        guard word.contains(where: { text[$0] == 0x3A }) else { return nil }
        let name = String(decoding: [UInt8](copying: text.extracting(word)), as: UTF8.self)
        return IPAddress(text: String(name.prefix { $0 != "%" }))
    }

    /// The addresses by which files of hosts block names.
    private static let blocking: [IPAddress] = [.v4(0), .v4(0x7F00_0001), .v6(0, 0), .v6(0, 1)]

    /// Names with which every file of hosts begins; they are not listed.
    private static let usual: Set<String> = [
        "localhost", "localhost.localdomain", "local", "broadcasthost", "0.0.0.0", "ip6-localhost", "ip6-loopback",
        "ip6-localnet", "ip6-mcastprefix", "ip6-allnodes", "ip6-allrouters", "ip6-allhosts",
    ]

    private static func isUsual(_ text: Span<UInt8>, _ word: Range<Int>) -> Bool {
        // Most names are longer, or begin with another letter.
        guard word.count <= 21, [0x6C, 0x62, 0x30, 0x69].contains(text[word.lowerBound].asciiLowercased) else {
            return false
        }
        return usual.contains(
            String(decoding: [UInt8](copying: text.extracting(word)).map(\.asciiLowercased), as: UTF8.self)
        )
    }
}
