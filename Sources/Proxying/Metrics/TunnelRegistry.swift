import Eventing
import HTTPCore
import Locking

/// The open tunnels of all loops, and totals of all tunnels since the start.
public final class TunnelRegistry: Sendable {
    /// Totals of all tunnels since the start.
    public struct Totals: Sendable, Equatable {
        public var opened = 0
        public var open = 0
        public var bytesUp = 0
        public var bytesDown = 0

        public init() {}
    }

    private struct State {
        var open: [Int: TunnelRecord] = [:]
        var passed = PassedTunnels()
        var opened = 0
        /// Bytes of tunnels that have ended.
        var bytesUp = 0
        var bytesDown = 0
    }

    private let state = Lock(State())

    init() {}

    func add(
        _ client: SocketAddress,
        to target: [UInt8],
        by route: TunnelRecord.Route,
        at now: MonotonicTime
    ) -> TunnelRecord {
        state.withLock { state in
            state.opened += 1
            let record = TunnelRecord(id: state.opened, client: client, target: target, route: route, began: now)
            state.open[record.id] = record
            if route != .websocket { state.passed.add(target) }
            return record
        }
    }

    func remove(_ record: TunnelRecord) {
        state.withLock { state in
            guard state.open.removeValue(forKey: record.id) != nil else { return }
            state.bytesUp &+= record.bytesUp
            state.bytesDown &+= record.bytesDown
        }
    }

    /// The targets of CONNECT whose tunnels passed unread since the start, the most frequent first.
    public func passed(limit: Int) -> [PassedTunnels.Target] { state.withLock { $0.passed }.mostFrequent(limit) }

    /// How many tunnels have passed unread since the start.
    public var passedCount: Int { state.withLock { $0.passed.opened } }

    /// How many tunnels to `host:port` passed unread; 0 if that is so long ago that it is forgotten.
    public func passed(to target: [UInt8]) -> Int { state.withLock { $0.passed.count(to: target) } }

    /// The oldest `limit` of the open tunnels, in the order in which they were opened.
    public func open(limit: Int = .max) -> [TunnelRecord] {
        Array(state.withLock { Array($0.open.values) }.sorted { $0.id < $1.id }.prefix(limit))
    }

    public var totals: Totals {
        state.withLock { state in
            var totals = Totals()
            totals.opened = state.opened
            totals.open = state.open.count
            totals.bytesUp = state.open.values.reduce(state.bytesUp) { $0 &+ $1.bytesUp }
            totals.bytesDown = state.open.values.reduce(state.bytesDown) { $0 &+ $1.bytesDown }
            return totals
        }
    }
}
