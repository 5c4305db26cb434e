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

extension String {
    /// The text with `…` for its middle if it has more than `limit` characters; nil: no limit.
    public func shortened(to limit: Int?) -> String {
        guard let limit, count > limit else { return self }
        guard limit > 1 else { return limit == 1 ? "…" : "" }
        let start = (limit - 1) / 2
        return "\(prefix(start))…\(suffix(limit - 1 - start))"
    }
}
