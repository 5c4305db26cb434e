import Formats
import HTTPCore

/// Writes untrusted bytes into a line of text so that they cannot end, forge or colour it (H-159).
public enum LogEscaping {
    /// The most bytes of a value that are written, followed by the number of further bytes.
    static let limit = 2048

    /// Appends `bytes` unchanged if they are harmless and not empty, otherwise in quotes with escapes.
    ///
    /// It escapes quotes, backslashes, controls, C1 controls, line and paragraph separators, marks that change the
    /// direction of text, and bytes that are not UTF-8.
    public static func append(_ bytes: [UInt8], to output: inout [UInt8]) {
        if !bytes.isEmpty, bytes.count <= limit, bytes.allSatisfy(isBare) {
            output.append(contentsOf: bytes)
        } else {
            output.append(UInt8(ascii: "\""))
            appendInner(bytes, to: &output)
            output.append(UInt8(ascii: "\""))
        }
    }

    /// Appends the escaped bytes without quotes around them.
    static func appendInner(_ bytes: [UInt8], to output: inout [UInt8]) {
        var rest = bytes.prefix(limit)
        while let byte = rest.first {
            let length = UTF8Scalar.length(at: rest)
            if length == 0 {
                appendHexadecimal(byte, to: &output)
                rest = rest.dropFirst()
            } else {
                appendScalar(rest.prefix(length), to: &output)
                rest = rest.dropFirst(length)
            }
        }
        if bytes.count > limit { output.append(contentsOf: "…(\(bytes.count) bytes)".utf8) }
    }

    /// Whether a byte is visible ASCII without a meaning in `key=value` lines.
    private static func isBare(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
            && byte != UInt8(ascii: "=")
    }

    private static func appendScalar(_ bytes: ArraySlice<UInt8>, to output: inout [UInt8]) {
        guard let first = bytes.first else { return }
        if bytes.count > 1 {
            if UTF8Scalar.isDisruptive(bytes) {
                for byte in bytes { appendHexadecimal(byte, to: &output) }
            } else {
                output.append(contentsOf: bytes)
            }
            return
        }
        switch first {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): output.append(contentsOf: [UInt8(ascii: "\\"), first])
        case UInt8(ascii: "\n"): output.append(contentsOf: "\\n".utf8)
        case UInt8(ascii: "\r"): output.append(contentsOf: "\\r".utf8)
        case UInt8(ascii: "\t"): output.append(contentsOf: "\\t".utf8)
        case 0x20..<0x7F: output.append(first)
        default: appendHexadecimal(first, to: &output)
        }
    }

    private static func appendHexadecimal(_ byte: UInt8, to output: inout [UInt8]) {
        output.append(contentsOf: "\\x".utf8)
        output.append(Hexadecimal.digit(byte >> 4))
        output.append(Hexadecimal.digit(byte & 0x0F))
    }
}
