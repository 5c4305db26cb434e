import HTTPCore

/// Bytes as text.
enum TextContent {
    /// - Parameter charset: as a content type names it; ISO-8859-1 if it names none (S-180).
    /// - Throws: `RequestError.Cause.InvalidTextEncoding` if nobody knows the name, `UndecodableText` if the bytes are no
    ///   text in that encoding.
    static func decode(_ bytes: [UInt8], charset: String?) throws -> String {
        guard let charset else { return latin1(bytes) }
        guard let encoding = TextEncoding(ianaName: charset) else {
            throw RequestError.Cause.InvalidTextEncoding(encodingName: charset)
        }
        guard let text = decode(bytes, encoding) else {
            throw RequestError.Cause.UndecodableText(encoding: encoding)
        }
        return text
    }

    /// Nil if the bytes are no text in `encoding`; a byte order mark goes.
    static func decode(_ bytes: [UInt8], _ encoding: TextEncoding) -> String? {
        switch encoding {
        case .utf8: String(validating: withoutMark(bytes, [0xEF, 0xBB, 0xBF]), as: UTF8.self)
        case .ascii: bytes.allSatisfy { $0 < 0x80 } ? String(decoding: bytes, as: UTF8.self) : nil
        case .isoLatin1: latin1(bytes)
        case .windows1252: decode(bytes, Windows1252Decoder())
        case .utf16: bytes.starts(with: [0xFF, 0xFE]) ? utf16(bytes, isBig: false) : utf16(bytes, isBig: true)
        case .utf16BigEndian: utf16(bytes, isBig: true)
        case .utf16LittleEndian: utf16(bytes, isBig: false)
        case .other(let name): CharacterConverter(name).flatMap { decode(bytes, ConvertingDecoder($0)) }
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
