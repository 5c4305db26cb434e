import HTTPCore

/// Prohibitions of an origin for a response, which a rule may lift.
///
/// A response stored despite a prohibition is only for the credential of its request.
public struct Prohibitions: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `no-store` (RFC 9111 §5.2.2.5).
    public static let noStore = Prohibitions(rawValue: 1 << 0)
    /// `no-cache` without field names (RFC 9111 §5.2.2.4).
    public static let noCache = Prohibitions(rawValue: 1 << 1)
    /// `private` on the response to a request without credentials (RFC 9111 §5.2.2.7): it is then for all such
    /// requests.
    public static let responsePrivate = Prohibitions(rawValue: 1 << 2)
    /// `must-revalidate`, `proxy-revalidate`, and what `s-maxage` implies for stale content (RFC 9111 §5.2.2.2).
    public static let mustRevalidate = Prohibitions(rawValue: 1 << 3)

    /// The names of the directives, in the order of documentation.
    var words: [String] { Self.words.filter { contains($0.prohibition) }.map(\.word) }

    private static let words: [(word: String, prohibition: Prohibitions)] = [
        ("no-store", .noStore), ("no-cache", .noCache), ("private", .responsePrivate),
        ("must-revalidate", .mustRevalidate),
    ]
}

extension CacheControl {
    /// The prohibitions in these directives.
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

    /// The directives without the lifted ones.
    ///
    /// `private` and `s-maxage` stay: they still decide which clients share the response.
    func lifting(_ lifted: Prohibitions) -> CacheControl {
        var control = self
        if lifted.contains(.noStore) { control.flags.remove(.noStore) }
        if lifted.contains(.noCache) { control.flags.remove(.noCache) }
        if lifted.contains(.mustRevalidate) { control.flags.subtract([.mustRevalidate, .proxyRevalidate]) }
        return control
    }
}
