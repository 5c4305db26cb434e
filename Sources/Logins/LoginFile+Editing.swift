/// Changes of one line; all others stay as they are.
extension LoginFile {
    /// The text with another hash for `user`, whose line is appended if there is none.
    public static func setting(_ hash: PasswordHash, of user: [UInt8], in text: [UInt8]) -> [UInt8] {
        let line = user + [UInt8(ascii: ":")] + hash.text
        let (lines, index) = parts(text, user)
        guard let index else { return joined(lines + [line[...]]) }
        return joined(lines[..<index] + [line[...]] + lines[(index + 1)...])
    }

    /// The text without `user`; nil if no line names the user.
    public static func removing(_ user: [UInt8], from text: [UInt8]) -> [UInt8]? {
        let (lines, index) = parts(text, user)
        return index.map { joined(lines[..<$0] + lines[($0 + 1)...]) }
    }

    /// The lines, and which of them is the user's first one.
    private static func parts(_ text: [UInt8], _ user: [UInt8]) -> ([ArraySlice<UInt8>], Int?) {
        var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
        // A line end at the end of the text begins no further line.
        if lines.last?.isEmpty == true { lines.removeLast() }
        return (lines, lines.firstIndex { $0.starts(with: user + [UInt8(ascii: ":")]) })
    }

    private static func joined(_ lines: some Sequence<ArraySlice<UInt8>>) -> [UInt8] {
        lines.reduce(into: []) { text, line in
            text += line
            text.append(0x0A)
        }
    }
}
