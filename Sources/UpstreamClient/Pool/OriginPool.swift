import Eventing
import Exchanges
import HTTPCore
import TransportSecurity

/// The connections of one loop to all origins.
final class OriginPool {
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
    /// The identifiers of the TLS contexts.
    private var identities: Set<UInt64>
    /// How often the conditions for connections have changed.
    ///
    /// Only connections of the current generation are reused.
    private(set) var generation = 0
    private var idle: [PoolKey: IdleConnections] = [:]
    /// The idle connections looked up last: most often the next request needs the same.
    private var latest: IdleConnections?
    /// Exchanges in the limiter's queues.
    private var waiters: [UInt64: any SlotWaiter] = [:]
    var statistics = UpstreamStatistics()
    private var isDraining = false
    /// The memory of the last small content; the next response reuses it if nothing refers to it any more.
    private var content: [UInt8] = []
    /// Larger content is sent without a copy, and is seldom released before the next response.
    private static let contentLimit = 1024
    private var evictor: OriginLimiter.Evictor = { _ in }
    /// For objects that must not retain the pool.
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
        reference.pool = self
        let bound = LoopBound(reference, loop: loop)
        let handle = loop.handle
        evictor = { key in handle.submit { _ in bound.value.pool?.closeOneIdle(key) } }
    }

    deinit { reference.pool = nil }

    /// Replaces the limits and the given settings.
    ///
    /// - Parameter renewsConnections: whether the conditions for connections have changed. Then idle ones close, and
    ///   those in use or being made are not reused. Other parent proxies have the same effect.
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
        // No request matches a connection of a TLS context that is gone.
        closeIdle { renews || !mayBeUsed($0) }
    }

    /// Whether connections with `key` may still match a request.
    private func mayBeUsed(_ key: PoolKey) -> Bool { key.identity == 0 || identities.contains(key.identity) }

    /// Copies complete content into memory that is not written to while the chunk exists.
    ///
    /// Most small content is sent in the same turn and released, so that the next response reuses its memory.
    /// Allocating an array of a kilobyte, too large for the allocator's fast path, cost 1,500 instructions.
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

    /// The key of the connections for a request; most often the same as for the request before.
    func key(of request: OriginRequest, _ security: TLSClientContext?) -> PoolKey {
        let identity = security?.number ?? 0
        guard hasParents else {
            if let latest, latest.key.identity == identity, latest.key.isDirect(to: request.uri) {
                return latest.key
            }
            return PoolKey(request.uri, identity: identity)
        }
        let uri = request.uri
        let route = parents.route(
            to: uri.host,
            name: request.policies.proxy,
            // A proxy that relays derives Host from the target (RFC 9112 §3.2.2).
            mayRelay: uri.scheme == .http && request.upgrade == nil && request.host == nil
        )
        return PoolKey(uri, identity: identity, route: route)
    }

    /// The idle connection that was used last, if it is still quiet.
    func takeIdle(_ key: PoolKey) -> OriginConnection? {
        guard let connections = idleConnections(key) else { return nil }
        while let connection = connections.takeLast() {
            statistics.idle -= 1
            let mayReuse = limiter.leaveIdle(connection.slots, on: loop.handle, at: loop.now)
            if mayReuse, connection.isQuiet() {
                statistics.reuses += 1
                return connection
            }
            connection.close()
        }
        forget(connections)
        return nil
    }

    private func idleConnections(_ key: PoolKey) -> IdleConnections? {
        if let latest, latest.key === key || latest.key == key { return latest }
        guard let found = idle[key] else { return nil }
        latest = found
        return found
    }

    private func forget(_ connections: IdleConnections) {
        idle[connections.key] = nil
        if latest === connections { latest = nil }
    }

    private func keep(_ connection: OriginConnection) {
        if let connections = idleConnections(connection.key) { return connections.add(connection) }
        let connections = IdleConnections(connection.key)
        connections.add(connection)
        idle[connection.key] = connections
        latest = connections
    }

    func addWaiter(_ waiter: any SlotWaiter, id: UInt64) { waiters[id] = waiter }
    func removeWaiter(_ id: UInt64) { waiters[id] = nil }

    // MARK: Giving back

    /// Accepts a connection whose exchange ended at the proven end of a response.
    func keepIdle(_ connection: OriginConnection) {
        guard !isDraining, connection.stream.isBidirectional, connection.generation == generation,
            mayBeUsed(connection.key), statistics.idle < limits.idleConnections
        else { return connection.close() }
        switch limiter.finish(connection.slots, on: loop.handle, at: loop.now, evict: evictor) {
        case .keep:
            keep(connection)
            statistics.idle += 1
            connection.becomeIdle(for: limits.keepAliveTimeout)
        case .handOver(let id):
            guard let waiter = waiters.removeValue(forKey: id) else { return connection.close() }
            guard connection.isQuiet() else {
                connection.close(keepsSlot: true)
                return waiter.slotWasGranted()
            }
            statistics.reuses += 1
            waiter.take(connection)
        case .close:
            connection.close(keepsSlot: true)
        case .release:
            connection.close()
        }
    }

    /// An idle connection is about to be closed.
    func forgetIdle(_ connection: OriginConnection) {
        guard let connections = idleConnections(connection.key), connections.remove(connection) else { return }
        if connections.isEmpty { forget(connections) }
        statistics.idle -= 1
        limiter.leaveIdle(connection.slots, on: loop.handle, at: loop.now)
    }

    /// Stops reusing connections to an origin that sends bytes behind its responses.
    ///
    /// Such bytes, if late, would be taken for the next response.
    func banReuse(of key: PoolKey) { limiter.banReuse(of: key, at: loop.now) }

    /// Drops the list of an origin whose last connection has closed or left HTTP.
    func connectionDidClose(to key: PoolKey) {
        if let connections = idle[key], connections.isEmpty { forget(connections) }
    }

    /// How many origins have connections that are idle, or were idle before their current use.
    var origins: Int { idle.count }

    private func closeOneIdle(_ key: PoolKey) {
        guard let connection = idleConnections(key)?.first else { return }
        forgetIdle(connection)
        connection.close()
    }

    /// Keeps no connection from now on.
    func drain() {
        isDraining = true
        closeIdle { _ in true }
    }

    private func closeIdle(where isOver: (PoolKey) -> Bool) {
        for (key, connections) in idle where isOver(key) {
            for connection in connections.all {
                forgetIdle(connection)
                connection.close()
            }
        }
    }
}
