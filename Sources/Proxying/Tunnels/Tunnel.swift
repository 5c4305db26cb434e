import Eventing
import HTTPCore
import HTTPServer

/// Carries bytes between a client and a far end, unread, until both have sent their last (H-081).
///
/// When one side ends, the tunnel passes that on, and the other side may go on. Bytes that one side does not accept are
/// not read from the other. Bound to its loop; the two streams keep it alive.
final class Tunnel {
    private let client: ClientTunnel
    private let near: Eventing.Stream
    private let far: Eventing.Stream
    private let idleTimeout: Duration
    private let lifetime: Duration?
    private let registry: TunnelRegistry
    fileprivate let record: TunnelRecord
    private var ended = 0
    /// Ends the tunnel when its lifetime is over, however busy it is.
    private var end: LoopTimer?

    /// - Parameters:
    ///   - target: host and port of the far end.
    ///   - lifetime: nil: unlimited while it is used.
    ///   - registry: lists the tunnel while it is open.
    init(
        near: ClientTunnel,
        far: Eventing.Stream,
        target: [UInt8],
        route: TunnelRecord.Route,
        idleTimeout: Duration,
        lifetime: Duration?,
        registry: TunnelRegistry
    ) {
        self.registry = registry
        record = registry.add(near.peer, to: target, by: route, at: far.loop.now)
        client = near
        self.near = near.stream
        self.far = far
        self.idleTimeout = idleTimeout
        self.lifetime = lifetime
    }

    deinit {
        end?.cancel()
        registry.remove(record)
    }

    func start() {
        end = lifetime.map { near.loop.schedule(after: $0) { [weak self] in self?.close() } }
        let side = TunnelSide(self, other: far, isClient: true)
        near.delegate = side
        far.delegate = TunnelSide(self, other: near, isClient: false)
        noteActivity(0, up: true)
        near.redeliver()
        // Bytes behind a 101 are left unread until the call that delivered it is over.
        near.loop.atEndOfTurn { [far] in far.redeliver() }
        // An end of input that came before the tunnel was open is not reported again.
        if near.isAtEnd, near.unreadBytes == 0 { side.streamDidReachEnd(near) }
    }

    /// Notes that bytes have moved.
    fileprivate func noteActivity(_ bytes: Int, up isUp: Bool) {
        record.note(bytes, up: isUp, at: near.loop.now)
        near.setReadDeadline(after: idleTimeout)
    }

    /// One side has sent its last byte.
    fileprivate func didEnd(other: Eventing.Stream) {
        ended += 1
        record.noteEnd(other === far ? .clientEnded : .farEnded)
        other.closeWrite()
        if ended == 2 {
            near.closeAfterSending()
            far.closeAfterSending()
        }
    }

    fileprivate func close() {
        near.close()
        far.close()
    }

    /// One side broke: resets the other, since bytes are lost anyway.
    fileprivate func abort(_ other: Eventing.Stream) { other.abort() }
}

/// One side of a tunnel: passes its bytes to the other side.
private final class TunnelSide: StreamDelegate {
    private let tunnel: Tunnel
    private let other: Eventing.Stream
    private let isClient: Bool
    private var hasEnded = false

    init(_ tunnel: Tunnel, other: Eventing.Stream, isClient: Bool) {
        self.tunnel = tunnel
        self.other = other
        self.isClient = isClient
    }

    func stream(_ stream: Eventing.Stream, didRead bytes: Span<UInt8>) -> Int {
        tunnel.noteActivity(bytes.count, up: isClient)
        other.writeThrough(bytes)
        if other.isSaturated {
            stream.isReading = false
            other.requestDrainNotice()
        }
        if stream.isAtEnd { streamDidReachEnd(stream) }
        return bytes.count
    }

    func streamDidReachEnd(_ stream: Eventing.Stream) {
        guard !hasEnded else { return }
        hasEnded = true
        tunnel.didEnd(other: other)
    }

    /// The other side's bytes have been sent: reads from it again.
    func streamDidDrain(_ stream: Eventing.Stream) {
        tunnel.noteActivity(0, up: isClient)
        other.isReading = true
    }

    func streamDidReachDeadline(_ stream: Eventing.Stream) { tunnel.close() }

    func stream(_ stream: Eventing.Stream, didFail error: StreamError) { tunnel.abort(other) }
}
