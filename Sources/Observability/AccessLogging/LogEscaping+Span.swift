import Formats
import HTTPCore

/// The same for bytes in place; harmless ones are copied in one piece.
extension LogEscaping {
    /// The most room that a value takes, whatever its bytes.
    static func room(for bytes: Span<UInt8>) -> Int { room(forBytes: bytes.count) }

    /// The most room that a value of so many bytes takes: six for each, quotation marks, and the number of further
    /// bytes.
    static func room(forBytes count: Int) -> Int { 6 * min(count, limit) + 64 }

    /// Appends a value of a `key=value` pair.
    static func append(_ bytes: Span<UInt8>, to output: inout LineWriter) {
        guard !bytes.isBare else { return output.append(copying: bytes) }
        var escaped: [UInt8] = []
        append([UInt8](copying: bytes), to: &escaped)
        output.append(copying: escaped.span)
    }

    /// Appends what stands between quotation marks.
    static func appendInner(_ bytes: Span<UInt8>, to output: inout LineWriter) {
        guard !bytes.isPlain else { return output.append(copying: bytes) }
        var escaped: [UInt8] = []
        appendInner([UInt8](copying: bytes), to: &escaped)
        output.append(copying: escaped.span)
    }

    /// Appends a string of JSON, cut off at the limit.
    static func appendJSON(_ bytes: Span<UInt8>, to output: inout LineWriter) {
        if bytes.isPlain {
            output.append("\"")
            output.append(copying: bytes)
            output.append("\"")
        } else {
            var writer = JSONWriter()
            writer.text(bytes: [UInt8](copying: bytes.extracting(..<min(bytes.count, limit))))
            output.append(copying: writer.bytes.span)
        }
    }
}

extension Span<UInt8> {
    /// Whether these are at most `LogEscaping.limit` printable ASCII characters without quotation marks and
    /// backslashes.
    ///
    /// The loop has no branch, so that it takes many bytes at a time.
    fileprivate var isPlain: Bool {
        var unusual = false
        for index in indices {
            let byte = self[index]
            let isQuote = byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
            unusual = unusual || byte &- 0x20 > 0x5E || isQuote
        }
        return !unusual && count <= LogEscaping.limit
    }

    /// Whether these need no quotation marks either: they are not empty, and without blank and `=`.
    fileprivate var isBare: Bool {
        var unusual = isEmpty
        for index in indices {
            let byte = self[index]
            unusual = unusual || byte == UInt8(ascii: " ") || byte == UInt8(ascii: "=")
        }
        return !unusual && isPlain
    }
}
