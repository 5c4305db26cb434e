/// Which targets are reached through which proxy.
public struct ParentSelection: Sendable {
    /// For all targets but those below; nil: they are reached directly.
    public var usual: ParentProxy?
    /// For targets that configuration names; nil: directly.
    public var named: [String: ParentProxy?] = [:]
    /// Hosts that are reached directly all the same; asked where `named` does not decide.
    public var exempts: @Sendable (_ host: [UInt8]) -> Bool = { _ in false }

    /// Everything is reached directly.
    public init() {}

    /// Every request goes directly.
    public var isEmpty: Bool { usual == nil && named.isEmpty }

    /// Whether the proxies are those of `other`, with the same logins; hosts that are exempt aside.
    public func hasSameProxies(as other: ParentSelection) -> Bool { usual == other.usual && named == other.named }

    /// - Parameters:
    ///   - name: one of `named`, if configuration gives one.
    ///   - mayRelay: whether all that is said on the connection is plain HTTP requests.
    public func route(to host: [UInt8], name: String? = nil, mayRelay: Bool) -> ConnectRoute {
        let parent: ParentProxy?
        if let name, let chosen = named[name] {
            parent = chosen
        } else {
            parent = usual.flatMap { exempts(host) ? nil : $0 }
        }
        guard let parent else { return .direct }
        return mayRelay && parent.kind == .http ? .relay(parent) : .tunnel(parent)
    }
}
