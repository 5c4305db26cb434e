public import HTTPCore
public import TransportSecurity

/// Makes connections: resolves the name, judges each address, races the allowed ones (RFC 8305).
///
/// Bound to its loop. Nothing else in the daemon makes connections. So every connection is judged, and the judged
/// address is the connected one.
public final class Connector {
    public typealias Completion = (Result<Stream, ConnectError>) -> Void

    private let loop: EventLoop
    private let resolver: NameResolver
    /// How long one address is tried alone before the next one joins (RFC 8305 §8).
    public var stagger = Duration.milliseconds(250)
    /// Whether each attempt fails: no name is looked up, and no connection is made.
    public var isClosed = false

    public init(loop: EventLoop, resolver: NameResolver) {
        self.loop = loop
        self.resolver = resolver
    }

    /// Connects to `host`, a name or an address literal, within `timeout`.
    ///
    /// That includes name look-ups, the dialogue with a parent proxy and the handshake of TLS.
    ///
    /// `completion` is called once on the loop, never within this call, and not after `cancel()`. The stream then has
    /// no delegate.
    /// - Parameters:
    ///   - policy: judges the target. Whatever it returns, a parent proxy may be on this machine or a private network,
    ///     but never at an address that is always forbidden.
    ///   - security: the TLS context for the target; nil: no TLS.
    ///   - via: fields whose Via lines show a parent proxy the request's path.
    ///   - asker: the client and page for which the names are looked up.
    ///   - targetMayBegin: whether the target may send bytes before it gets any.
    @discardableResult
    public func connect(
        host: [UInt8],
        port: UInt16,
        policy: AddressPolicy,
        route: ConnectRoute = .direct,
        security: TLSClientContext? = nil,
        via: Fields = Fields(),
        asker: NameAsker = NameAsker(),
        targetMayBegin: Bool = false,
        timeout: Duration,
        completion: @escaping Completion
    ) -> ConnectAttempt {
        let parent = route.parent
        let attempt = ConnectAttempt(
            loop: loop,
            target: "\(String(decoding: host, as: UTF8.self)):\(port)",
            policy: parent == nil ? policy : policy.forParents,
            parent: parent?.text,
            stagger: stagger,
            completion
        )
        if isClosed {
            loop.atEndOfTurn { attempt.refuse(.closed) }
            return attempt
        }
        if let security { attempt.precede(by: SecurityStage { security.connect(to: host, port: port) }) }
        attempt.limit(to: timeout)
        let raced = parent?.host ?? host
        if parent == nil, policy.rebinding.scope != .none { attempt.host = HostName.canonical(host) ?? "" }
        attempt.didFallOver = { [resolver] in resolver.prefer($0, of: raced) }
        guard let parent else {
            attempt.lookUp = resolver.resolve(host, for: asker, on: loop) { answer in
                attempt.didResolve(answer, port: port)
            }
            return attempt
        }
        let approach = ParentApproach(attempt, resolver: resolver, asker: asker, loop: loop)
        switch route {
        case .direct: break
        case .relay: approach.relay(host, port, policy, by: parent)
        case .tunnel:
            approach.targetMayBegin = targetMayBegin
            approach.tunnel(host, port, policy, via: via, by: parent)
        }
        return attempt
    }

    /// Connects to one address, such as a Unix socket, judged like any other.
    @discardableResult
    public func connect(
        to address: SocketAddress,
        policy: AddressPolicy,
        timeout: Duration,
        completion: @escaping Completion
    ) -> ConnectAttempt {
        let target = address.description
        let attempt = ConnectAttempt(loop: loop, target: target, policy: policy, stagger: stagger, completion)
        attempt.limit(to: timeout)
        loop.atEndOfTurn { [isClosed] in if isClosed { attempt.refuse(.closed) } else { attempt.race([address]) } }
        return attempt
    }
}
