import HTTPCore

/// Octets as text.
enum TextContent {
    /// - Parameter charset: as a content type names it; ISO-8859-1 if it names none (S-180).
    /// - Throws: `RequestError.Cause.InvalidTextEncoding` if nobody knows the name, `UndecodableText` if the octets are no
    ///   text in that encoding.
    static func decode(_ octets: [UInt8], charset: String?) throws -> String {
        guard let charset else { return latin1(octets) }
        guard let encoding = TextEncoding(ianaName: charset) else {
            throw RequestError.Cause.InvalidTextEncoding(encodingName: charset)
        }
        guard let text = decode(octets, encoding) else {
            throw RequestError.Cause.UndecodableText(encoding: encoding)
        }
        return text
    }

    /// Nil if the octets are no text in `encoding`; a byte order mark goes.
    static func decode(_ octets: [UInt8], _ encoding: TextEncoding) -> String? {
        switch encoding {
        case .utf8: String(validating: withoutMark(octets, [0xEF, 0xBB, 0xBF]), as: UTF8.self)
        case .ascii: octets.allSatisfy { $0 < 0x80 } ? String(decoding: octets, as: UTF8.self) : nil
        case .isoLatin1: latin1(octets)
        case .windows1252: decode(octets, Windows1252Decoder())
        case .utf16: octets.starts(with: [0xFF, 0xFE]) ? utf16(octets, isBig: false) : utf16(octets, isBig: true)
        case .utf16BigEndian: utf16(octets, isBig: true)
        case .utf16LittleEndian: utf16(octets, isBig: false)
        case .other(let name): CharacterConverter(name).flatMap { decode(octets, ConvertingDecoder($0)) }
        }
    }

    private static func latin1(_ octets: [UInt8]) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: octets.lazy.map { Unicode.Scalar($0) })
        return String(text)
    }

    private static func utf16(_ octets: [UInt8], isBig: Bool) -> String? {
        guard octets.count % 2 == 0 else { return nil }
        let octets = withoutMark(octets, isBig ? [0xFE, 0xFF] : [0xFF, 0xFE])
        let units = stride(from: octets.startIndex, to: octets.endIndex, by: 2).map { index in
            let (first, second) = (UInt16(octets[index]), UInt16(octets[index + 1]))
            return isBig ? first << 8 | second : second << 8 | first
        }
        return String(validating: units, as: UTF16.self)
    }

    private static func decode(_ octets: [UInt8], _ decoder: some TextDecoder) -> String? {
        var output: [UInt8] = []
        var position = 0
        do {
            while position < octets.count {
                try decoder.decode(octets.span, from: &position, into: &output, room: 2 * octets.count)
            }
            try decoder.finish(into: &output)
        } catch {
            return nil
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func withoutMark(_ octets: [UInt8], _ mark: [UInt8]) -> ArraySlice<UInt8> {
        octets.starts(with: mark) ? octets.dropFirst(mark.count) : octets[...]
    }
}
