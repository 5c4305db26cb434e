public import Eventing
public import HTTPCore
import Synchronization

/// One open tunnel.
///
/// Its loop writes; any thread may read.
public final class TunnelRecord: Sendable {
    /// How a client opened it.
    public enum Route: String, Sendable { case connect, socks, websocket }

    /// Which side has sent its last byte.
    public enum State: UInt8, Sendable {
        case open, clientEnded, farEnded

        /// Its name in listings.
        public var name: String {
            switch self {
            case .open: "open"
            case .clientEnded: "client-ended"
            case .farEnded: "far-ended"
            }
        }
    }

    /// The number of the tunnel in this process, from 1 in the order of opening.
    public let id: Int
    public let client: SocketAddress
    /// Host and port of the far end.
    public let target: [UInt8]
    public let route: Route
    public let began: MonotonicTime
    private let up = Atomic<Int>(0)
    private let down = Atomic<Int>(0)
    private let active: Atomic<Int64>
    private let ending = Atomic<UInt8>(0)

    init(id: Int, client: SocketAddress, target: [UInt8], route: Route, began: MonotonicTime) {
        self.id = id
        self.client = client
        self.target = target
        self.route = route
        self.began = began
        active = Atomic(began.nanoseconds)
    }

    /// Bytes from the client to the far end.
    public var bytesUp: Int { up.load(ordering: .relaxed) }
    public var bytesDown: Int { down.load(ordering: .relaxed) }
    /// When bytes last moved, in either direction.
    public var lastActivity: MonotonicTime { MonotonicTime(nanoseconds: active.load(ordering: .relaxed)) }
    public var state: State { State(rawValue: ending.load(ordering: .relaxed)) ?? .open }

    // Only the tunnel's loop writes: a load and a store each.

    func note(_ bytes: Int, up isUp: Bool, at now: MonotonicTime) {
        if isUp {
            up.store(up.load(ordering: .relaxed) &+ bytes, ordering: .relaxed)
        } else {
            down.store(down.load(ordering: .relaxed) &+ bytes, ordering: .relaxed)
        }
        active.store(now.nanoseconds, ordering: .relaxed)
    }

    func noteEnd(_ state: State) { ending.store(state.rawValue, ordering: .relaxed) }
}
