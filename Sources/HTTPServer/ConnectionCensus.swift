import Eventing
import Locking

/// Counts client connections over all loops and listeners that share it (H-132).
public final class ConnectionCensus: Sendable {
    private struct State {
        var total = 0
        var byPeer: [SocketAddress: Int] = [:]
        /// Called once there is room again.
        var paused: [@Sendable () -> Void] = []
    }

    private let limit: Int
    private let limitPerPeer: Int?
    private let state = Lock(State())

    public init(limits: ServerLimits) {
        limit = max(1, limits.maxConnections)
        limitPerPeer = limits.maxConnectionsPerPeer
    }

    /// Connections open now.
    public var count: Int { state.withLock { $0.total } }

    /// Counts a connection in; false if its peer has too many, then it is not counted.
    /// - Parameter peer: what the cap for one peer goes by; nil for peers without such a cap.
    func admit(_ peer: SocketAddress?) -> Bool {
        state.withLock { state in
            if let peer, let limitPerPeer {
                let count = state.byPeer[peer, default: 0]
                guard count < limitPerPeer else { return false }
                state.byPeer[peer] = count + 1
            }
            state.total += 1
            return true
        }
    }

    /// Whether no further connection may be accepted now; if so `resume` is called, on any thread, once there is room.
    func isFull(_ resume: @autoclosure () -> @Sendable () -> Void) -> Bool {
        guard count >= limit else { return false }
        let resume = resume()
        return state.withLock { state in
            guard state.total >= limit else { return false }
            state.paused.append(resume)
            return true
        }
    }

    /// Counts a connection out.
    func leave(_ peer: SocketAddress?) {
        let resumptions: [@Sendable () -> Void] = state.withLock { state in
            state.total -= 1
            if let peer, limitPerPeer != nil {
                let count = state.byPeer[peer, default: 0]
                state.byPeer[peer] = count > 1 ? count - 1 : nil
            }
            guard state.total < limit, !state.paused.isEmpty else { return [] }
            defer { state.paused = [] }
            return state.paused
        }
        for resume in resumptions { resume() }
    }
}
