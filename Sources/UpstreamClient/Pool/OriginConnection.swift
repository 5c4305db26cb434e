import Eventing
import Exchanges
import HTTPCore

/// One connection to an origin, with at most one exchange at a time.
///
/// Bound to its loop; occupies a slot of the `OriginLimiter` until it is closed.
final class OriginConnection {
    let key: PoolKey
    let stream: Stream
    /// The pool's generation when the connect began.
    let generation: Int
    /// Whether an earlier exchange used it.
    private(set) var isReused = false
    private(set) var user: (any ConnectionUser)?
    private let reference: PoolReference
    private let limiter: OriginLimiter
    /// The limiter's slots for this origin.
    let slots: OriginLimiter.Slots
    private var occupiesSlot = true

    init(_ stream: Stream, key: PoolKey, generation: Int, pool: OriginPool) {
        self.stream = stream
        self.generation = generation
        self.key = key
        reference = pool.reference
        limiter = pool.limiter
        slots = pool.limiter.slots(of: key)
        if let security = stream.securityFacts { limiter.note(security, of: slots) }
        stream.readsOnWhenWritesFail = true
        stream.lowWaterMark = min(stream.lowWaterMark, pool.limits.unsentContent / 2)
        stream.setSendTimeout(pool.limits.idleTimeout)
        stream.delegate = self
    }

    private var pool: OriginPool? { reference.pool }

    /// Begins an exchange.
    func begin(_ user: any ConnectionUser) {
        self.user = user
        stream.clearReadDeadline()
        stream.isReading = true
    }

    /// The exchange has ended; next the connection is closed or becomes idle.
    func endExchange() {
        user = nil
        isReused = true
    }

    /// Becomes idle: no byte may be received, and the connection closes when `time` has passed.
    func becomeIdle(for time: Duration) {
        stream.isReading = true
        stream.setReadDeadline(after: time)
    }

    /// Whether a request may be written to it: it is still open, and no unexpected bytes were received (H-054).
    ///
    /// Call it immediately before the request; it costs one system call.
    func isQuiet() -> Bool {
        guard stream.isBidirectional else { return false }
        switch stream.readIdleInput() {
        case .none: return true
        case .ended: return false
        case .bytes(let beginning):
            noteSurplus(beginning.span)
            return false
        }
    }

    /// Bytes were received behind a response, or without a request (H-104): the origin's connections are not reused for
    /// a while.
    func noteSurplus(_ bytes: Span<UInt8>) {
        if !Self.isTimeoutResponse(bytes) { pool?.banReuse(of: key) }
    }

    /// Whether the bytes are a 408, by which some servers end an idle connection (RFC 9110 §15.5.9).
    private static func isTimeoutResponse(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= 12 else { return false }
        let start = bytes.extracting(0..<12)
        return Token.matches(start, "http/1.1 408") || Token.matches(start, "http/1.0 408")
    }

    /// Closes at once.
    ///
    /// If request content is cut off, its framing shows that: fewer bytes than announced, or no last chunk (H-049).
    ///
    /// - Parameter keepsSlot: whether the slot has another owner already.
    func close(keepsSlot: Bool = false) {
        if keepsSlot { occupiesSlot = false }
        user = nil
        stream.close()
        didClose()
    }

    /// Takes the connection out of HTTP: it no longer occupies a slot, and its limits end.
    func detach() -> Stream {
        user = nil
        stream.readsOnWhenWritesFail = false
        stream.setSendTimeout(nil)
        stream.clearReadDeadline()
        stream.isReading = true
        stream.delegate = nil
        didClose()
        return stream
    }

    private func didClose() {
        pool?.connectionDidClose(to: key)
        guard occupiesSlot else { return }
        occupiesSlot = false
        limiter.release(key)
    }

    /// Closes an idle connection.
    private func closeIdle() {
        pool?.forgetIdle(self)
        close()
    }
}

/// A connection that has left HTTP, for code that knows streams.
final class SwitchedStream: SwitchedConnection, StreamHolder {
    let stream: Stream

    init(_ stream: Stream) { self.stream = stream }

    func close() { stream.close() }
}

extension OriginConnection: StreamDelegate {
    func stream(_ stream: Stream, didRead bytes: Span<UInt8>) -> Int {
        if let user { return user.receive(bytes) }
        noteSurplus(bytes)
        closeIdle()
        return bytes.count
    }

    func streamDidReachEnd(_ stream: Stream) {
        if let user { user.inputDidEnd() } else { closeIdle() }
    }

    func streamDidDrain(_ stream: Stream) { user?.didDrain() }

    func streamDidReachDeadline(_ stream: Stream) {
        if let user { user.deadlineDidPass() } else { closeIdle() }
    }

    func stream(_ stream: Stream, didFail error: StreamError) {
        let user = user
        if user == nil { pool?.forgetIdle(self) }
        self.user = nil
        didClose()
        user?.connectionDidFail(error)
    }
}
