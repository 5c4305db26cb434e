/// Decides which targets are reached through which proxy.
public struct ParentSelection: Sendable {
    /// For all targets but those below; nil: reach them directly.
    public var usual: ParentProxy?
    /// For targets with a configured name; nil: reach them directly.
    public var named: [String: ParentProxy?] = [:]
    /// Whether a host is reached directly; asked if `named` does not decide.
    public var exempts: @Sendable (_ host: [UInt8]) -> Bool = { _ in false }

    /// Reaches everything directly.
    public init() {}

    /// Whether everything is reached directly.
    public var isEmpty: Bool { usual == nil && named.isEmpty }

    /// Whether proxies and logins equal those of `other`; exempt hosts may differ.
    public func hasSameProxies(as other: ParentSelection) -> Bool { usual == other.usual && named == other.named }

    /// The route to a host.
    ///
    /// - Parameters:
    ///   - name: a key of `named`, if configured.
    ///   - mayRelay: whether the connection carries only HTTP requests without TLS.
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
