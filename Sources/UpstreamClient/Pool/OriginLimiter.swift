import Eventing
import HTTPCore
import Locking

/// Bounds the connections to each origin over all loops, with one fair queue per origin (H-132).
///
/// A connection holds its place from before it is made until it is closed, idle time included. Who finds no place waits;
/// places and idle connections go to the longest waiter.
public final class OriginLimiter: Sendable {
    /// One exchange in the queue.
    struct Waiter: Sendable {
        let loop: LoopHandle
        let granted: @Sendable (EventLoop) -> Void
    }

    /// Closes an idle connection to an origin on the loop it belongs to; called on any thread.
    typealias Evictor = @Sendable (PoolKey) -> Void

    enum Verdict { case granted, queued(id: UInt64), refused }

    /// What becomes of a connection that has ended its exchange.
    enum Return {
        /// Nobody waits: keep it, idle.
        case keep
        /// The longest waiter is on the same loop: it takes the connection over.
        case handOver(waiter: UInt64)
        /// The longest waiter is on another loop and has been given the place: close the connection.
        case close
        /// There are more connections than the limit allows now, or the origin's are not used again: close it and release
        /// its place.
        case release
    }

    /// The idle connections of one loop, and what closes one of them.
    struct Idle {
        let loop: Int
        var count: Int
        /// Of the pool that has had one the longest.
        var evict: Evictor
    }

    /// What connections to one origin share.
    ///
    /// An object that each of them holds: what is done with every exchange looks nothing up.
    final class Places: @unchecked Sendable {
        // The limiter's lock makes it true: what is here is touched under it only.
        let origin: PoolKey
        var shared = Shared()

        fileprivate init(_ origin: PoolKey) { self.origin = origin }
    }

    struct Shared {
        var taken = 0
        var waiters = WaitingQueue<Waiter>()
        /// Of each loop that has had an idle connection.
        var idle: [Idle] = []

        /// Closes an idle connection; nil if there is none.
        var evict: Evictor? { idle.first { $0.count > 0 }?.evict }
    }

    struct State {
        var limit: Int
        var queueLength: Int
        var nextID: UInt64 = 0
        var origins: [PoolKey: Places] = [:]
        var bans = ReuseBans()

        func mayReuse(_ origin: PoolKey, at now: MonotonicTime) -> Bool {
            bans.isEmpty || !bans.contains(origin, at: now)
        }
    }

    let state: Lock<State>
    let report: @Sendable (ReuseBan) -> Void
    private let slow = Lock(0)

    /// Responses that were given up since they came too slowly (`UpstreamLimits.minimumRate`).
    public var slowContents: Int { slow.withLock { $0 } }

    func noteSlowContent() { slow.withLock { $0 += 1 } }

    /// - Parameter report: told when connections to an origin are used again no more, on any thread and under no lock.
    public init(limits: UpstreamLimits, report: @escaping @Sendable (ReuseBan) -> Void = { _ in }) {
        self.report = report
        state = Lock(State(limit: max(1, limits.connectionsPerOrigin), queueLength: limits.queueLength))
    }

    /// Bounds the connections from now on.
    ///
    /// Where there are more than that, they go as their exchanges end; where there may be more now, waiters get places.
    public func apply(_ limits: UpstreamLimits) {
        let next: [Waiter] = state.withLock { state in
            state.limit = max(1, limits.connectionsPerOrigin)
            state.queueLength = limits.queueLength
            var next: [Waiter] = []
            for origin in Array(state.origins.keys) {
                guard let places = state.origins[origin] else { continue }
                while places.shared.taken < state.limit, let (_, waiter) = places.shared.waiters.popFirst() {
                    places.shared.taken += 1
                    next.append(waiter)
                }
            }
            return next
        }
        for waiter in next { waiter.loop.submit(waiter.granted) }
    }

    /// Asks for a place for a new connection to `origin`.
    /// - Parameter granted: called on `loop`, later, if the verdict is `queued`: a place is the waiter's now.
    func acquire(
        _ origin: PoolKey,
        on loop: LoopHandle,
        granted: @escaping @Sendable (EventLoop) -> Void
    ) -> Verdict {
        let (verdict, evict): (Verdict, Evictor?) = state.withLock { state in
            state.nextID += 1
            let id = state.nextID
            return state.places(of: origin).shared.acquire(
                Waiter(loop: loop, granted: granted),
                id: id,
                limit: state.limit,
                queueLength: state.queueLength
            )
        }
        evict?(origin)
        return verdict
    }

    /// Leaves the queue.
    ///
    /// True if the waiter was still in it; else a place has been granted and must be released.
    func withdraw(_ id: UInt64, from origin: PoolKey) -> Bool {
        state.withLock { $0.origins[origin]?.shared.waiters.remove(id) != nil }
    }

    /// Gives a place back: its connection is closed.
    func release(_ origin: PoolKey) {
        let (next, evict): (Waiter?, Evictor?) = state.withLock { state in
            guard let places = state.origins[origin] else { return (nil, nil) }
            let next = places.shared.release(limit: state.limit)
            if places.shared.taken == 0 { state.origins[origin] = nil }
            return next
        }
        if let next { next.loop.submit(next.granted) }
        evict?(origin)
    }

    /// A connection ended its exchange on `loop` and may be used again.
    /// - Parameter evict: closes one idle connection to `origin` of that loop; called on any thread when another loop
    ///   waits for a place.
    func finish(
        _ places: Places,
        on loop: LoopHandle,
        at now: MonotonicTime,
        evict: @escaping Evictor
    ) -> Return {
        let (result, next): (Return, Waiter?) = state.withLock { state in
            guard state.mayReuse(places.origin, at: now) else { return (.release, nil) }
            return places.shared.finish(on: loop.index, evict: evict, limit: state.limit)
        }
        if let next { next.loop.submit(next.granted) }
        return result
    }

    /// An idle connection of `loop` is used again or about to be closed; returns whether it may be used again.
    @discardableResult
    func leaveIdle(_ places: Places, on loop: LoopHandle, at now: MonotonicTime) -> Bool {
        state.withLock { state in
            places.shared.leaveIdle(on: loop.index)
            return state.mayReuse(places.origin, at: now)
        }
    }

    /// What a connection to `origin` holds, whose place is taken.
    func places(of origin: PoolKey) -> Places { state.withLock { $0.places(of: origin) } }

    /// Places taken at `origin` now.
    func taken(_ origin: PoolKey) -> Int { state.withLock { $0.origins[origin]?.shared.taken ?? 0 } }
}

extension OriginLimiter.State {
    fileprivate mutating func places(of origin: PoolKey) -> OriginLimiter.Places {
        if let places = origins[origin] { return places }
        let places = OriginLimiter.Places(origin)
        origins[origin] = places
        return places
    }
}

extension OriginLimiter.Shared {
    fileprivate mutating func acquire(
        _ waiter: OriginLimiter.Waiter,
        id: UInt64,
        limit: Int,
        queueLength: Int
    ) -> (OriginLimiter.Verdict, evict: OriginLimiter.Evictor?) {
        if taken < limit {
            taken += 1
            return (.granted, nil)
        }
        guard waiters.count < queueLength else { return (.refused, nil) }
        waiters.append(waiter, id: id)
        return (.queued(id: id), evict)
    }

    fileprivate mutating func release(limit: Int) -> (OriginLimiter.Waiter?, evict: OriginLimiter.Evictor?) {
        if taken <= limit, let (_, waiter) = waiters.popFirst() { return (waiter, nil) }
        taken -= 1
        // The limit has been lowered: idle connections beyond it must not keep who waits from his place.
        return (nil, waiters.isEmpty ? nil : evict)
    }

    fileprivate mutating func finish(
        on loop: Int,
        evict: @escaping OriginLimiter.Evictor,
        limit: Int
    ) -> (OriginLimiter.Return, OriginLimiter.Waiter?) {
        if taken > limit { return (.release, nil) }
        if !waiters.isEmpty, let (id, waiter) = waiters.popFirst() {
            return waiter.loop.index == loop ? (.handOver(waiter: id), nil) : (.close, waiter)
        }
        if let index = idle.firstIndex(where: { $0.loop == loop }) {
            if idle[index].count == 0 { idle[index].evict = evict }
            idle[index].count += 1
        } else {
            idle.append(OriginLimiter.Idle(loop: loop, count: 1, evict: evict))
        }
        return (.keep, nil)
    }

    fileprivate mutating func leaveIdle(on loop: Int) {
        if let index = idle.firstIndex(where: { $0.loop == loop }) { idle[index].count -= 1 }
    }
}
