import Glibc

/// A connected socket, TCP or Unix.
///
/// Bound to its loop, which keeps it alive until it is closed. Octets are read into one buffer of the loop and lent to the
/// delegate; what is written is gathered and sent at the end of the delegate's call or of the turn. So an idle stream
/// holds no buffer, and answering a request costs one read and one send.
public final class Stream: IOSource {
    /// Above this many unsent octets whoever produces them should stop until `streamDidDrain`.
    public static let highWaterMark = 262_144
    /// More octets than this left unread are an error.
    public static let leftoverLimit = 4 << 20

    enum Phase: UInt8 {
        case open
        /// Closes when everything is sent; the delegate is gone.
        case sending
        /// Reads and forgets for a while, so that the peer can read the last answer; the delegate is gone.
        case lingering
        case closed
    }

    /// Hears what happens; held until the stream closes.
    public var delegate: (any StreamDelegate)? {
        didSet { if delegate != nil && isReading { updateReading() } }
    }

    /// Whether octets are read.
    ///
    /// While false the peer is held back by TCP; setting it costs no system call by itself.
    public var isReading = true {
        didSet { if isReading && !oldValue { resumeReading() } }
    }

    /// `streamDidDrain` comes when no more than this many octets are unsent.
    public var lowWaterMark = 65536

    /// When the peer takes no more octets, what it sent before is still read, to its end, instead of failing at once: the
    /// answer of a server that did not want the whole request.
    public var readsOnWhenWritesFail = false

    /// Octets the peer's side has taken so far.
    public internal(set) var sentBytes: Int64 = 0

    var phase = Phase.open
    var output: OutputBuffer?
    /// Octets the delegate has not consumed yet.
    var leftover: [UInt8] = []

    /// Something was written since the last flush.
    var needsFlush = false
    var wantsDrainNotice = false
    var shutsDownWhenSent = false
    var isWriteShut = false
    var hasReachedEnd = false
    /// The delegate is being lent octets; a flush follows anyway.
    var isDelivering = false
    var wantsRedelivery = false
    /// On the loop's list for the end of the turn.
    var isDirty = false
    /// Found while the delegate was calling; told at the end of the turn.
    var pendingError: StreamError?

    // Deadlines, in nanoseconds of the loop's clock; `.max`: none.
    var readDeadline = Int64.max
    var sendDeadline = Int64.max
    var sendTimeout = Int64.max
    var wheelNode: Int32 = -1
    var lingerBudget = 0

    /// Takes over a connected, non-blocking socket and watches it; octets wait until there is a delegate.
    public init(adopting descriptor: Int32, loop: EventLoop) {
        super.init(loop: loop, descriptor: descriptor)
        register()
        watchReads(true)
    }

    /// False once the stream is closed or closing.
    public var isOpen: Bool { phase == .open && descriptor >= 0 }

    /// The peer has sent its last octet.
    public var isAtEnd: Bool { hasReachedEnd }

    public var peerAddress: SocketAddress? { SocketCalls.peerAddress(descriptor) }
    public var localAddress: SocketAddress? { SocketCalls.localAddress(descriptor) }

    // MARK: Events

    override func descriptorIsWritable() { flushAndSettle() }

    override func loopWillEnd() { finishClosing() }

    override func descriptorIsReadable() {
        switch phase {
        case .open: readAndDeliver()
        case .lingering: readAndForget()
        case .sending, .closed: watchReads(false)
        }
    }

    private func readAndDeliver() {
        guard isReading, let delegate else {
            // Told once more than needed; from now on not until reading is resumed.
            watchReads(false)
            return
        }
        let held = leftover.count
        guard held <= ReadBuffer.capacity - 16384 else {
            readBehindLeftover()
            return
        }
        let buffer = loop.readBuffer
        if held > 0 { buffer.place(leftover) }
        switch buffer.receive(from: descriptor, at: held) {
        case .octets(let count):
            let total = held + count
            isDelivering = true
            let consumed = buffer.withBytes(0..<total) { delegate.stream(self, didRead: $0) }
            isDelivering = false
            guard phase == .open else { return deliveryDidEnd() }
            if consumed < total {
                leftover = buffer.copy(max(0, consumed)..<total)
            } else if held > 0 {
                leftover = []
            }
            deliveryDidEnd()
        case .end: reachEnd()
        case .wouldBlock: break
        case .failed(let code): fail(StreamError(code))
        }
    }

    /// The rare case: what is unread nearly fills the loop's buffer already.
    private func readBehindLeftover() {
        let buffer = loop.readBuffer
        switch buffer.receive(from: descriptor, at: 0) {
        case .octets(let count):
            buffer.withBytes(0..<count) { leftover.append(lent: $0) }
            guard leftover.count <= Self.leftoverLimit else { return fail(.leftoverLimit) }
            deliverLeftover()
        case .end: reachEnd()
        case .wouldBlock: break
        case .failed(let code): fail(StreamError(code))
        }
    }

    /// Lends the octets left unread once more.
    func deliverLeftover() {
        guard let delegate, !leftover.isEmpty else { return }
        var octets: [UInt8] = []
        swap(&octets, &leftover)
        isDelivering = true
        let consumed = delegate.stream(self, didRead: octets.span)
        isDelivering = false
        if phase == .open && consumed < octets.count {
            leftover = consumed <= 0 ? octets : Array(octets[consumed...])
        }
        deliveryDidEnd()
    }

    private func deliveryDidEnd() {
        guard descriptor >= 0 else { return }
        if needsFlush { flushAndSettle() }
    }

    private func reachEnd() {
        hasReachedEnd = true
        watchReads(false)
        delegate?.streamDidReachEnd(self)
    }

    /// Has the octets left unread lent again at the end of the turn.
    public func redeliver() {
        guard phase == .open, !leftover.isEmpty else { return }
        wantsRedelivery = true
        markDirty()
    }

    /// How many octets are left unread.
    public var leftoverBytes: Int { leftover.count }

    private func resumeReading() {
        updateReading()
        redeliver()
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
        if wantsRedelivery {
            wantsRedelivery = false
            if isReading { deliverLeftover() }
            guard descriptor >= 0 else { return }
        }
        if needsFlush { flushAndSettle() } else { settle() }
    }
}

extension StreamError {
    init(_ code: Int32) { self = code == ECONNRESET || code == EPIPE ? .reset : .system(SystemError(code)) }
}
