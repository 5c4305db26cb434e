public import HTTPCore

/// A pattern of media types, such as `*/json`, `*/*+json` or `text/*`; parameters and case do not matter (S-174, S-253).
///
/// `*` stands for one or more characters other than `/` and `+`; a subtype that is only `*` for any subtype, as in the
/// media ranges of RFC 9110 §12.5.1. Type and subtype must match as a whole.
public struct MediaTypePattern: Sendable, Hashable {
    /// In lower case.
    public let text: String
    private let type: [UInt8]
    private let subtype: [UInt8]

    /// Nil unless `text` is `type/subtype` of tokens, in which `*` may stand.
    public init?(_ text: String) {
        let octets = text.utf8.map(\.asciiLowercased)
        let halves = octets.split(separator: 0x2F, omittingEmptySubsequences: false)
        guard halves.count == 2, halves.allSatisfy({ Token.isToken($0.span) }) else { return nil }
        self.text = String(decoding: octets, as: UTF8.self)
        type = Array(halves[0])
        subtype = Array(halves[1])
    }

    public func matches(_ mediaType: MediaType) -> Bool {
        guard let slash = mediaType.essence.firstIndex(of: 0x2F) else { return false }
        return Self.matches(type[...], mediaType.essence[..<slash])
            && (subtype == [0x2A] || Self.matches(subtype[...], mediaType.essence[(slash + 1)...]))
    }

    private static func matches(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        guard first == 0x2A else { return text.first == first && matches(pattern.dropFirst(), text.dropFirst()) }
        let rest = pattern.drop { $0 == 0x2A }
        var end = text.startIndex
        while end < text.endIndex, text[end] != 0x2B, text[end] != 0x2F {
            end += 1
            if matches(rest, text[end...]) { return true }
        }
        return false
    }
}
