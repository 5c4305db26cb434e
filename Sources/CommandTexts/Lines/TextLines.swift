/// Text in the lines of a terminal.
public enum TextLines {
    /// The words of a text in lines of at most `width` characters; a longer word has a line of its own.
    public static func wrapped(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? word : " \(word)"
        }
        return lines + [line]
    }
}
