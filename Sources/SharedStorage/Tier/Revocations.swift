import Stores
import HTTPCore
import Locking
import ResourceCore

/// What this node has purged and the shared server may still have: no look-up of this node returns it.
final class Revocations: Sendable {
    /// A purge of all responses that something holds for.
    private struct Rule: Sendable {
        let time: HTTPDate
        let condition: @Sendable (StoredRecord) -> Bool
    }

    private static let ruleLimit = 64
    private static let pendingLimit = 8_192
    /// So far may the clocks of nodes be apart.
    static let skewSeconds: Int64 = 60

    private struct State {
        var rules: [Rule] = []
        /// Responses received before this are not used.
        var horizon = HTTPDate(seconds: .min)
        /// Resources whose purge the server has not confirmed.
        var pending: [TargetURI: Int] = [:]
    }

    private let state = Lock(State())

    /// A purge of one resource goes to the server.
    func begin(_ uri: TargetURI, at now: HTTPDate) {
        state.withLock { state in
            if state.pending.count >= Self.pendingLimit {
                // Too many to remember one by one: nothing that is there now is used.
                state.horizon = now
                state.pending = [:]
            }
            state.pending[uri, default: 0] += 1
        }
    }

    /// The server has confirmed it.
    func end(_ uri: TargetURI) {
        state.withLock { state in
            guard let count = state.pending[uri] else { return }
            state.pending[uri] = count > 1 ? count - 1 : nil
        }
    }

    /// Resources whose purge the server has not confirmed.
    var pending: [TargetURI] { state.withLock { Array($0.pending.keys) } }

    func isPending(_ uri: TargetURI) -> Bool { state.withLock { $0.pending[uri] != nil } }

    /// Responses that this holds for, and that were received before now, are not used.
    func add(at now: HTTPDate, _ condition: @escaping @Sendable (StoredRecord) -> Bool) {
        state.withLock { state in
            if state.rules.count >= Self.ruleLimit {
                state.horizon = max(state.horizon, state.rules.removeFirst().time)
            }
            state.rules.append(Rule(time: now, condition: condition))
        }
    }

    /// Whether a response may be older than a purge that covers it.
    func covers(_ response: StoredRecord) -> Bool {
        let (rules, horizon) = state.withLock { ($0.rules, $0.horizon) }
        let time = response.responseTime.seconds - Self.skewSeconds
        if time <= horizon.seconds { return true }
        return rules.contains { time <= $0.time.seconds && $0.condition(response) }
    }
}
