import HTTPCore
import Terminal

/// Text for the query of a request to the admin API.
enum QueryText {
    /// The bytes with percent-encoding of all but letters, digits and `-./:_~*`.
    static func escaped(_ text: some Sequence<UInt8>) -> String {
        var result = ""
        for byte in text {
            let isPlain =
                byte.isLetterOrDigit || [0x2D, 0x2E, 0x2F, 0x3A, 0x5F, 0x7E, 0x2A].contains(byte)
            if isPlain {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                result += byte < 16 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return result
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool { self | 0x20 &- 0x61 < 26 || self &- 0x30 < 10 }
}

extension TargetURI {
    /// An operand of a command, checked before the daemon is asked.
    init(operand text: String) throws(CommandFailure) {
        do {
            self = try TargetURI(identifying: text)
        } catch {
            throw CommandFailure("`\(Console.printable(text))` is not an absolute http or https URL", exitCode: 2)
        }
    }
}
