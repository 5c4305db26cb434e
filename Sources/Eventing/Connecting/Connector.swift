public import TransportSecurity

/// Makes connections: resolves, judges each address, races those allowed (RFC 8305).
///
/// Bound to its loop. Nothing else in the daemon connects to anything, so nothing escapes the judgement, and the address
/// judged is the one connected to.
public final class Connector {
    public typealias Completion = (Result<Stream, ConnectError>) -> Void

    private let loop: EventLoop
    private let resolver: NameResolver
    /// How long one address has the race to itself before the next one joins (RFC 8305 §8).
    public var stagger = Duration.milliseconds(250)

    public init(loop: EventLoop, resolver: NameResolver) {
        self.loop = loop
        self.resolver = resolver
    }

    /// Connects to `host`, a name or an address literal, within `timeout`, looking the name up and the handshake of TLS
    /// included.
    ///
    /// `completion` runs once, on the loop, never within this call, and not at all after `cancel()`; the stream has no
    /// delegate yet.
    /// - Parameter security: what TLS is spoken under; nil: it is not.
    @discardableResult
    public func connect(
        host: [UInt8],
        port: UInt16,
        policy: AddressPolicy,
        security: TLSClientContext? = nil,
        timeout: Duration,
        completion: @escaping Completion
    ) -> ConnectAttempt {
        let target = "\(String(decoding: host, as: UTF8.self)):\(port)"
        let attempt = ConnectAttempt(loop: loop, target: target, policy: policy, stagger: stagger, completion)
        attempt.makeEngine = security.map { security in { security.connect(to: host, port: port) } }
        attempt.limit(to: timeout)
        resolver.resolve(host, on: loop) { answer in attempt.didResolve(answer, port: port) }
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
        loop.atEndOfTurn { attempt.race([address]) }
        return attempt
    }
}
