/// Query parameters whose values must not be seen (H-158).
public struct SecretParameters: Sendable {
    /// Lower-case.
    private let names: Set<[UInt8]>

    public init(_ names: [String]) { self.names = Set(names.map { $0.utf8.map(Self.lowered) }) }

    /// The target or URI with `…` for the values of secret parameters and without user information.
    public func redacted(_ target: [UInt8]) -> [UInt8] {
        let target = Self.withoutUserInformation(target)
        guard let query = target.firstIndex(of: UInt8(ascii: "?")) else { return target }
        var output = Array(target[...query])
        let members = target[(query + 1)...].split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        for (index, member) in members.enumerated() {
            if index > 0 { output.append(UInt8(ascii: "&")) }
            let name = member.prefix { $0 != UInt8(ascii: "=") }
            if name.count < member.count, names.contains(name.map(Self.lowered)) {
                output.append(contentsOf: name)
                output.append(contentsOf: "=…".utf8)
            } else {
                output.append(contentsOf: member)
            }
        }
        return output
    }

    private static func withoutUserInformation(_ target: [UInt8]) -> [UInt8] {
        guard let start = authorityStart(target) else { return target }
        let authority = target[start...].prefix { !"/?#".utf8.contains($0) }
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return target }
        return Array(target[..<start]) + target[(at + 1)...]
    }

    /// Behind the first `://` that stands before any `?`.
    private static func authorityStart(_ target: [UInt8]) -> Int? {
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        guard path.count >= 3 else { return nil }
        return (0...(path.count - 3)).first { path[$0...].starts(with: "://".utf8) }.map { $0 + 3 }
    }

    private static func lowered(_ octet: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(octet) ? octet | 0x20 : octet
    }
}
