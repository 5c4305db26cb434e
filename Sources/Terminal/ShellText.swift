/// Text as a POSIX shell reads it.
package enum ShellText {
    /// The text in apostrophes, or bare if it has no character that a shell treats specially.
    package static func quoted(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.utf8.allSatisfy { byte in
                let letter = byte | 0x20
                return letter >= 0x61 && letter <= 0x7A || byte >= 0x2B && byte <= 0x3A || byte == 0x5F
            }
        return isPlain
            ? text : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
    /// The text in apostrophes, as fish reads it.
    package static func fishQuoted(_ text: String) -> String {
        var result = ""
        for character in text {
            if character == "'" || character == "\\" { result.append("\\") }
            result.append(character)
        }
        return "'\(result)'"
    }
}
