import LibC
import Platform
import TransportSecurity

/// A connected socket, TCP or Unix, with or without TLS.
///
/// Bound to its loop, which keeps it alive until it is closed. All streams of a loop read into one buffer, and lend the
/// bytes to their delegates. Written bytes are gathered, and sent when the delegate's call or the loop's turn ends. So
/// an idle stream has no buffer, and a response costs one read and one send.
public final class Stream: IOSource {
    enum Phase: UInt8 {
        case open
        /// The TLS handshake is in progress; no other code reads or writes.
        case securing
        /// Closes when all bytes are sent; the delegate is gone.
        case sending
        /// Reads and drops bytes for a while, so that the peer can read our last response; the delegate is gone.
        case lingering
        case closed
    }

    /// With more unsent bytes than this, the producer should pause until `streamDidDrain`.
    public static let highWaterMark = 262_144
    /// More unread bytes than this are an error.
    public static let unreadLimit = 4 << 20

    var phase = Phase.open
    var input = StreamInput()
    var output = StreamOutput()
    var deadlines = StreamDeadlines()
    /// TLS between this stream and its socket; nil without TLS.
    var channel: SecureChannel?
    /// The delegate until the stream closes.
    var receiver: (any StreamDelegate)?
    /// Whether the stream is on the loop's list for the end of the turn.
    var isDirty = false
    /// How many bytes a lingering close still reads.
    var lingerBudget = 0

    /// Receives the events of the stream; retained until the stream closes.
    public var delegate: (any StreamDelegate)? {
        get { receiver }
        set {
            guard phase == .open else { return }
            receiver = newValue
            if newValue != nil && input.isWanted { resumeReading() }
        }
    }

    /// Whether bytes are read.
    ///
    /// While false, TCP makes the peer wait. Setting it costs no system call by itself.
    public var isReading: Bool {
        get { input.isWanted }
        set {
            let isResumed = newValue && !input.isWanted
            input.isWanted = newValue
            if isResumed { resumeReading() }
        }
    }

    /// Takes over a connected, non-blocking socket and watches it.
    ///
    /// Received bytes wait until there is a delegate.
    public init(adopting descriptor: Int32, loop: EventLoop) {
        super.init(loop: loop, descriptor: descriptor)
        register()
        watchReads(true)
    }

    /// False once the stream is closed or closing.
    public var isOpen: Bool { phase == .open && descriptor >= 0 }

    /// Whether the peer has sent its last byte.
    public var isAtEnd: Bool { input.hasEnded }

    /// Whether, as far as is known, both sides may still send.
    public var isBidirectional: Bool {
        guard isOpen, !input.hasEnded, !output.isShut else { return false }
        // Comparing with nil would compare the reasons, too.
        if case .some = channel?.engine.ending { return false }
        return true
    }

    public var peerAddress: SocketAddress? { SocketCalls.peerAddress(descriptor) }
    public var localAddress: SocketAddress? { SocketCalls.localAddress(descriptor) }

    /// How many bytes the delegate has left unread.
    public var unreadBytes: Int { input.unread.count }

    /// Lends the unread bytes again at the end of the turn.
    public func redeliver() {
        guard phase == .open, !input.unread.isEmpty else { return }
        input.wantsRedelivery = true
        markDirty()
    }

    // MARK: Events

    override func descriptorIsWritable() { sendNow() }

    override func loopWillEnd() { finishClosing() }

    override func descriptorIsReadable() {
        switch phase {
        case .open:
            readAndDeliver()
            loop.didDeliver()
        case .securing: readHandshake()
        case .lingering: readAndDrop()
        case .sending, .closed: watchReads(false)
        }
    }

    private func readAndDeliver() {
        guard input.isWanted, let delegate = receiver else {
            // One event more than needed; none follows until reading is resumed.
            watchReads(false)
            return
        }
        let former = input.unread.count
        guard former <= (channel?.roomForUnread ?? ReadBuffer.capacity - 16384) else {
            readBehindUnread()
            return
        }
        let buffer = loop.buffers.input
        if former > 0 { buffer.load(input.unread) }
        switch receive(into: buffer, at: former) {
        case .bytes(let count):
            let total = former + count
            input.isDelivering = true
            let consumed = buffer.withBytes(0..<total) { delegate.stream(self, didRead: $0) }
            input.isDelivering = false
            guard phase == .open || phase == .securing else { return deliveryDidEnd() }
            if consumed < total {
                input.unread = buffer.copy(max(0, consumed)..<total)
            } else if former > 0 {
                input.unread = []
            }
            deliveryDidEnd()
        case let result: handle(result)
        }
    }

    /// Reads when the unread bytes nearly fill the loop's buffer, which happens seldom.
    private func readBehindUnread() {
        let buffer = loop.buffers.input
        switch receive(into: buffer, at: 0) {
        case .bytes(let count):
            buffer.withBytes(0..<count) { input.unread.append(lent: $0) }
            guard input.unread.count <= Self.unreadLimit else { return fail(.unreadLimit) }
            deliverUnread()
            deliveryDidEnd()
        case let result: handle(result)
        }
    }

    private func receive(into buffer: ReadBuffer, at offset: Int) -> ReceiveResult {
        guard let channel else { return buffer.receive(from: descriptor, at: offset) }
        return receive(through: channel, into: buffer, at: offset)
    }

    /// Handles a read that returned no bytes.
    private func handle(_ result: ReceiveResult) {
        switch result {
        case .bytes: break
        case .wouldBlock: if output.needsFlush { markDirty() }
        case .end: reachEnd()
        case .failed(let code): fail(StreamError(code))
        case .insecure(let error): failSecurely(error)
        }
    }

    private func deliverUnread() {
        guard let delegate = receiver, !input.unread.isEmpty else { return }
        let bytes = input.takeUnread()
        input.isDelivering = true
        let consumed = delegate.stream(self, didRead: bytes.span)
        input.isDelivering = false
        if (phase == .open || phase == .securing) && consumed < bytes.count {
            input.unread = consumed <= 0 ? bytes : Array(bytes[consumed...])
        }
    }

    private func deliveryDidEnd() {
        guard descriptor >= 0 else { return }
        if output.needsFlush { sendNow() }
        if channel != nil { reportEndOfChannel() }
    }

    func reachEnd() {
        input.hasEnded = true
        watchReads(false)
        receiver?.streamDidReachEnd(self)
    }

    private func resumeReading() {
        if phase == .open && !input.hasEnded { watchReads(true) }
        redeliver()
        if channel != nil { markDirty() }
    }

    // MARK: End of the turn

    func markDirty() {
        guard !isDirty, descriptor >= 0 else { return }
        isDirty = true
        loop.finishTurn(for: self)
    }

    override func finishTurn() {
        isDirty = false
        guard descriptor >= 0 else { return }
        if let error = output.pendingError { return writesDidFail(error) }
        if phase == .securing { return continueHandshake() }
        if input.wantsRedelivery {
            input.wantsRedelivery = false
            if input.isWanted { deliverUnread() }
            guard descriptor >= 0 else { return }
        }
        if output.needsFlush { sendNow() } else { didSend() }
        if channel != nil { reportEndOfChannel() }
    }
}
