import HTTPCore

/// A lower-case name of at most 24 bytes, packed into three words: comparing it allocates nothing.
struct PackedName: Equatable, Sendable {
    private var first: UInt64 = 0
    private var second: UInt64 = 0
    private var third: UInt64 = 0

    /// Packs the bytes of `text` in `range`, lower-cased; nil if they are too many.
    init?(_ text: Span<UInt8>, _ range: Range<Int>) {
        guard range.count <= 24 else { return nil }
        for index in range { push(text[index].asciiLowercased) }
    }

    /// Packs a literal name: lower-case, at most 24 bytes.
    init(_ text: String) {
        for byte in text.utf8 { push(byte) }
    }

    private mutating func push(_ byte: UInt8) {
        third = third << 8 | second >> 56
        second = second << 8 | first >> 56
        first = first << 8 | UInt64(byte)
    }
}

extension PackedName {
    static let immutable = PackedName("immutable")
    static let maxAge = PackedName("max-age")
    static let maxStale = PackedName("max-stale")
    static let minFresh = PackedName("min-fresh")
    static let mustRevalidate = PackedName("must-revalidate")
    static let mustUnderstand = PackedName("must-understand")
    static let noCache = PackedName("no-cache")
    static let noStore = PackedName("no-store")
    static let noTransform = PackedName("no-transform")
    static let onlyIfCached = PackedName("only-if-cached")
    static let isPrivate = PackedName("private")
    static let proxyRevalidate = PackedName("proxy-revalidate")
    static let isPublic = PackedName("public")
    static let sMaxAge = PackedName("s-maxage")
    static let staleIfError = PackedName("stale-if-error")
    static let staleWhileRevalidate = PackedName("stale-while-revalidate")
}
