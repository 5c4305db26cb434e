import HTTPCaching
import HTTPCore
import Locking
import Stores

/// What was purged and the shared server may still have: no look-up of this node returns it.
///
/// A purge holds for records of loads that began on a node which did not know of it yet. Records of one URI have a version,
/// too; but a server that fails over may lose its latest one. Safe from any thread.
final class Revocations: Sendable {
    fileprivate struct Rule: Sendable {
        /// Its place in the stream; nil: it is not known yet, and the rule holds for all records.
        var id: PurgeID?
        /// This node's number of it; nil: another node announced it.
        let number: UInt64?
        let condition: @Sendable (StoredRecord) -> Bool
    }

    private static let ruleLimit = 1_024
    private static let pendingLimit = 8_192
    /// More than the stream keeps.
    fileprivate static let resourceLimit = 16_384

    fileprivate struct State {
        var rules: [Rule] = []
        /// The latest purges of single URIs, and those of this node that are not in the stream yet.
        var resources: [TargetURI: PurgeID] = [:]
        var order: [(uri: TargetURI, id: PurgeID)] = []
        var unconfirmed: [UInt64: TargetURI] = [:]
        /// Records of loads that began before this are not used.
        var horizon = PurgeID.none
        /// Whether nothing is used, since too many purges are not confirmed.
        var isBlocked = false
        /// Resources whose purge the server has not confirmed.
        var pending: [TargetURI: Int] = [:]
    }

    private let state = Lock(State())

    // MARK: One resource

    /// A purge of one resource goes to the server.
    func begin(_ uri: TargetURI) {
        state.withLock { state in
            if state.pending.count >= Self.pendingLimit, state.pending[uri] == nil {
                // Too many to remember one by one.
                return state.isBlocked = true
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

    func isPending(_ uri: TargetURI) -> Bool { state.withLock { $0.isBlocked || $0.pending[uri] != nil } }

    // MARK: Rules

    /// A purge by this node or another one.
    ///
    /// - Parameters:
    ///   - id: its place in the stream; nil: it is not there yet.
    ///   - number: this node's number of it; nil: another node announced it.
    func add(_ change: SharedChange, id: PurgeID?, number: UInt64? = nil) {
        guard let condition = change.condition else {
            if let uri = change.uri { state.withLock { $0.add(uri, id, number) } }
            return
        }
        state.withLock { state in
            if state.rules.count >= Self.ruleLimit {
                let oldest = state.rules.removeFirst()
                if let id = oldest.id { state.horizon = max(state.horizon, id) } else { state.isBlocked = true }
            }
            state.rules.append(Rule(id: id, number: number, condition: condition))
        }
    }

    /// A purge that this node announced is in the stream.
    func confirm(_ number: UInt64, _ id: PurgeID) {
        state.withLock { state in
            if let uri = state.unconfirmed.removeValue(forKey: number) { return state.note(uri, id) }
            guard let index = state.rules.firstIndex(where: { $0.number == number }) else { return }
            state.rules[index].id = id
        }
    }

    /// Nobody knows what was purged before this entry.
    func forget(before id: PurgeID) { state.withLock { $0.horizon = max($0.horizon, id) } }

    /// Whether a response may be older than a purge that covers it.
    ///
    /// - Parameter seen: the latest purge that the node which stored it knew when its load began.
    func covers(_ response: StoredRecord, seen: PurgeID) -> Bool {
        let (rules, isOlder) = state.withLock { state in
            let isUnconfirmed = !state.unconfirmed.isEmpty && state.unconfirmed.values.contains(response.uri)
            let latest = state.resources[response.uri] ?? .none
            return (state.rules, isUnconfirmed || seen < max(state.horizon, latest))
        }
        if isOlder { return true }
        return rules.contains { ($0.id.map { seen < $0 } ?? true) && $0.condition(response) }
    }
}

extension Revocations.State {
    fileprivate mutating func add(_ uri: TargetURI, _ id: PurgeID?, _ number: UInt64?) {
        if let id { note(uri, id) } else if let number { unconfirmed[number] = uri }
    }

    fileprivate mutating func note(_ uri: TargetURI, _ id: PurgeID) {
        resources[uri] = max(id, resources[uri] ?? .none)
        order.append((uri, id))
        guard order.count > Revocations.resourceLimit else { return }
        for (uri, id) in order.prefix(Revocations.resourceLimit / 2) {
            horizon = max(horizon, id)
            if resources[uri] == id { resources[uri] = nil }
        }
        order.removeFirst(Revocations.resourceLimit / 2)
    }
}

extension SharedChange {
    /// Which responses it is about; nil: those of one URI.
    fileprivate var condition: (@Sendable (StoredRecord) -> Bool)? {
        switch self {
        case .purge, .invalidate: nil
        case .purgeTags(let tags):
            { [tags = Set(tags)] in !tags.isDisjoint(with: CacheTags.tags(of: $0.fields, from: $0.uri)) }
        case .purgeMatching(_, let condition): { condition($0.uri) }
        }
    }
}
