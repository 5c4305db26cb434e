import Formats
import HTTPCore

/// Finds the encoding that the first bytes of a content declare.
enum EncodingDeclaration {
    /// A declaration must be within this many bytes.
    static let reach = 1024

    /// The encoding of a byte order mark, and the length of the mark.
    static func byteOrderMark(_ bytes: [UInt8]) -> (encoding: CharacterEncoding, count: Int)? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if bytes.starts(with: [0xFE, 0xFF]) { return (.converted("UTF-16BE"), 2) }
        if bytes.starts(with: [0xFF, 0xFE]) { return (.converted("UTF-16LE"), 2) }
        return nil
    }

    /// The label in `<?xml … encoding="…"?>` at the very beginning (XML 1.0 §4.3.3).
    static func xml(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.starts(with: "<?xml".utf8), let end = bytes.firstIndex(of: 0x3E) else { return nil }
        return value(after: "encoding", in: bytes[..<end])
    }

    /// The label in the first `<meta … charset=…>` (HTML §13.2.3.2, simplified: comments are searched too).
    static func html(_ bytes: [UInt8]) -> [UInt8]? {
        let text = bytes.prefix(reach).map(\.asciiLowercased)
        var rest = text[...]
        while let start = find("<meta", in: rest) {
            let tag = text[start...].prefix { $0 != 0x3E }
            if let label = value(after: "charset", in: tag) { return label }
            rest = text[tag.endIndex...]
        }
        return nil
    }

    /// The value after `name` and an equals sign, with or without quotes.
    private static func value(after name: String, in text: ArraySlice<UInt8>) -> [UInt8]? {
        guard let start = find(name, in: text) else { return nil }
        var rest = text[(start + name.utf8.count)...].drop(while: isBlank)
        guard rest.popFirst() == 0x3D else { return nil }
        rest = rest.drop(while: isBlank)
        var quote: UInt8?
        if let first = rest.first, first == 0x22 || first == 0x27 { quote = rest.removeFirst() }
        let label = rest.prefix { byte in
            if let quote { return byte != quote }
            return !isBlank(byte) && ![0x22, 0x27, 0x3B, 0x2F, 0x3F].contains(byte)
        }
        return label.isEmpty ? nil : Array(label)
    }

    private static func find(_ word: String, in text: ArraySlice<UInt8>) -> Int? {
        let word = Array(word.utf8)
        guard text.count >= word.count else { return nil }
        return (text.startIndex...(text.endIndex - word.count)).first { text[$0...].starts(with: word) }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
