import Eventing
import HTTPCore
import HTTPServer

/// Carries octets between a client and a far end, unread, until both have said all they want (H-081).
///
/// Bound to its loop; the two streams keep it alive. A side that ends passes its end on, and the other may go on. What one
/// side does not take is not read from the other.
final class Tunnel {
    private let client: ClientTunnel
    private let near: Eventing.Stream
    private let far: Eventing.Stream
    private let idleTimeout: Duration
    private let lifetime: Duration?
    private var ended = 0
    /// Ends the tunnel however busy it is.
    private var end: LoopTimer?

    /// - Parameter lifetime: nil: as long as it is used.
    init(near: ClientTunnel, far: Eventing.Stream, idleTimeout: Duration, lifetime: Duration?) {
        client = near
        self.near = near.stream
        self.far = far
        self.idleTimeout = idleTimeout
        self.lifetime = lifetime
    }

    deinit { end?.cancel() }

    func start() {
        end = lifetime.map { near.loop.schedule(after: $0) { [weak self] in self?.close() } }
        let side = TunnelSide(self, other: far)
        near.delegate = side
        far.delegate = TunnelSide(self, other: near)
        noteActivity()
        near.redeliver()
        // Octets behind a 101 are left unread only when the call that brought it is over.
        near.loop.atEndOfTurn { [far] in far.redeliver() }
        // An end that was seen before the tunnel stood is not told again.
        if near.isAtEnd, near.leftoverBytes == 0 { side.streamDidReachEnd(near) }
    }

    /// Octets have moved, in whichever direction.
    fileprivate func noteActivity() { near.setReadDeadline(after: idleTimeout) }

    /// One side has sent its last octet.
    fileprivate func didEnd(other: Eventing.Stream) {
        ended += 1
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

    /// One side broke: the other is told by a reset, after what it was sent is lost anyway.
    fileprivate func abort(_ other: Eventing.Stream) { other.abort() }
}

/// What one end of a tunnel brings goes to the other.
private final class TunnelSide: StreamDelegate {
    private let tunnel: Tunnel
    private let other: Eventing.Stream
    private var hasEnded = false

    init(_ tunnel: Tunnel, other: Eventing.Stream) {
        self.tunnel = tunnel
        self.other = other
    }

    func stream(_ stream: Eventing.Stream, didRead bytes: Span<UInt8>) -> Int {
        tunnel.noteActivity()
        other.write(copying: bytes)
        other.flush()
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

    /// What the other side sent has gone out: read on there.
    func streamDidDrain(_ stream: Eventing.Stream) {
        tunnel.noteActivity()
        other.isReading = true
    }

    func streamDidReachDeadline(_ stream: Eventing.Stream) { tunnel.close() }

    func stream(_ stream: Eventing.Stream, didFail error: StreamError) { tunnel.abort(other) }
}
