import HTTPCore

/// The user of a connection, whose login was verified.
///
/// A value that does not change, so that exchanges keep the one they began with.
public final class ConnectionLogin: Sendable {
    /// The user's name.
    public let user: String
    /// The value of Proxy-Authorization that proved it.
    public let proof: [UInt8]
    /// The list of users in which the login was found.
    public let source: any AnyObject & Sendable

    public init(user: String, proof: [UInt8], source: any AnyObject & Sendable) {
        self.user = user
        self.proof = proof
        self.source = source
    }

    /// Whether a field with this value is the one that proved it.
    public func isProven(by value: Span<UInt8>) -> Bool {
        let proof = proof
        return value.hasSameBytes(as: proof.span)
    }
}
