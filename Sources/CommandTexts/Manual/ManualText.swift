/// Writes a manual page in the language of man(7): ASCII only, every text escaped.
struct ManualText {
    private(set) var text = ""

    /// - Parameters:
    ///   - section: 1 for commands, 5 for files.
    init(_ name: String, section: Int, version: String) {
        text = ".TH \(Self.argument(name.uppercased())) \(section) \"\" \"respite \(version)\" \"Respite\"\n"
        // No hyphenation and no extra spaces: users search for options and keys, and copy them.
        text += ".nh\n.ad l\n"
    }

    mutating func section(_ title: String) { text += ".SH \(Self.argument(title))\n" }

    mutating func subsection(_ title: String) { text += ".SS \(Self.argument(title))\n" }

    /// Paragraphs are separated by empty lines.
    mutating func paragraphs(_ paragraphs: String) {
        for paragraph in paragraphs.split(separator: "\n\n") {
            text += ".PP\n" + Self.line(paragraph.split(separator: "\n").joined(separator: " ")) + "\n"
        }
    }

    /// Writes a term in bold, the text behind it in plain, and the explanation below.
    mutating func item(_ term: String, behind: String = "", _ explanation: String) {
        let plain = behind.isEmpty ? "" : " " + Self.escaped(behind)
        text += ".TP\n\\fB\(Self.escaped(term))\\fR\(plain)\n\(Self.line(explanation))\n"
    }

    /// Writes lines unchanged.
    mutating func example(_ lines: String) {
        text += ".PP\n.nf\n.RS 4\n"
        for line in lines.split(separator: "\n", omittingEmptySubsequences: false) {
            text += Self.line(String(line)) + "\n"
        }
        text += ".RE\n.fi\n"
    }

    // MARK: Escaping

    /// A line of text, escaped so that a leading point or apostrophe is not a request.
    private static func line(_ text: String) -> String {
        let escaped = escaped(text)
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }

    private static func argument(_ text: String) -> String {
        "\"" + escaped(text).split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\(dq") + "\""
    }

    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case "…": result += "..."
            case "–": result += "\\(en"
            case " "..."~": result.unicodeScalars.append(scalar)
            default: result += "\\[u" + padded(String(scalar.value, radix: 16, uppercase: true)) + "]"
            }
        }
        return result
    }

    private static func padded(_ digits: String) -> String {
        String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
