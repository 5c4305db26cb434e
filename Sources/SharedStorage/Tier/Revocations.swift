import HTTPCaching
import HTTPCore
import Locking
import Stores

/// Purges whose responses the shared server may still have: no look-up of this node returns these.
///
/// A purge covers the records of loads that began on a node which did not know of it yet. A purge of one URI also
/// changes the version on the server, but a failover may lose that. Safe from any thread.
final class Revocations: Sendable {
    fileprivate struct Rule: Sendable {
        /// Its place in the stream; nil: it is not known yet, and the rule holds for all records.
        var id: PurgeID?
        /// This node's number of it; nil: another node announced it.
        let number: UInt64?
        let condition: @Sendable (StoredRecord) -> Bool
    }

    /// The most rules that are in the stream; beyond it `horizon` takes the place of the oldest one.
    fileprivate static let ruleLimit = 1_024
    /// The most purges of this node that are not in the stream yet.
    fileprivate static let waitingLimit = 4_096
    /// The most purges of single URIs to remember; more than the stream keeps.
    fileprivate static let resourceLimit = 16_384

    fileprivate struct State {
        var rules: [Rule] = []
        /// The latest purges of single URIs.
        var resources: [TargetURI: PurgeID] = [:]
        var order: [(uri: TargetURI, id: PurgeID)] = []
        /// URIs whose purge by this node is not in the stream yet, by the number of the purge.
        var waiting: [UInt64: TargetURI] = [:]
        /// The number of the latest such purge of each URI.
        var latest: [TargetURI: UInt64] = [:]
        /// The place of the latest purge by another node.
        var newest = PurgeID.none
        /// The purge of everything that replaced too many waiting ones; until it is in the stream, no record is used.
        var purgeAll: UInt64?
        /// Records of loads that began before this are not used.
        var horizon = PurgeID.none
    }

    private let state = Lock(State())

    /// A purge by this node, which is not in the stream yet.
    ///
    /// - Parameter number: this node's number of it.
    /// - Returns: false if too many wait: a purge of everything takes their place.
    func begin(_ change: SharedChange, number: UInt64) -> Bool {
        state.withLock { state in
            guard state.waitingCount < Self.waitingLimit else {
                state.replaceWaiting(by: number)
                return false
            }
            state.begin(change, number)
            return true
        }
    }

    /// A purge that this node announced is in the stream.
    func confirm(_ number: UInt64, _ id: PurgeID) { state.withLock { $0.confirm(number, id) } }

    /// A purge by another node; one that is read again counts once.
    func add(_ change: SharedChange, id: PurgeID) {
        state.withLock { state in
            // A server that lost entries may give new ones an earlier place; `horizon` covers those.
            guard state.newest < id else { return }
            state.newest = id
            if let uri = change.uri { return state.note(uri, id) }
            state.add(Rule(id: id, number: nil, condition: change.condition))
        }
    }

    /// Whether a purge of this URI is under way: this node has not yet seen it in the stream, or not yet made it.
    ///
    /// - Parameter made: the latest purge that this node has made.
    func isUnderWay(_ uri: TargetURI, made: PurgeID) -> Bool {
        state.withLock { state in
            state.purgeAll != nil || state.latest[uri] != nil || made < state.resources[uri] ?? .none
        }
    }

    /// Records of loads that began before this are not used.
    var horizon: PurgeID { state.withLock { $0.horizon } }

    /// Notes that purges before this entry may be unknown: records of loads that began before it are not used.
    func forget(before id: PurgeID) { state.withLock { $0.horizon = max($0.horizon, id) } }

    /// Whether a response may be older than a purge that covers it.
    ///
    /// - Parameter seen: the latest purge that the node which stored it knew when its load began.
    func covers(_ response: StoredRecord, seen: PurgeID) -> Bool {
        let (rules, isOlder) = state.withLock { state in
            let isWaiting = state.purgeAll != nil || state.latest[response.uri] != nil
            return (state.rules, isWaiting || seen < max(state.horizon, state.resources[response.uri] ?? .none))
        }
        return isOlder || rules.contains { ($0.id.map { seen < $0 } ?? true) && $0.condition(response) }
    }
}

extension Revocations.State {
    fileprivate var waitingCount: Int { waiting.count + rules.count { $0.id == nil } }

    fileprivate mutating func begin(_ change: SharedChange, _ number: UInt64) {
        if let uri = change.uri {
            waiting[number] = uri
            latest[uri] = number
        } else {
            add(Revocations.Rule(id: nil, number: number, condition: change.condition))
        }
    }

    fileprivate mutating func replaceWaiting(by number: UInt64) {
        (waiting, latest) = ([:], [:])
        rules.removeAll { $0.id == nil }
        purgeAll = number
    }

    fileprivate mutating func confirm(_ number: UInt64, _ id: PurgeID) {
        if number == purgeAll {
            purgeAll = nil
            horizon = max(horizon, id)
        } else if let uri = waiting.removeValue(forKey: number) {
            if latest[uri] == number { latest[uri] = nil }
            note(uri, id)
        } else if let index = rules.firstIndex(where: { $0.number == number }) {
            rules[index].id = id
        }
    }

    fileprivate mutating func add(_ rule: Revocations.Rule) {
        rules.append(rule)
        guard rules.count(where: { $0.id != nil }) > Revocations.ruleLimit,
            let oldest = rules.firstIndex(where: { $0.id != nil })
        else { return }
        horizon = max(horizon, rules.remove(at: oldest).id ?? .none)
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
    /// Which responses it is about.
    fileprivate var condition: @Sendable (StoredRecord) -> Bool {
        switch self {
        case .purge(let uri), .invalidate(let uri): { $0.uri == uri }
        case .purgeTags(let tags):
            { [tags = Set(tags)] in !tags.isDisjoint(with: CacheTags.tags(of: $0.fields, from: $0.uri)) }
        case .purgeMatching(_, let condition): { condition($0.uri) }
        }
    }
}
