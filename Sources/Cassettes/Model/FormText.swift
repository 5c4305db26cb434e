import HTTPCore

/// Parameters of a query or a form.
enum FormText {
    /// The parameters, as they are written.
    static func parameters(_ text: String) -> [(name: String, value: String)] {
        text.split(separator: "&").map { parameter in
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts.first ?? ""), parts.count > 1 ? String(parts[1]) : "")
        }
    }

    /// The text without escapes, for people.
    static func unescaped(_ text: String) -> String {
        String(decoding: PercentEncoding.decoded(Array(text.utf8)[...], plusIsBlank: true), as: UTF8.self)
    }
}
