import Eventing
import HTTPCore
import Locking
import TransportSecurity

/// Limits the connections to each origin over all loops, with one fair queue per origin (H-132).
///
/// A connection occupies a slot from before it is made until it is closed, idle time included. An exchange that finds
/// no free slot waits; slots and idle connections go to the longest waiter.
public final class OriginLimiter: Sendable {
    /// One exchange in the queue.
    struct Waiter: Sendable {
        let loop: LoopHandle
        let granted: @Sendable (EventLoop) -> Void
    }

    /// Closes an idle connection to an origin on its loop; called on any thread.
    typealias Evictor = @Sendable (PoolKey) -> Void

    enum Verdict { case granted, queued(id: UInt64), refused }

    /// What to do with a connection whose exchange has ended.
    enum Return {
        /// Keep it idle: no exchange waits.
        case keep
        /// Give it to the longest waiter, which is on the same loop.
        case handOver(waiter: UInt64)
        /// Close it: the longest waiter is on another loop and has got the slot.
        case close
        /// Close it and release its slot: there are too many connections, or the origin's are not reused.
        case release
    }

    /// The idle connections of one loop to one origin.
    struct Idle {
        let loop: Int
        var count: Int
        /// Closes one of them.
        var evict: Evictor
    }

    /// The slots of one origin.
    ///
    /// Each of its connections retains them, so that no exchange has to look them up. `@unchecked Sendable`: `shared`
    /// is used only under the limiter's lock.
    final class Slots: @unchecked Sendable {
        let key: PoolKey
        var shared = Shared()

        fileprivate init(_ key: PoolKey) { self.key = key }
    }

    struct Shared {
        var taken = 0
        var waiters = WaitingQueue<Waiter>()
        /// The idle connections of each loop that has had some.
        var idle: [Idle] = []
        /// What TLS of the latest connection has agreed on; nil without TLS.
        var security: TLSFacts?

        /// Closes an idle connection; nil if there is none.
        var evict: Evictor? { idle.first { $0.count > 0 }?.evict }
    }

    struct State {
        var limit: Int
        var queueLength: Int
        var nextID: UInt64 = 0
        var origins: [PoolKey: Slots] = [:]
        var bans = ReuseBans()

        func mayReuse(_ key: PoolKey, at now: MonotonicTime) -> Bool {
            bans.isEmpty || !bans.contains(key, at: now)
        }
    }

    let state: Lock<State>
    let report: @Sendable (ReuseBan) -> Void
    private let slow = Lock(0)

    /// Responses that were given up because their content was too slow (`UpstreamLimits.minimumRate`).
    public var slowContents: Int { slow.withLock { $0 } }

    func noteSlowContent() { slow.withLock { $0 += 1 } }

    /// - Parameter report: called when the connections to an origin are no longer reused, on any thread and under no
    ///   lock.
    public init(limits: UpstreamLimits, report: @escaping @Sendable (ReuseBan) -> Void = { _ in }) {
        self.report = report
        state = Lock(State(limit: max(1, limits.connectionsPerOrigin), queueLength: limits.queuePerOrigin))
    }

    /// Replaces the limits.
    ///
    /// Surplus connections close when their exchanges end; if more connections are now allowed, waiters get slots.
    public func apply(_ limits: UpstreamLimits) {
        let next: [Waiter] = state.withLock { state in
            state.limit = max(1, limits.connectionsPerOrigin)
            state.queueLength = limits.queuePerOrigin
            var next: [Waiter] = []
            for key in Array(state.origins.keys) {
                guard let slots = state.origins[key] else { continue }
                while slots.shared.taken < state.limit, let (_, waiter) = slots.shared.waiters.popFirst() {
                    slots.shared.taken += 1
                    next.append(waiter)
                }
            }
            return next
        }
        for waiter in next { waiter.loop.submit(waiter.granted) }
    }

    /// Requests a slot for a new connection.
    /// - Parameter granted: called on `loop`, later, if the verdict is `queued`: the waiter then owns a slot.
    func acquire(
        _ key: PoolKey,
        on loop: LoopHandle,
        granted: @escaping @Sendable (EventLoop) -> Void
    ) -> Verdict {
        let (verdict, evict): (Verdict, Evictor?) = state.withLock { state in
            state.nextID += 1
            let id = state.nextID
            return state.slots(of: key).shared.acquire(
                Waiter(loop: loop, granted: granted),
                id: id,
                limit: state.limit,
                queueLength: state.queueLength
            )
        }
        evict?(key)
        return verdict
    }

    /// Leaves the queue.
    ///
    /// Returns true if the waiter was still in it; otherwise it has got a slot, which must be released.
    func withdraw(_ id: UInt64, from key: PoolKey) -> Bool {
        state.withLock { $0.origins[key]?.shared.waiters.remove(id) != nil }
    }

    /// Releases the slot of a closed connection.
    func release(_ key: PoolKey) {
        let (next, evict): (Waiter?, Evictor?) = state.withLock { state in
            guard let slots = state.origins[key] else { return (nil, nil) }
            let next = slots.shared.release(limit: state.limit)
            if slots.shared.taken == 0 { state.origins[key] = nil }
            return next
        }
        if let next { next.loop.submit(next.granted) }
        evict?(key)
    }

    /// Handles a connection of `loop` that has ended its exchange and may be used again.
    /// - Parameter evict: closes one idle connection of that loop to the origin; called on any thread when another loop
    ///   waits for a slot.
    func finish(
        _ slots: Slots,
        on loop: LoopHandle,
        at now: MonotonicTime,
        evict: @escaping Evictor
    ) -> Return {
        let (result, next): (Return, Waiter?) = state.withLock { state in
            guard state.mayReuse(slots.key, at: now) else { return (.release, nil) }
            return slots.shared.finish(on: loop.index, evict: evict, limit: state.limit)
        }
        if let next { next.loop.submit(next.granted) }
        return result
    }

    /// Notes that an idle connection of `loop` is used again or about to be closed; returns whether it may be used
    /// again.
    @discardableResult
    func leaveIdle(_ slots: Slots, on loop: LoopHandle, at now: MonotonicTime) -> Bool {
        state.withLock { state in
            slots.shared.leaveIdle(on: loop.index)
            return state.mayReuse(slots.key, at: now)
        }
    }

    /// The slots of an origin that has occupied some.
    func slots(of key: PoolKey) -> Slots { state.withLock { $0.slots(of: key) } }

    /// Notes what TLS of a new connection has agreed on.
    func note(_ security: TLSFacts, of slots: Slots) { state.withLock { _ in slots.shared.security = security } }

    /// How many slots are occupied now.
    func taken(_ key: PoolKey) -> Int { state.withLock { $0.origins[key]?.shared.taken ?? 0 } }
}

extension OriginLimiter.State {
    fileprivate mutating func slots(of key: PoolKey) -> OriginLimiter.Slots {
        if let slots = origins[key] { return slots }
        let slots = OriginLimiter.Slots(key)
        origins[key] = slots
        return slots
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
        // The limit has been lowered: idle connections beyond it must not block waiters.
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
