/// Which targets are reached through which proxy.
public struct ParentSelection: Sendable {
    /// For all targets but those below; nil: they are reached directly.
    public var usual: ParentProxy?
    /// For targets that configuration names; nil: directly.
    public var named: [String: ParentProxy?] = [:]
    /// Whether a host is reached directly all the same; used where `named` does not decide.
    public var exempts: @Sendable (_ host: [UInt8]) -> Bool = { _ in false }

    /// Everything is reached directly.
    public init() {}

    /// Whether everything is reached directly.
    public var isEmpty: Bool { usual == nil && named.isEmpty }

    /// Whether the proxies and their logins are those of `other`; exempt hosts may differ.
    public func hasSameProxies(as other: ParentSelection) -> Bool { usual == other.usual && named == other.named }

    /// The route to a host.
    ///
    /// - Parameters:
    ///   - name: one of `named`, if configuration gives one.
    ///   - mayRelay: whether the connection carries plain HTTP requests only.
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
