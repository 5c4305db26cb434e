public import Eventing
public import HTTPCore

/// One client's connection: reads requests and gets them answered in order, one at a time.
///
/// Bound to its loop. Bytes behind the request in progress stay unread, up to `pipelineBytes` (H-085).
public final class ServerConnection {
    enum Phase {
        /// No byte has been received: the first one shows which protocol the client speaks.
        case opening
        /// The client opens a connection by SOCKS.
        case socks
        /// Between requests; no byte of the next one has been received.
        case idle
        /// A part of a head has been received.
        case head
        /// A request is being answered.
        case exchange(ServerExchange)
        /// The stream has another owner.
        case handedOver
        /// Closed or closing.
        case ended
    }

    /// The listener that accepted it.
    public let listener: HTTPListener
    /// The client's address.
    public let peer: SocketAddress
    /// The client's IP address, kept apart since each recorded request needs it; nil on a Unix socket.
    public let clientAddress: IPAddress?
    /// The origin of all its requests, if it is inside a CONNECT; nil: each request names its own.
    public let origin: ConnectionOrigin?
    let stream: Stream
    /// The peer for the limit of connections per peer; nil: not counted.
    let peerKey: SocketAddress?

    var phase: Phase
    /// What the client opens a connection with while `phase` is `socks`; outside it, so that a phase is one reference.
    var handshake = SOCKSHandshake(.off)
    private var reader: HeadReader
    /// Whether the client has sent its last byte; it may still be reading.
    private var peerHasEnded = false
    /// Whether bytes are being handled.
    ///
    /// If an exchange ends meanwhile, that handling continues with the next request.
    private var isHandling = false
    /// Whether the next request waits until the client has accepted the unsent bytes.
    private var waitsForRoom = false
    private var contentRate = ContentRate()
    /// Whether the listener no longer admits the client.
    private var isExpelled = false

    /// The login that its client has proven last; nil if there is none.
    ///
    /// Inside a CONNECT, the login of that CONNECT. It does not hold for the next request: the responder compares.
    public internal(set) var login: ConnectionLogin?
    /// Whether the response to the request in progress must have `Connection: close`.
    public private(set) var closesAfterThisRequest = false

    init(
        _ stream: Stream,
        peer: SocketAddress,
        listener: HTTPListener,
        peerKey: SocketAddress?,
        origin: ConnectionOrigin? = nil,
        login: ConnectionLogin? = nil
    ) {
        self.login = login
        self.stream = stream
        self.peer = peer
        clientAddress = peer.ipAddress
        self.listener = listener
        self.peerKey = peerKey
        self.origin = origin
        phase = origin == nil ? .opening : .idle
        reader = HeadReader(
            parser: RequestParser(limits: listener.limits.parser, rules: listener.rules),
            budget: listener.connectionCounter.heads
        )
        stream.lowWaterMark = min(stream.lowWaterMark, listener.limits.unsentPerExchange / 2)
        stream.setSendTimeout(listener.limits.sendTimeout)
        stream.setReadDeadline(afterNanoseconds: listener.idleNanoseconds)
        stream.delegate = self
    }

    /// Whether its requests come by TLS from the client itself; unknown for requests inside a CONNECT.
    public var isSecure: Bool { stream.isSecure && origin == nil }
    /// The loop it lives on.
    public var loop: EventLoop { stream.loop }
    var limits: ServerLimits { listener.limits }
    /// Whether the response in progress is the last one.
    var acceptsNoMoreRequests: Bool { listener.isDraining || isExpelled }

    // MARK: Reading

    /// Handles bytes from the front; returns how many were consumed.
    private func handle(_ bytes: Span<UInt8>) -> Int {
        var offset = 0
        var answered = 0
        // Moved out of the listener: a property of a class is copied before it is lent.
        var head = RequestHead()
        swap(&head, &listener.head)
        defer { swap(&head, &listener.head) }
        while true {
            switch phase {
            case .opening:
                guard bytes.count > 0 else { return 0 }
                begin(with: bytes[0])
            case .socks:
                let consumed = negotiate(bytes.extracting(offset..<bytes.count))
                guard consumed > 0 else { return offset }
                offset += consumed
            case .idle, .head:
                if answered == listener.limits.pipelineDepth {
                    answered = 0
                    stream.flush()
                }
                guard offset < bytes.count, hasRoomForNext() else { return offset }
                let consumed = readHead(bytes.extracting(offset..<bytes.count), into: &head)
                guard consumed > 0 else { return offset }
                offset += consumed
                answered += 1
            case .exchange(let exchange):
                guard offset < bytes.count, exchange.acceptsContent else { return offset }
                let consumed = exchange.receive(bytes.extracting(offset..<bytes.count))
                contentRate.note(consumed)
                offset += consumed
            case .handedOver: return offset
            case .ended: return bytes.count
            }
        }
    }

    /// Reads a head and answers it; returns how many bytes were consumed, 0 if the head is not complete.
    @inline(__always)
    private func readHead(_ bytes: Span<UInt8>, into head: inout RequestHead) -> Int {
        switch reader.read(bytes, into: &head) {
        case .complete(let consumed):
            phase = .idle
            return consumed + answer(head, before: bytes.extracting(consumed..<bytes.count))
        case .nothing: return 0
        case .partial:
            // It must be complete in time, counted from its first byte (H-125).
            if case .idle = phase {
                phase = .head
                stream.setReadDeadline(after: limits.headerTimeout)
            }
            return 0
        case .noRoom:
            listener.statistics.refused += 1
            refuse(status: 503, Self.noRoomForHead)
            return bytes.count
        case .failed(let error):
            listener.statistics.refused += 1
            refuse(status: error.status, isTLS(bytes) ? Self.plainOnly : error.userMessage)
            return bytes.count
        }
    }

    private static let plainOnly =
        "the client speaks TLS, but this listener speaks plain HTTP: write http:// in the proxy's URL"

    private static let noRoomForHead =
        "unfinished request heads of all clients take as much memory as limits.unfinished-heads lets them; send the request "
        + "again, its head in one piece"

    /// Whether the client has begun a TLS handshake.
    private func isTLS(_ bytes: Span<UInt8>) -> Bool { bytes.count > 2 && bytes[0] == 0x16 && bytes[1] == 0x03 }

    /// Answers a complete head: tries the fast path, otherwise makes an exchange.
    ///
    /// - Parameter rest: the bytes behind the head.
    /// - Returns: how many of them have been answered, too.
    @inline(__always)
    private func answer(_ head: RequestHead, before rest: Span<UInt8>) -> Int {
        closesAfterThisRequest = !head.isPersistent || acceptsNoMoreRequests
        listener.statistics.requests += 1
        if head.version == .http11, !head.expectsContinue {
            if head.isWithoutContent {
                if answerNow(head) { return 0 }
            } else if case .length(let length) = head.framing, length <= Int64(rest.count),
                answerNow(head, content: rest.extracting(0..<Int(length)))
            {
                return Int(length)
            }
        }
        beginExchange(head)
        return 0
    }

    @inline(never)
    private func beginExchange(_ head: borrowing RequestHead) {
        let exchange = ServerExchange(head, connection: self, isLast: closesAfterThisRequest)
        phase = .exchange(exchange)
        listener.responder.respond(to: exchange)
    }

    private func answerNow(_ head: RequestHead) -> Bool {
        var result = FastPathResult.unhandled
        stream.append { result = listener.responder.answerNow(head, on: self, into: &$0) }
        return send(result, to: head)
    }

    @inline(never)
    private func answerNow(_ head: borrowing RequestHead, content: Span<UInt8>) -> Bool {
        var result = FastPathResult.unhandled
        stream.append { result = listener.responder.answerNow(head, content: content, on: self, into: &$0) }
        return send(result, to: head)
    }

    /// Sends what an answer at once has besides its head; returns false if there is none.
    @inline(__always)
    private func send(_ result: FastPathResult, to head: borrowing RequestHead) -> Bool {
        switch result {
        case .unhandled: return false
        case .answered: break
        case .answeredWithBody(let body): stream.write(body)
        case .answeredWithFile(let region): stream.write(region)
        }
        if closesAfterThisRequest { close(lingering: head.isPersistent) }
        return true
    }

    /// Whether another request may be answered; if not, reading continues once the client has accepted enough.
    private func hasRoomForNext() -> Bool {
        guard stream.unsentBytes >= listener.limits.unsentPerExchange else { return true }
        waitsForRoom = true
        stream.requestDrainNotice()
        return false
    }

    // MARK: Between and during requests

    /// Begins with bytes received before this connection had the stream.
    func resume() {
        peerHasEnded = stream.isAtEnd
        // Bytes that are being lent at the moment count as unread only afterwards.
        loop.atEndOfTurn { [self] in
            updateReading(unread: stream.unreadBytes)
            stream.redeliver()
        }
    }

    /// Starts or stops reading, as the phase requires; called when bytes have been handled.
    /// - Parameter isHandled: whether the unread bytes have been handled as far as possible.
    private func updateReading(unread: Int, isHandled: Bool = false) {
        switch phase {
        case .opening, .socks, .idle, .head:
            stream.isReading = !waitsForRoom
            if !waitsForRoom, peerHasEnded {
                return isHandled || unread == 0 ? endBetweenRequests() : stream.redeliver()
            }
            if case .idle = phase { stream.setReadDeadline(afterNanoseconds: listener.idleNanoseconds) }
        case .exchange(let exchange):
            if exchange.isContentComplete {
                stream.isReading = unread < limits.pipelineBytes
                if peerHasEnded { clientDidEnd(exchange) }
            } else {
                stream.isReading = exchange.acceptsContent
                limitTime(of: exchange)
                if peerHasEnded, unread == 0 { contentWillNotCome(exchange) }
            }
        case .handedOver, .ended: return
        }
    }

    /// Sets the deadline for progress of the content while it is read (H-126).
    private func limitTime(of exchange: ServerExchange) {
        guard exchange.acceptsContent else { return contentRate.pause() }
        stream.setReadDeadline(after: limits.bodyTimeout)
        let minimum = limits.minimumBodyBytesPerMinute
        if contentRate.isTooLow(at: loop.now, minimum: minimum, period: limits.bodyRatePeriod) {
            let message = "the request's content comes too slowly; see limits.body-timeout"
            exchange.failContent(RequestContentFailure(status: 408, message))
        }
    }

    /// The client has sent its last byte.
    ///
    /// Most such clients are gone: the exchange waits for the response as long as the settings say.
    private func clientDidEnd(_ exchange: ServerExchange) {
        // Bytes after a CONNECT belong to the tunnel, and so does their end (H-081).
        guard !exchange.hasNotedEnd, exchange.head.method != .connect else { return }
        exchange.hasNotedEnd = true
        guard limits.halfCloseTime > .zero else { return exchange.giveUpOnClient() }
        stream.setReadDeadline(after: limits.halfCloseTime)
    }

    private func contentWillNotCome(_ exchange: ServerExchange) {
        listener.statistics.incomplete += 1
        let message = "the client ended the connection before the end of the request's content"
        exchange.failContent(RequestContentFailure(status: 400, message))
    }

    /// The client has sent its last byte, and no complete request is left.
    private func endBetweenRequests() {
        switch phase {
        case .head, .socks: listener.statistics.incomplete += 1
        case .opening, .idle, .exchange, .handedOver, .ended: break
        }
        end()
        stream.closeAfterSending()
    }

    /// The exchange requested content, perhaps while no bytes are being handled.
    func wantsContent() {
        guard !isHandling else { return }
        stream.isReading = true
        stream.redeliver()
        loop.atEndOfTurn { [self] in
            if case .exchange = phase, !isHandling { updateReading(unread: stream.unreadBytes) }
        }
    }

    // MARK: The end of an exchange

    /// The exchange has written its last byte.
    func exchangeDidEnd(_ exchange: ServerExchange) {
        if exchange.isLast || acceptsNoMoreRequests {
            return close(lingering: exchange.head.isPersistent || !exchange.isContentComplete)
        }
        phase = .idle
        guard !isHandling else { return }
        updateReading(unread: stream.unreadBytes)
        if stream.isOpen { stream.redeliver() }
    }

    /// The exchange cut its response.
    func exchangeWasCut(resetting: Bool) {
        end()
        if resetting { stream.abort() } else { stream.lingeringClose(time: limits.lingeringTime) }
    }

    /// Gives the stream to a new owner.
    func handOver() -> ClientTunnel {
        phase = .handedOver
        stream.clearReadDeadline()
        stream.setSendTimeout(nil)
        stream.isReading = true
        let tunnel = ClientTunnel(stream, of: self)
        listener.forget(self)
        stream.delegate = nil
        if isHandling { loop.atEndOfTurn { [stream] in stream.redeliver() } }
        return tunnel
    }

    // MARK: The end of the connection

    /// Whether no byte of a request has been received.
    private var isIdle: Bool {
        switch phase {
        case .opening, .idle: true
        case .socks, .head, .exchange, .handedOver, .ended: false
        }
    }

    /// Closes once all bytes are sent.
    /// - Parameter lingering: whether the client may still be sending; it must be able to read the response all the
    ///   same (H-052).
    func close(lingering: Bool) {
        end()
        if lingering { stream.lingeringClose(time: limits.lingeringTime) } else { stream.closeAfterSending() }
    }

    /// Responds to bytes that are not a request, or to a request that came too late, and closes.
    @inline(never)
    private func refuse(status: UInt16, _ message: String) {
        let problem = ProblemDocument(status: status, detail: message)
        stream.append { output in
            var fields = ProblemResponse.fields(problem, at: loop.wallNow)
            if status == 503 { fields.append(.retryAfter, "1") }
            ProblemResponse.append(problem, fields: fields, connection: .close, to: &output)
        }
        close(lingering: true)
    }

    /// Removes the connection from the listener; the caller closes the stream.
    private func end() {
        switch phase {
        case .handedOver, .ended: return
        case .opening, .socks, .idle, .head, .exchange: phase = .ended
        }
        reader.drop()
        listener.connectionCounter.leave(peerKey)
        listener.forget(self)
    }

    /// Reads no further request: closes an idle connection now, others after their response.
    func drain() {
        if case .exchange(let exchange) = phase, exchange.isWithoutResponse { return exchange.cut() }
        guard isIdle else { return }
        end()
        stream.closeAfterSending()
    }

    /// Closes if the listener no longer admits the client, after a response in progress.
    func reviewAdmission() {
        isExpelled = !listener.admits(peer)
        guard isExpelled else { return }
        switch phase {
        case .opening, .socks, .idle, .head:
            end()
            stream.closeAfterSending()
        case .exchange, .handedOver, .ended: break
        }
    }

    /// Closes at once, and resets a request or response in progress.
    func abandon() {
        if isIdle { return drain() }
        let phase = phase
        end()
        stream.abort()
        if case .exchange(let exchange) = phase { exchange.loseClient() }
    }

    // MARK: Writing

    /// Whether an exchange may write more now; if not, `exchangeDidDrain` is called once it may.
    var hasRoom: Bool {
        guard stream.unsentBytes >= listener.limits.unsentPerExchange else { return true }
        stream.flush()
        guard stream.unsentBytes >= listener.limits.unsentPerExchange else { return true }
        stream.requestDrainNotice()
        return false
    }
}

extension ServerConnection: StreamDelegate {
    public func stream(_ stream: Stream, didRead bytes: Span<UInt8>) -> Int {
        isHandling = true
        let consumed = handle(bytes)
        isHandling = false
        updateReading(unread: bytes.count - consumed, isHandled: true)
        return consumed
    }

    public func streamDidReachEnd(_ stream: Stream) {
        peerHasEnded = true
        updateReading(unread: stream.unreadBytes)
    }

    public func streamDidDrain(_ stream: Stream) {
        if waitsForRoom {
            waitsForRoom = false
            updateReading(unread: stream.unreadBytes)
            stream.redeliver()
        }
        if case .exchange(let exchange) = phase { exchange.didDrain() }
    }

    public func streamDidReachDeadline(_ stream: Stream) {
        switch phase {
        case .opening, .idle:
            end()
            stream.close()
        case .socks: endBetweenRequests()
        case .head:
            refuse(status: 408, "the request's head was not complete in time; see limits.header-timeout")
        case .exchange(let exchange):
            if exchange.hasNotedEnd { return exchange.giveUpOnClient() }
            guard exchange.acceptsContent else { return }
            let message = "no byte of the request's content came in time; see limits.body-timeout"
            exchange.failContent(RequestContentFailure(status: 408, message))
        case .handedOver, .ended: return
        }
    }

    public func stream(_ stream: Stream, didFail error: StreamError) {
        guard case .exchange(let exchange) = phase else { return end() }
        end()
        exchange.loseClient()
    }
}
