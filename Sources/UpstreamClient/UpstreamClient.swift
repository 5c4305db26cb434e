public import Eventing
public import Exchanges

/// Speaks HTTP/1.1 to origin servers, for the exchanges of one loop.
///
/// Connections stay with their loop. All clients that share an `OriginLimiter` share its limits per origin. Exchanges
/// are started on the loop; their methods may be called on any thread.
public final class UpstreamClient: ExchangeProvider {
    public let context: any DeliveryContext
    private let core: LoopBound<OriginPool>

    /// Makes a client for `loop`, on which it must be called.
    ///
    /// - Parameters:
    ///   - policy: the addresses that its requests may reach; listeners with another policy have clients of their own.
    ///   - security: the contexts of TLS; without any only `http` targets can be fetched.
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

    /// Replaces limits and policy for exchanges that begin from now on; called on the loop.
    ///
    /// - Parameters:
    ///   - security: the contexts of TLS; nil: as before.
    ///   - parents: which targets are reached through which proxy; nil: as before.
    ///   - renewsConnections: whether addresses or their policy may have changed: earlier connections are then not
    ///     reused.
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

    /// The pool's connections and counts; called on the loop.
    public var statistics: UpstreamStatistics { core.value.statistics }

    /// See `OriginPool.origins`.
    var origins: Int { core.value.origins }

    /// Closes idle connections, and others at the end of their exchange; called on the loop.
    public func drain() { core.value.drain() }
}
