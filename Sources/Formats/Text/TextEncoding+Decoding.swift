import HTTPCore

extension TextEncoding {
    /// Returns the text without its byte order mark; nil if the bytes are not text in this encoding.
    package func decode(_ bytes: [UInt8]) -> String? {
        switch self {
        case .utf8: String(validating: Self.withoutMark(bytes, [0xEF, 0xBB, 0xBF]), as: UTF8.self)
        case .ascii: bytes.allSatisfy { $0 < 0x80 } ? String(decoding: bytes, as: UTF8.self) : nil
        case .isoLatin1: Self.latin1(bytes)
        case .windows1252: Self.decode(bytes, Windows1252Decoder())
        case .utf16:
            bytes.starts(with: [0xFF, 0xFE]) ? Self.utf16(bytes, isBig: false) : Self.utf16(bytes, isBig: true)
        case .utf16BigEndian: Self.utf16(bytes, isBig: true)
        case .utf16LittleEndian: Self.utf16(bytes, isBig: false)
        case .other(let name): CharacterConverter(name).flatMap { Self.decode(bytes, ConvertingDecoder($0)) }
        }
    }

    private static func latin1(_ bytes: [UInt8]) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: bytes.lazy.map { Unicode.Scalar($0) })
        return String(text)
    }

    private static func utf16(_ bytes: [UInt8], isBig: Bool) -> String? {
        guard bytes.count % 2 == 0 else { return nil }
        let bytes = withoutMark(bytes, isBig ? [0xFE, 0xFF] : [0xFF, 0xFE])
        let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map { index in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isBig ? first << 8 | second : second << 8 | first
        }
        return String(validating: units, as: UTF16.self)
    }

    private static func decode(_ bytes: [UInt8], _ decoder: some TextDecoder) -> String? {
        var output: [UInt8] = []
        var position = 0
        do {
            while position < bytes.count {
                try decoder.decode(bytes.span, from: &position, into: &output, room: 2 * bytes.count)
            }
            try decoder.finish(into: &output)
        } catch {
            return nil
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func withoutMark(_ bytes: [UInt8], _ mark: [UInt8]) -> ArraySlice<UInt8> {
        bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
    }
}
