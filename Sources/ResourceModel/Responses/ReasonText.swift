import HTTPCore
import ResourceCore

/// Reason phrases as sentences: only the first letter in upper case (S-158).
enum ReasonText {
    /// For an unknown status the text of its class; nil if that is no failure.
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
