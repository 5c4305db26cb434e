import Eventing
import Exchanges
import HTTPCore

/// One connection to an origin, with at most one exchange.
///
/// Bound to its loop; holds a place of the `OriginLimiter` until it is closed.
final class OriginConnection {
    let origin: PoolKey
    let stream: Stream
    /// That of the pool when the connect began.
    let generation: Int
    /// Whether an earlier exchange ended on it.
    private(set) var isReused = false
    private(set) var exchange: OriginExchange?
    private let reference: PoolReference
    private let limiter: OriginLimiter
    /// Of the limiter's, at its origin.
    let places: OriginLimiter.Places
    private var holdsPlace = true

    init(_ stream: Stream, origin: PoolKey, generation: Int, pool: OriginPool) {
        self.stream = stream
        self.generation = generation
        self.origin = origin
        reference = pool.reference
        limiter = pool.limiter
        places = pool.limiter.places(of: origin)
        stream.readsOnWhenWritesFail = true
        stream.lowWaterMark = min(stream.lowWaterMark, pool.limits.unsentContent / 2)
        stream.setSendTimeout(pool.limits.idleTimeout)
        stream.delegate = self
    }

    private var pool: OriginPool? { reference.pool }

    /// Begins an exchange.
    func begin(_ exchange: OriginExchange) {
        self.exchange = exchange
        stream.clearReadDeadline()
        stream.isReading = true
    }

    /// The exchange has ended; the connection is closed next, or idle.
    func endExchange() {
        exchange = nil
        isReused = true
    }

    /// Nothing may come now; the end of `time` closes it.
    func becomeIdle(for time: Duration) {
        stream.isReading = true
        stream.setReadDeadline(after: time)
    }

    /// Whether a request may be written to it: it is still open, and nothing has come that nobody asked for (H-054).
    ///
    /// To be asked right before that; one system call.
    func isQuiet() -> Bool {
        guard stream.isWhole else { return false }
        switch stream.readIdleInput() {
        case .none: return true
        case .ended: return false
        case .bytes(let beginning):
            noteSurplus(beginning.span)
            return false
        }
    }

    /// Bytes came behind a response, or while nothing was asked for (H-104): the origin's connections are not used again.
    func noteSurplus(_ bytes: Span<UInt8>) {
        if !Self.isGoodbye(bytes) { pool?.banReuse(of: origin) }
    }

    /// Whether the bytes are a 408, by which some servers end an idle connection (RFC 9110 §15.5.9).
    private static func isGoodbye(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= 12 else { return false }
        let start = bytes.extracting(0..<12)
        return Token.matches(start, "http/1.1 408") || Token.matches(start, "http/1.0 408")
    }

    /// Closes at once.
    ///
    /// Request content that is cut short so shows by its framing: fewer bytes than announced, or no last chunk (H-049).
    /// - Parameter keepsPlace: the place is somebody else's already.
    func close(keepsPlace: Bool = false) {
        if keepsPlace { holdsPlace = false }
        exchange = nil
        stream.close()
        didClose()
    }

    /// Takes the connection out of HTTP: it is nobody's place at the origin any more, and its limits go.
    func detach() -> Stream {
        exchange = nil
        stream.readsOnWhenWritesFail = false
        stream.setSendTimeout(nil)
        stream.clearReadDeadline()
        stream.isReading = true
        stream.delegate = nil
        didClose()
        return stream
    }

    private func didClose() {
        pool?.connectionDidClose(to: origin)
        guard holdsPlace else { return }
        holdsPlace = false
        limiter.release(origin)
    }

    /// Closes a connection that is idle.
    private func closeIdle() {
        pool?.forgetIdle(self)
        close()
    }
}

/// A connection that has left HTTP, for whoever knows streams.
final class SwitchedStream: SwitchedConnection, StreamHolder {
    let stream: Stream

    init(_ stream: Stream) { self.stream = stream }

    func close() { stream.close() }
}

extension OriginConnection: StreamDelegate {
    func stream(_ stream: Stream, didRead bytes: Span<UInt8>) -> Int {
        if let exchange { return exchange.receive(bytes) }
        noteSurplus(bytes)
        closeIdle()
        return bytes.count
    }

    func streamDidReachEnd(_ stream: Stream) {
        if let exchange { exchange.inputDidEnd() } else { closeIdle() }
    }

    func streamDidDrain(_ stream: Stream) { exchange?.didDrain() }

    func streamDidReachDeadline(_ stream: Stream) {
        if let exchange { exchange.deadlineDidPass() } else { closeIdle() }
    }

    func stream(_ stream: Stream, didFail error: StreamError) {
        let exchange = exchange
        if exchange == nil { pool?.forgetIdle(self) }
        self.exchange = nil
        didClose()
        exchange?.connectionDidFail(error)
    }
}
