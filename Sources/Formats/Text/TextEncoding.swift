import HTTPCore

/// An encoding of text as bytes.
public enum TextEncoding: Sendable, Hashable {
    case utf8
    case ascii
    case isoLatin1
    case windows1252
    /// Decodes text with or without a byte order mark; without one it is big-endian (RFC 2781 §4.3). Encodes
    /// big-endian, with a mark.
    case utf16
    case utf16BigEndian
    case utf16LittleEndian
    /// Any encoding that the system converts, by its name there; for decoding only.
    case other(String)

    /// The preferred name in the IANA registry of character sets, in lower case as content types usually write it.
    public var ianaName: String {
        switch self {
        case .utf8: "utf-8"
        case .ascii: "us-ascii"
        case .isoLatin1: "iso-8859-1"
        case .windows1252: "windows-1252"
        case .utf16: "utf-16"
        case .utf16BigEndian: "utf-16be"
        case .utf16LittleEndian: "utf-16le"
        case .other(let name): String(decoding: name.utf8.map(\.asciiLowercased), as: UTF8.self)
        }
    }

    /// The encoding with this name or one of its usual aliases, in any case; nil if the name is unknown.
    ///
    /// The WHATWG Encoding Standard decides what other names than those of the cases mean.
    public init?(ianaName name: String) {
        switch String(decoding: name.utf8.map(\.asciiLowercased), as: UTF8.self) {
        case "utf-8", "utf8": self = .utf8
        case "us-ascii", "ascii", "ansi_x3.4-1968", "iso646-us": self = .ascii
        case "iso-8859-1", "iso_8859-1", "latin1", "l1", "iso8859-1": self = .isoLatin1
        case "windows-1252", "cp1252": self = .windows1252
        case "utf-16", "utf16": self = .utf16
        case "utf-16be": self = .utf16BigEndian
        case "utf-16le": self = .utf16LittleEndian
        default:
            switch CharacterEncoding(label: Array(name.utf8)) {
            case .utf8: self = .utf8
            case .windows1252: self = .windows1252
            case .converted(let name): self = .other(name)
            case nil: return nil
            }
        }
    }

    /// Returns the encoded text; nil if the encoding lacks one of its characters, or is for decoding only.
    public func encode(_ text: String) -> [UInt8]? {
        switch self {
        case .utf8: Array(text.utf8)
        case .ascii: Self.bytes(text) { $0 < 0x80 ? UInt8($0) : nil }
        case .isoLatin1: Self.bytes(text) { $0 < 0x100 ? UInt8($0) : nil }
        case .windows1252: Self.bytes(text, Self.windows1252Byte)
        case .utf16: [0xFE, 0xFF] + Self.units(text) { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        case .utf16BigEndian: Self.units(text) { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        case .utf16LittleEndian: Self.units(text) { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        case .other: nil
        }
    }

    private static func bytes(_ text: String, _ byte: (UInt32) -> UInt8?) -> [UInt8]? {
        var result: [UInt8] = []
        for scalar in text.unicodeScalars {
            guard let next = byte(scalar.value) else { return nil }
            result.append(next)
        }
        return result
    }

    private static func units(_ text: String, _ bytes: (UInt16) -> [UInt8]) -> [UInt8] {
        text.utf16.flatMap(bytes)
    }

    private static func windows1252Byte(_ scalar: UInt32) -> UInt8? {
        if scalar < 0x80 || 0xA0..<0x100 ~= scalar { return UInt8(scalar) }
        return Windows1252Decoder.specials.firstIndex(of: scalar).map { UInt8(0x80 + $0) }
    }
}
