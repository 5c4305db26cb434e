import HTTPCore
import ResourceCore

/// The usual phrases of statuses as sentences begin: only the first letter in upper case (S-158).
enum ReasonText {
    /// Of an unknown status the text of its class; nil where a status says nothing of failure and has no phrase.
    static func sentence(for status: Int) -> String? {
        guard let code = UInt16(exactly: status) else { return nil }
        let phrase = "\(ReasonPhrase.text(for: code))"
        if !phrase.isEmpty { return capitalized(phrase) }
        return switch code {
        case 400..<500: "Client error"
        case 500..<600: "Server error"
        default: nil
        }
    }

    private static func capitalized(_ phrase: String) -> String {
        let lower = phrase.lowercased()
        return lower.prefix(1).uppercased() + lower.dropFirst()
    }
}
