import Eventing
import Locking

/// Counts client connections of all loops and listeners that share it (H-132).
public final class ConnectionCounter: Sendable {
    private struct State {
        var limit: Int
        var limitPerPeer: Int?
        var total = 0
        var byPeer: [SocketAddress: Int] = [:]
        /// Called once there is room again.
        var paused: [@Sendable () -> Void] = []

        /// Removes and returns the callbacks if there is room.
        mutating func takePaused() -> [@Sendable () -> Void] {
            guard total < limit, !paused.isEmpty else { return [] }
            defer { paused = [] }
            return paused
        }
    }

    private let state: Lock<State>
    /// The bytes of the connections' unfinished heads.
    public let heads: HeadBudget

    /// - Parameter headWasRefused: called on any loop for each head for which there was no room.
    public init(limits: ServerLimits, headWasRefused: @escaping @Sendable () -> Void = {}) {
        heads = HeadBudget(limit: limits.unfinishedHeads, report: headWasRefused)
        state = Lock(State(limit: max(1, limits.maxConnections), limitPerPeer: limits.maxConnectionsPerPeer))
    }

    /// Limits connections from now on; open ones stay.
    public func apply(_ limits: ServerLimits) {
        heads.limit = limits.unfinishedHeads
        let resumptions: [@Sendable () -> Void] = state.withLock { state in
            state.limit = max(1, limits.maxConnections)
            state.limitPerPeer = limits.maxConnectionsPerPeer
            return state.takePaused()
        }
        for resume in resumptions { resume() }
    }

    /// Connections open now.
    public var count: Int { state.withLock { $0.total } }

    /// Counts a new connection; returns false, without counting, if its peer has too many.
    /// - Parameter peer: the peer for the limit of connections per peer; nil: not limited.
    func admit(_ peer: SocketAddress?) -> Bool {
        state.withLock { state in
            if let peer {
                let count = state.byPeer[peer, default: 0]
                guard count < state.limitPerPeer ?? .max else { return false }
                state.byPeer[peer] = count + 1
            }
            state.total += 1
            return true
        }
    }

    /// Whether no further connection may be accepted now.
    ///
    /// If so, `resume` is called on any thread once there is room.
    func isFull(_ resume: @autoclosure () -> @Sendable () -> Void) -> Bool {
        guard state.withLock({ $0.total >= $0.limit }) else { return false }
        let resume = resume()
        return state.withLock { state in
            guard state.total >= state.limit else { return false }
            state.paused.append(resume)
            return true
        }
    }

    /// Subtracts a closed connection.
    func leave(_ peer: SocketAddress?) {
        let resumptions: [@Sendable () -> Void] = state.withLock { state in
            state.total -= 1
            if let peer {
                let count = state.byPeer[peer, default: 0]
                state.byPeer[peer] = count > 1 ? count - 1 : nil
            }
            return state.takePaused()
        }
        for resume in resumptions { resume() }
    }
}
