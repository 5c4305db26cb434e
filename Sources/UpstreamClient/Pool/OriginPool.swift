import Eventing
import Exchanges
import HTTPCore
import TransportSecurity

/// The connections of one loop to all origins.
final class OriginPool: OriginPoolState {
    let loop: EventLoop
    let connector: Connector
    private(set) var policy: AddressPolicy
    let limiter: OriginLimiter
    private(set) var limits: UpstreamLimits
    private(set) var security: UpstreamSecurity
    private(set) var parents: ParentSelection {
        didSet { hasParents = !parents.isEmpty }
    }
    private var hasParents: Bool
    /// The numbers of its contexts.
    private var identities: Set<UInt64>
    /// How often the conditions connections are made under have changed; only those of now are used again.
    private(set) var generation = 0
    private var idle: [PoolKey: IdleConnections] = [:]
    /// Those asked for last: most often the next ones, too.
    private var latest: IdleConnections?
    /// Exchanges in the limiter's queues.
    private var waiters: [UInt64: OriginExchange] = [:]
    private var isDraining = false
    /// Where the last small content is; that of the next response takes its place if nobody has kept it.
    private var content: [UInt8] = []
    /// What is larger is sent from where it lies, and rarely gone by the next response.
    private static let contentLimit = 1024
    private var evictor: OriginLimiter.Evictor = { _ in }
    /// For those who must not keep it.
    let reference = PoolReference()

    init(
        loop: EventLoop,
        connector: Connector,
        policy: AddressPolicy,
        limiter: OriginLimiter,
        limits: UpstreamLimits,
        security: UpstreamSecurity,
        parents: ParentSelection
    ) {
        self.loop = loop
        self.connector = connector
        self.policy = policy
        self.limiter = limiter
        self.limits = limits
        self.security = security
        self.parents = parents
        hasParents = !parents.isEmpty
        identities = security.numbers
        super.init()
        reference.pool = self
        let bound = LoopBound(reference, loop: loop)
        let handle = loop.handle
        evictor = { origin in handle.submit { _ in bound.value.pool?.closeOneIdle(origin) } }
    }

    deinit { reference.pool = nil }

    /// From now on these hold.
    ///
    /// - Parameter renewsConnections: connections that there are were made under conditions that no longer hold: idle
    ///   ones go, and those in use or being made are not used again. Other proxies do the same.
    func apply(
        _ limits: UpstreamLimits,
        policy: AddressPolicy,
        security: UpstreamSecurity?,
        parents: ParentSelection?,
        renewsConnections: Bool
    ) {
        self.limits = limits
        self.policy = policy
        if let security {
            self.security = security
            identities = security.numbers
        }
        let renews = renewsConnections || !(parents?.hasSameProxies(as: self.parents) ?? true)
        if let parents { self.parents = parents }
        if renews { generation += 1 }
        // No request matches what was connected under a context that is no more.
        closeIdle { renews || !mayBeUsed($0) }
    }

    /// Whether requests may still come that connections to `origin` fit.
    private func mayBeUsed(_ origin: PoolKey) -> Bool { origin.identity == 0 || identities.contains(origin.identity) }

    /// Content that has come whole, in memory that nobody writes to as long as the chunk is there.
    ///
    /// Most of what is small is sent in the same turn, and forgotten: the memory serves for the next one then. An array of
    /// a kilobyte is too large for the allocator's short way, and cost 1,500 instructions.
    func copy(_ bytes: Span<UInt8>) -> ByteChunk {
        guard !bytes.isEmpty, bytes.count <= Self.contentLimit else { return ByteChunk(copying: bytes) }
        var room = content
        content = []
        room.removeAll(keepingCapacity: true)
        room.reserveCapacity(Self.contentLimit)
        room.append(copying: bytes)
        content = room
        return ByteChunk(room)
    }

    // MARK: Taking

    /// What decides about the connection for a request; most often the same as for the one before.
    func origin(of request: OriginRequest, _ security: TLSClientContext?) -> PoolKey {
        let identity = security?.number ?? 0
        guard hasParents else {
            if let latest, latest.origin.identity == identity, latest.origin.isDirect(to: request.uri) {
                return latest.origin
            }
            return PoolKey(request.uri, identity: identity)
        }
        let uri = request.uri
        let way = parents.way(
            to: uri.host,
            name: request.policies.proxy,
            // A proxy that relays makes Host of the target (RFC 9112 §3.2.2).
            mayRelay: uri.scheme == .http && request.upgrade == nil && request.host == nil
        )
        return PoolKey(uri, identity: identity, way: way)
    }

    /// The idle connection to `origin` that was used last, if it is still quiet.
    func takeIdle(_ origin: PoolKey) -> OriginConnection? {
        guard let home = home(of: origin) else { return nil }
        while let connection = home.takeLast() {
            statistics.idle -= 1
            let mayReuse = limiter.leaveIdle(connection.places, on: loop.handle, at: loop.now)
            if mayReuse, connection.isQuiet() {
                statistics.reuses += 1
                return connection
            }
            connection.close()
        }
        forget(home)
        return nil
    }

    private func home(of origin: PoolKey) -> IdleConnections? {
        if let latest, latest.origin === origin || latest.origin == origin { return latest }
        guard let found = idle[origin] else { return nil }
        latest = found
        return found
    }

    private func forget(_ home: IdleConnections) {
        idle[home.origin] = nil
        if latest === home { latest = nil }
    }

    private func keep(_ connection: OriginConnection) {
        if let home = home(of: connection.origin) { return home.add(connection) }
        let home = IdleConnections(connection.origin)
        home.add(connection)
        idle[connection.origin] = home
        latest = home
    }

    func addWaiter(_ exchange: OriginExchange, id: UInt64) { waiters[id] = exchange }
    func removeWaiter(_ id: UInt64) { waiters[id] = nil }

    // MARK: Giving back

    /// Takes a connection whose exchange ended at a proven border.
    func giveBack(_ connection: OriginConnection) {
        guard !isDraining, connection.stream.isWhole, connection.generation == generation, mayBeUsed(connection.origin),
            statistics.idle < limits.idleConnections
        else { return connection.close() }
        switch limiter.finish(connection.places, on: loop.handle, at: loop.now, evict: evictor) {
        case .keep:
            keep(connection)
            statistics.idle += 1
            connection.becomeIdle(for: limits.keepAliveTimeout)
        case .handOver(let id):
            guard let exchange = waiters.removeValue(forKey: id) else { return connection.close() }
            guard connection.isQuiet() else {
                connection.close(keepsPlace: true)
                return exchange.placeWasGranted()
            }
            statistics.reuses += 1
            exchange.attach(connection)
        case .close:
            connection.close(keepsPlace: true)
        case .release:
            connection.close()
        }
    }

    /// An idle connection is about to be closed.
    func forgetIdle(_ connection: OriginConnection) {
        guard let home = home(of: connection.origin), home.remove(connection) else { return }
        if home.isEmpty { forget(home) }
        statistics.idle -= 1
        limiter.leaveIdle(connection.places, on: loop.handle, at: loop.now)
    }

    /// The origin sends more than its responses: what it sends late would be taken for another's answer.
    func banReuse(of origin: PoolKey) { limiter.banReuse(of: origin, at: loop.now) }

    /// A connection to `origin` is no more, or left HTTP; what was kept ready for its return goes.
    func connectionDidClose(to origin: PoolKey) {
        if let home = idle[origin], home.isEmpty { forget(home) }
    }

    /// Origins to which there are connections that are idle, or were before their present use.
    var origins: Int { idle.count }

    private func closeOneIdle(_ origin: PoolKey) {
        guard let connection = home(of: origin)?.first else { return }
        forgetIdle(connection)
        connection.close()
    }

    /// Keeps no connection from here on.
    func drain() {
        isDraining = true
        closeIdle { _ in true }
    }

    private func closeIdle(where isOver: (PoolKey) -> Bool) {
        for (origin, home) in idle where isOver(origin) {
            for connection in home.all {
                forgetIdle(connection)
                connection.close()
            }
        }
    }
}

/// Finds a pool without keeping it, for its connections and for the limiter's queue.
///
/// In place of weak references: an object that has any is retained and released in four times as many instructions, and
/// each request does that with the pool.
final class PoolReference {
    /// Nil once the pool has ended.
    fileprivate(set) unowned var pool: OriginPool?
}
