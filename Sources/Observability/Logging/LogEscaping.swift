/// Writes untrusted octets into a line of text so that they cannot end, forge or colour it (H-159).
public enum LogEscaping {
    /// Longest value written; what follows is told by its count.
    static let limit = 2048

    /// Appends `octets` bare if they are harmless and not empty, else between quotes with escapes.
    ///
    /// Escaped are quotes, backslashes, controls, C1 controls, line and paragraph separators, marks that turn the
    /// direction of text, and octets that are not UTF-8.
    public static func append(_ octets: [UInt8], to output: inout [UInt8]) {
        if !octets.isEmpty, octets.count <= limit, octets.allSatisfy(isBare) {
            output.append(contentsOf: octets)
        } else {
            output.append(UInt8(ascii: "\""))
            appendInner(octets, to: &output)
            output.append(UInt8(ascii: "\""))
        }
    }

    /// Appends the escaped octets without quotes around them.
    static func appendInner(_ octets: [UInt8], to output: inout [UInt8]) {
        var rest = octets.prefix(limit)
        while let octet = rest.first {
            let length = UTF8Scalar.length(at: rest)
            if length == 0 {
                appendHexadecimal(octet, to: &output)
                rest = rest.dropFirst()
            } else {
                appendScalar(rest.prefix(length), to: &output)
                rest = rest.dropFirst(length)
            }
        }
        if octets.count > limit { output.append(contentsOf: "…(\(octets.count) octets)".utf8) }
    }

    /// Visible ASCII that means nothing to a reader of `key=value` lines.
    private static func isBare(_ octet: UInt8) -> Bool {
        octet > 0x20 && octet < 0x7F && octet != UInt8(ascii: "\"") && octet != UInt8(ascii: "\\")
            && octet != UInt8(ascii: "=")
    }

    private static func appendScalar(_ octets: ArraySlice<UInt8>, to output: inout [UInt8]) {
        guard let first = octets.first else { return }
        if octets.count > 1 {
            if UTF8Scalar.isDisruptive(octets) {
                for octet in octets { appendHexadecimal(octet, to: &output) }
            } else {
                output.append(contentsOf: octets)
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

    private static func appendHexadecimal(_ octet: UInt8, to output: inout [UInt8]) {
        output.append(contentsOf: "\\x".utf8)
        output.append(Hexadecimal.digit(octet >> 4))
        output.append(Hexadecimal.digit(octet & 0x0F))
    }
}

enum Hexadecimal {
    /// The digit of a value from 0 to 15, lower-case.
    static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + (value & 0x0F) - 10
    }

    /// The value of a digit, in either case; nil if it is none.
    static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
