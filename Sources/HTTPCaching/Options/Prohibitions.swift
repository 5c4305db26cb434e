import HTTPCore

/// What an origin may say against storing or reusing a response, and a rule may want otherwise.
///
/// A response stored although the origin forbade it is for the credential that brought it alone, never for another one.
public struct Prohibitions: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `no-store` (RFC 9111 §5.2.2.5).
    public static let noStore = Prohibitions(rawValue: 1 << 0)
    /// `no-cache` without field names (RFC 9111 §5.2.2.4).
    public static let noCache = Prohibitions(rawValue: 1 << 1)
    /// `private` where no credential tells for whom (RFC 9111 §5.2.2.7): then for all requests without any.
    public static let responsePrivate = Prohibitions(rawValue: 1 << 2)
    /// `must-revalidate`, `proxy-revalidate`, and what `s-maxage` says of stale content (RFC 9111 §5.2.2.2).
    public static let mustRevalidate = Prohibitions(rawValue: 1 << 3)

    /// The directives' names, in the order of documentation.
    var words: [String] { Self.words.filter { contains($0.prohibition) }.map(\.word) }

    private static let words: [(word: String, prohibition: Prohibitions)] = [
        ("no-store", .noStore), ("no-cache", .noCache), ("private", .responsePrivate),
        ("must-revalidate", .mustRevalidate),
    ]
}

extension CacheControl {
    /// What it says against storing or reusing.
    var prohibitions: Prohibitions {
        var found: Prohibitions = []
        if flags.contains(.noStore) { found.insert(.noStore) }
        if flags.contains(.noCache) { found.insert(.noCache) }
        if flags.contains(.isPrivate) { found.insert(.responsePrivate) }
        if sMaxAgeSeconds != nil || !flags.isDisjoint(with: [.mustRevalidate, .proxyRevalidate]) {
            found.insert(.mustRevalidate)
        }
        return found
    }

    /// The same without what is lifted.
    ///
    /// `private` and `s-maxage` stay: who lifts them has to say for whom the response then is.
    func lifting(_ lifted: Prohibitions) -> CacheControl {
        var control = self
        if lifted.contains(.noStore) { control.flags.remove(.noStore) }
        if lifted.contains(.noCache) { control.flags.remove(.noCache) }
        if lifted.contains(.mustRevalidate) { control.flags.subtract([.mustRevalidate, .proxyRevalidate]) }
        return control
    }
}
