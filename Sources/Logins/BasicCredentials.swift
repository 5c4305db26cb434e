import HTTPCore

/// User name and password of the scheme Basic (RFC 7617).
public struct BasicCredentials: Sendable {
    /// The user's name as it was sent.
    public let user: [UInt8]
    let password: [UInt8]

    /// Returns nil for another scheme, and for what is malformed.
    ///
    /// - Parameter field: the value of Proxy-Authorization.
    public init?(field: [UInt8]) {
        let scheme = Array("basic".utf8)
        guard field.count > scheme.count, field.prefix(scheme.count).map(\.asciiLowercased) == scheme else {
            return nil
        }
        let rest = field.dropFirst(scheme.count)
        let token = rest.drop { $0 == 0x20 }
        guard rest.count > token.count, let text = Base64.decode(token),
            let colon = text.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        self.init(user: Array(text[..<colon]), password: Array(text[(colon + 1)...]))
    }

    /// Returns nil for what no user can have: control characters (RFC 7617 §2), and what is too long.
    public init?(user: [UInt8], password: [UInt8]) {
        guard user.count <= 128, !password.isEmpty, password.count <= PasswordHash.longestPassword,
            !(user + password).contains(where: { $0 < 0x20 || $0 == 0x7F })
        else { return nil }
        self.user = user
        self.password = password
    }

    /// Both as one text, which no other pair has.
    var text: [UInt8] { user + [UInt8(ascii: ":")] + password }
}
