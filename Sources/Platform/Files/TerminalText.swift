/// Text that is safe to print on a terminal.
public enum TerminalText {
    /// The text with U+FFFD in place of each invisible scalar, which could move the cursor or hide other text (H-159).
    public static func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { isPrintable($0) ? $0 : "\u{FFFD}" }))
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: false
        default: true
        }
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
