import HTTPCore
import Locking
import Stores

/// Loads in progress that have a claim: only their responses may be stored on the shared server.
final class PendingFills: Sendable {
    struct Fill: Sendable {
        let load: SharedLoad
        let claim: Claim
        /// The latest purge that this node knew when the load began.
        let seen: PurgeID
    }

    private static let limit = 8_192

    fileprivate struct State {
        var fills: [TargetURI: [Fill]] = [:]
        var order: [TargetURI] = []
    }

    private let state = Lock(State())

    func note(_ load: SharedLoad, _ claim: Claim, seen: PurgeID) {
        state.withLock { state in
            state.fills[load.uri, default: []].append(Fill(load: load, claim: claim, seen: seen))
            state.order.append(load.uri)
            guard state.order.count > Self.limit else { return }
            // The oldest half: most of them ended without a response to store. One still in progress is not shared.
            for uri in state.order.prefix(Self.limit / 2) { state.fills[uri] = nil }
            state.order.removeFirst(Self.limit / 2)
        }
    }

    /// The load that brought a response, once; the oldest, if several may have.
    func take(_ response: StoredRecord) -> Fill? {
        state.withLock { $0.take(response.uri) { $0.load.isAnswered(by: response) } }
    }

    /// Forgets a load; returns whether its response has not been taken to be stored.
    func drop(_ claim: Claim, of uri: TargetURI) -> Bool {
        state.withLock { $0.take(uri) { $0.claim == claim } } != nil
    }

    /// Forgets all loads of a resource.
    func drop(_ uri: TargetURI) {
        state.withLock { state in
            guard state.fills.removeValue(forKey: uri) != nil else { return }
            state.order.removeAll { $0 == uri }
        }
    }
}

extension PendingFills.State {
    fileprivate mutating func take(_ uri: TargetURI, _ condition: (PendingFills.Fill) -> Bool) -> PendingFills.Fill? {
        guard let index = fills[uri]?.firstIndex(where: condition), let fill = fills[uri]?.remove(at: index) else {
            return nil
        }
        if fills[uri]?.isEmpty == true { fills[uri] = nil }
        if let index = order.firstIndex(of: uri) { order.remove(at: index) }
        return fill
    }
}
