public import Eventing
public import Logins

/// The login that a listener requires.
public struct ProxyLogin: Sendable {
    /// Its users.
    public var table: LoginTable
    /// Whether a client needs no login, because the settings list its address.
    public var exempts: @Sendable (SocketAddress) -> Bool

    public init(table: LoginTable, exempts: @escaping @Sendable (SocketAddress) -> Bool) {
        self.table = table
        self.exempts = exempts
    }
}
