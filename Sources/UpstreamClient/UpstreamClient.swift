public import Eventing
public import Exchanges

/// Speaks HTTP/1.1 to origin servers, for the exchanges of one loop.
///
/// Connections stay with their loop; the number per origin is bounded over all clients that share an `OriginLimiter`.
/// Exchanges are started on the loop; what they are told may come from any thread.
public final class UpstreamClient: ExchangeProvider {
    public let context: any DeliveryContext
    private let core: LoopBound<OriginPool>

    /// A client for `loop`, made on it.
    ///
    /// - Parameters:
    ///   - policy: the addresses its requests may go to; where listeners differ in that, each has its own client.
    ///   - security: what TLS is spoken under; without it only `http` targets can be fetched.
    ///   - parents: which targets are reached through which proxy.
    public init(
        loop: EventLoop,
        connector: Connector,
        policy: AddressPolicy,
        limiter: OriginLimiter,
        limits: UpstreamLimits = UpstreamLimits(),
        security: UpstreamSecurity = UpstreamSecurity(),
        parents: ParentSelection = ParentSelection()
    ) {
        context = loop.handle
        let pool = OriginPool(
            loop: loop,
            connector: connector,
            policy: policy,
            limiter: limiter,
            limits: limits,
            security: security,
            parents: parents
        )
        core = LoopBound(pool, loop: loop)
    }

    public func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        let pool = core.value
        let exchange = OriginExchange(request, receiver: receiver, pool: pool)
        let remote = RemoteExchange(exchange, loop: pool.loop)
        exchange.begin()
        return remote
    }

    /// Replaces limits and policy for exchanges that begin from now on; on the loop.
    ///
    /// - Parameters:
    ///   - security: what TLS is spoken under; nil: as before.
    ///   - parents: which targets are reached through which proxy; nil: as before.
    ///   - renewsConnections: whether addresses or their policy may have changed: no connection made or begun before is
    ///     used for a further exchange then.
    public func apply(
        _ limits: UpstreamLimits,
        policy: AddressPolicy,
        security: UpstreamSecurity? = nil,
        parents: ParentSelection? = nil,
        renewsConnections: Bool = true
    ) {
        core.value.apply(
            limits,
            policy: policy,
            security: security,
            parents: parents,
            renewsConnections: renewsConnections
        )
    }

    /// What the pool holds and has done; on the loop.
    public var statistics: UpstreamStatistics { core.value.statistics }

    /// See `OriginPool.origins`.
    var origins: Int { core.value.origins }

    /// Closes idle connections, and others at the end of their exchange; on the loop.
    public func drain() { core.value.drain() }
}

/// What the clients of one loop have done since the start.
public struct UpstreamStatistics: Sendable {
    public var requests = 0
    public var connects = 0
    public var reuses = 0
    public var retries = 0
    public var failures = 0
    /// Connections without an exchange now.
    public var idle = 0
}
