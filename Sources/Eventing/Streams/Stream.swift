import Glibc
import Platform
import TransportSecurity

/// A connected socket, TCP or Unix.
///
/// Bound to its loop, which keeps it alive until it is closed. Bytes are read into one buffer of the loop and lent to the
/// delegate; what is written is gathered and sent at the end of the delegate's call or of the turn. So an idle stream
/// holds no buffer, and answering a request costs one read and one send.
public final class Stream: StreamState {
    /// Above this many unsent bytes whoever produces them should stop until `streamDidDrain`.
    public static let highWaterMark = 262_144
    /// More bytes than this left unread are an error.
    public static let leftoverLimit = 4 << 20

    /// Hears what happens; held until the stream closes.
    public var delegate: (any StreamDelegate)? {
        get { heldDelegate }
        set {
            guard phase == .open else { return }
            heldDelegate = newValue
            if newValue != nil && wantsReads { resumeReading() }
        }
    }

    /// Whether bytes are read.
    ///
    /// While false the peer is held back by TCP; setting it costs no system call by itself.
    public var isReading: Bool {
        get { wantsReads }
        set {
            let isResumed = newValue && !wantsReads
            wantsReads = newValue
            if isResumed { resumeReading() }
        }
    }

    /// Takes over a connected, non-blocking socket and watches it; bytes wait until there is a delegate.
    public init(adopting descriptor: Int32, loop: EventLoop) {
        super.init(loop: loop, descriptor: descriptor)
        register()
        watchReads(true)
    }

    /// False once the stream is closed or closing.
    public var isOpen: Bool { phase == .open && descriptor >= 0 }

    /// The peer has sent its last byte.
    public var isAtEnd: Bool { hasReachedEnd }
    /// Whether it is open and, as far as is known, both sides may go on sending.
    public var isWhole: Bool {
        guard isOpen, !hasReachedEnd, !isWriteShut else { return false }
        guard let security else { return true }
        return security.engine.ending == nil
    }

    public var peerAddress: SocketAddress? { SocketCalls.peerAddress(descriptor) }
    public var localAddress: SocketAddress? { SocketCalls.localAddress(descriptor) }

    // MARK: Events

    override func descriptorIsWritable() { flushAndSettle() }

    override func loopWillEnd() { finishClosing() }

    override func descriptorIsReadable() {
        switch phase {
        case .open:
            readAndDeliver()
            loop.didDeliver()
        case .securing: readHandshake()
        case .lingering: readAndForget()
        case .sending, .closed: watchReads(false)
        }
    }

    private func readAndDeliver() {
        guard wantsReads, let delegate = heldDelegate else {
            // Told once more than needed; from now on not until reading is resumed.
            watchReads(false)
            return
        }
        let held = leftover.count
        guard held <= (security.map(Self.secureRoom) ?? ReadBuffer.capacity - 16384) else {
            readBehindLeftover()
            return
        }
        let buffer = loop.readBuffer
        if held > 0 { buffer.place(leftover) }
        switch receive(into: buffer, at: held) {
        case .bytes(let count):
            let total = held + count
            isDelivering = true
            let consumed = buffer.withBytes(0..<total) { delegate.stream(self, didRead: $0) }
            isDelivering = false
            guard phase == .open || phase == .securing else { return deliveryDidEnd() }
            if consumed < total {
                leftover = buffer.copy(max(0, consumed)..<total)
            } else if held > 0 {
                leftover = []
            }
            deliveryDidEnd()
        case let outcome: handle(outcome)
        }
    }

    /// The rare case: what is unread nearly fills the loop's buffer already.
    private func readBehindLeftover() {
        let buffer = loop.readBuffer
        switch receive(into: buffer, at: 0) {
        case .bytes(let count):
            buffer.withBytes(0..<count) { leftover.append(lent: $0) }
            guard leftover.count <= Self.leftoverLimit else { return fail(.leftoverLimit) }
            deliverLeftover()
        case let outcome: handle(outcome)
        }
    }

    private func receive(into buffer: ReadBuffer, at offset: Int) -> ReceiveResult {
        guard let security else { return buffer.receive(from: descriptor, at: offset) }
        return receiveSecurely(security, into: buffer, at: offset)
    }

    /// A read that brought no bytes.
    private func handle(_ outcome: ReceiveResult) {
        switch outcome {
        case .bytes: break
        case .wouldBlock: if needsFlush { markDirty() }
        case .end: reachEnd()
        case .failed(let code): fail(StreamError(code))
        case .insecure(let error): failSecurely(error)
        }
    }

    /// Lends the bytes left unread once more.
    func deliverLeftover() {
        guard let delegate = heldDelegate, !leftover.isEmpty else { return }
        var bytes: [UInt8] = []
        swap(&bytes, &leftover)
        isDelivering = true
        let consumed = delegate.stream(self, didRead: bytes.span)
        isDelivering = false
        if (phase == .open || phase == .securing) && consumed < bytes.count {
            leftover = consumed <= 0 ? bytes : Array(bytes[consumed...])
        }
        deliveryDidEnd()
    }

    private func deliveryDidEnd() {
        guard descriptor >= 0 else { return }
        if needsFlush { flushAndSettle() }
        if security != nil { lookForEnd() }
    }

    func reachEnd() {
        hasReachedEnd = true
        watchReads(false)
        heldDelegate?.streamDidReachEnd(self)
    }

    /// Has the bytes left unread lent again at the end of the turn.
    public func redeliver() {
        guard phase == .open, !leftover.isEmpty else { return }
        wantsRedelivery = true
        markDirty()
    }

    /// How many bytes are left unread.
    public var leftoverBytes: Int { leftover.count }

    private func resumeReading() {
        updateReading()
        redeliver()
        if security != nil { markDirty() }
    }

    private func updateReading() {
        if phase == .open && !hasReachedEnd { watchReads(true) }
    }

    // MARK: End of the turn

    func markDirty() {
        guard !isDirty, descriptor >= 0 else { return }
        isDirty = true
        loop.finishTurn(for: self)
    }

    func finishTurn() {
        isDirty = false
        guard descriptor >= 0 else { return }
        if let error = pendingError { return writesDidFail(error) }
        if phase == .securing { return advanceHandshake() }
        if wantsRedelivery {
            wantsRedelivery = false
            if wantsReads { deliverLeftover() }
            guard descriptor >= 0 else { return }
        }
        if needsFlush { flushAndSettle() } else { settle() }
        if security != nil { lookForEnd() }
    }
}

extension StreamError {
    init(_ code: Int32) { self = code == ECONNRESET || code == EPIPE ? .reset : .system(SystemError(code)) }
}
