import HTTPCore
import Locking

/// What the shared server said of resources whose loads are in progress: only what was looked up may be stored there.
final class PendingFills: Sendable {
    struct Fill: Sendable {
        let load: SharedLoad
        /// The version of the resource when the load began; empty if it had none.
        let token: String
    }

    private static let limit = 8_192

    private struct State {
        var fills: [TargetURI: Fill] = [:]
        var order: [TargetURI] = []
    }

    private let state = Lock(State())

    func note(_ load: SharedLoad, token: String) {
        state.withLock { state in
            if state.fills.updateValue(Fill(load: load, token: token), forKey: load.uri) != nil { return }
            state.order.append(load.uri)
            guard state.order.count > Self.limit else { return }
            // Loads whose responses were not stored; one of them may still be in progress, and is then not shared.
            for uri in state.order.prefix(Self.limit / 2) { state.fills[uri] = nil }
            state.order.removeFirst(Self.limit / 2)
        }
    }

    /// What is known of the load that brought a response of this URI, once.
    func take(_ uri: TargetURI) -> Fill? {
        state.withLock { state in
            guard let fill = state.fills.removeValue(forKey: uri) else { return nil }
            if let index = state.order.firstIndex(of: uri) { state.order.remove(at: index) }
            return fill
        }
    }
}
