/// A pattern of media types, such as `*/json`, `*/*+json` or `text/*`; parameters and case do not matter (S-174,
/// S-253).
///
/// `*` matches one or more characters other than `/` and `+`. A subtype that is only `*` matches any subtype, as in the
/// media ranges of RFC 9110 §12.5.1, unless the caller chooses otherwise. Type and subtype must match completely.
public struct MediaTypePattern: Sendable, Hashable {
    /// In lower case.
    public let text: String
    private let type: BytePattern
    /// Nil for any subtype.
    private let subtype: BytePattern?

    /// Returns nil unless `text` is `type/subtype`, both tokens, which may contain `*`.
    ///
    /// - Parameter crossesSuffixes: whether a subtype that is only `*` also matches those with a `+`. If false,
    ///   `image/*` does not match `image/svg+xml`.
    public init?(_ text: String, crossesSuffixes: Bool = true) {
        let bytes = text.utf8.map(\.asciiLowercased)
        let halves = bytes.split(separator: 0x2F, omittingEmptySubsequences: false)
        guard halves.count == 2, halves.allSatisfy({ Token.isToken($0.span) }) else { return nil }
        self.text = String(decoding: bytes, as: UTF8.self)
        type = Self.pattern(halves[0])
        subtype = crossesSuffixes && halves[1].elementsEqual([0x2A]) ? nil : Self.pattern(halves[1])
    }

    public func matches(_ mediaType: MediaType) -> Bool {
        guard let slash = mediaType.essence.firstIndex(of: 0x2F) else { return false }
        guard type.matches(Array(mediaType.essence[..<slash])) else { return false }
        return subtype?.matches(Array(mediaType.essence[(slash + 1)...])) ?? true
    }

    private static func pattern(_ text: ArraySlice<UInt8>) -> BytePattern {
        var pieces: [BytePattern.Piece] = []
        for byte in text {
            if byte != 0x2A {
                pieces.append(.byte(byte))
            } else if pieces.last != .withinPart {
                pieces += [.one, .withinPart]
            }
        }
        return BytePattern(pieces, delimiters: [0x2B, 0x2F])
    }
}
