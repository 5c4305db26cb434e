import HTTPCore
import Locking
import Observability

/// The spans of the latest loads, for requests that join them.
final class LoadSpans: Sendable {
    /// How many loads are known; of older ones, requests have no link.
    private static let capacity = 1024

    private struct Load {
        /// The load's number within its resource; nil: not known.
        var number: UInt64?
        var context: TraceContext
    }

    private struct State {
        var loads: [TargetURI: [Load]] = [:]
        /// In the order in which they began, as a ring.
        var order: [TargetURI] = []
        var next = 0

        mutating func forgetOldest(of uri: TargetURI) {
            loads[uri]?.removeFirst()
            if loads[uri]?.isEmpty == true { loads[uri] = nil }
        }
    }

    private let state = Lock(State())

    func add(_ uri: TargetURI, number: UInt64?, _ context: TraceContext) {
        state.withLock { state in
            state.loads[uri, default: []].append(Load(number: number, context: context))
            guard state.order.count == Self.capacity else { return state.order.append(uri) }
            state.forgetOldest(of: state.order[state.next])
            state.order[state.next] = uri
            state.next = (state.next + 1) % Self.capacity
        }
    }

    /// The span of a load; without a number, of the latest one for the URI.
    func context(of uri: TargetURI, number: UInt64?) -> TraceContext? {
        state.withLock { state in
            state.loads[uri]?.last { number == nil || $0.number == number }?.context
        }
    }
}
