public import Eventing
import HTTPCore

/// One client's connection: reads requests and has them answered in order, one at a time.
///
/// Bound to its loop. Bytes behind the request in progress stay unread, within `pipelineBytes` (H-085).
public final class ServerConnection {
    enum Phase {
        /// Between requests; no byte of the next one has come.
        case idle
        /// A part of a head has come.
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
    /// What all its requests are for, if it is inside a CONNECT; nil: each request says it.
    public let origin: ConnectionOrigin?
    let stream: Stream
    /// The peer, as the limit of connections per peer counts it; nil: not counted.
    let peerKey: SocketAddress?

    private var phase = Phase.idle
    private var reader: HeadReader
    /// The client has sent its last byte; it may still be reading.
    private var peerHasEnded = false
    /// Bytes are being handled: when an exchange ends meanwhile, that handling goes on with the next request.
    private var isHandling = false
    /// The next request is not read until the client has taken what is unsent.
    private var waitsForRoom = false
    private var contentRate = ContentRate()
    /// The listener does not admit the client any more.
    private var isExpelled = false

    /// Whether the response to the request in progress must say `Connection: close`.
    public private(set) var closesAfterThisRequest = false

    init(
        _ stream: Stream,
        peer: SocketAddress,
        listener: HTTPListener,
        peerKey: SocketAddress?,
        origin: ConnectionOrigin? = nil
    ) {
        self.stream = stream
        self.peer = peer
        self.listener = listener
        self.peerKey = peerKey
        self.origin = origin
        reader = HeadReader(
            parser: RequestParser(limits: listener.limits.parser, rules: listener.rules),
            budget: listener.connectionCounter.heads
        )
        stream.lowWaterMark = min(stream.lowWaterMark, listener.limits.unsentPerExchange / 2)
        stream.setSendTimeout(listener.limits.sendTimeout)
        stream.setReadDeadline(afterNanoseconds: listener.idleNanoseconds)
        stream.delegate = self
    }

    /// Whether its requests come by TLS from the client itself; not known of those inside a CONNECT.
    public var isSecure: Bool { stream.isSecure && origin == nil }
    /// The loop it lives on.
    public var loop: EventLoop { stream.loop }
    var limits: ServerLimits { listener.limits }
    /// The response in progress is the last one.
    var acceptsNoMoreRequests: Bool { listener.isDraining || isExpelled }

    // MARK: Reading

    /// Handles bytes from the front; returns how many are used up.
    private func handle(_ bytes: Span<UInt8>) -> Int {
        var offset = 0
        var answered = 0
        // Taken out of the listener: a property of an object is copied before it is lent.
        var head = RequestHead()
        swap(&head, &listener.head)
        defer { swap(&head, &listener.head) }
        while true {
            switch phase {
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

    /// Reads a head and has it answered; returns how many bytes are used up, 0 if the head is not whole.
    private func readHead(_ bytes: Span<UInt8>, into head: inout RequestHead) -> Int {
        switch reader.read(bytes, into: &head) {
        case .complete(let consumed):
            phase = .idle
            answer(head)
            return consumed
        case .nothing: return 0
        case .partial:
            // It must be whole in time, counted from its first byte (H-125).
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

    /// Whether the client has begun a handshake of TLS.
    private func isTLS(_ bytes: Span<UInt8>) -> Bool { bytes.count > 2 && bytes[0] == 0x16 && bytes[1] == 0x03 }

    /// A head is whole: tries the fast path, else makes an exchange.
    private func answer(_ head: RequestHead) {
        closesAfterThisRequest = !head.isPersistent || acceptsNoMoreRequests
        listener.statistics.requests += 1
        if head.version == .http11, head.isWithoutContent, !head.expectsContinue, answerNow(head) {
            if closesAfterThisRequest { close(lingering: head.isPersistent) }
            return
        }
        let exchange = ServerExchange(head, connection: self, isLast: closesAfterThisRequest)
        phase = .exchange(exchange)
        listener.responder.respond(to: exchange)
    }

    private func answerNow(_ head: RequestHead) -> Bool {
        var result = FastPathResult.unhandled
        stream.append { result = listener.responder.answerNow(head, on: self, into: &$0) }
        switch result {
        case .unhandled: return false
        case .answered: return true
        case .answeredWithBody(let body):
            stream.write(body)
            return true
        case .answeredWithFile(let region):
            stream.write(region)
            return true
        }
    }

    /// Whether another request may be answered; if not, reading goes on once the client has taken enough.
    private func hasRoomForNext() -> Bool {
        guard stream.unsentBytes >= listener.limits.unsentPerExchange else { return true }
        waitsForRoom = true
        stream.requestDrainNotice()
        return false
    }

    // MARK: Between and during requests

    /// Begins with bytes that came before this connection had the stream.
    func resume() {
        peerHasEnded = stream.isAtEnd
        // Bytes that are being lent right now count as unread only afterwards.
        loop.atEndOfTurn { [self] in
            updateReading(unread: stream.unreadBytes)
            stream.redeliver()
        }
    }

    /// Reads, or holds the client back, as the phase asks for; to be called when bytes have been handled.
    /// - Parameter isHandled: whether the unread bytes have been handled as far as possible.
    private func updateReading(unread: Int, isHandled: Bool = false) {
        switch phase {
        case .idle, .head:
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

    /// Content must progress while it is read (H-126).
    private func limitTime(of exchange: ServerExchange) {
        guard exchange.acceptsContent else { return contentRate.pause() }
        stream.setReadDeadline(after: limits.bodyTimeout)
        if contentRate.isTooLow(at: loop.now, minimum: limits.minimumBodyBytesPerMinute) {
            let message = "the request's content comes too slowly; see limits.body-timeout"
            exchange.failContent(RequestContentFailure(status: 408, message))
        }
    }

    /// The client sends nothing more.
    ///
    /// Most such clients are gone: the response is awaited as long as the settings say.
    private func clientDidEnd(_ exchange: ServerExchange) {
        // What follows a CONNECT belongs to the tunnel, its end too (H-081).
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

    /// The client has ended, and no whole request is left.
    private func endBetweenRequests() {
        if case .head = phase { listener.statistics.incomplete += 1 }
        end()
        stream.closeAfterSending()
    }

    /// The exchange asked for content, perhaps while no bytes are being handled.
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

    /// The exchange broke its response off.
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

    /// Closes when all is sent.
    /// - Parameter lingering: whether the client may still be sending; it must be able to read the response all the same
    ///   (H-052).
    private func close(lingering: Bool) {
        end()
        if lingering { stream.lingeringClose(time: limits.lingeringTime) } else { stream.closeAfterSending() }
    }

    /// Responds to bytes that are no request, or to a request that came too late, and closes.
    private func refuse(status: UInt16, _ message: String) {
        let problem = ProblemDocument(status: status, detail: message)
        stream.append { output in
            var fields = ProblemResponse.fields(problem, at: loop.wallNow)
            if status == 503 { fields.append(.retryAfter, "1") }
            ProblemResponse.append(problem, fields: fields, connection: .close, to: &output)
        }
        close(lingering: true)
    }

    /// Leaves the listener; the caller closes the stream.
    private func end() {
        switch phase {
        case .handedOver, .ended: return
        case .idle, .head, .exchange: phase = .ended
        }
        reader.drop()
        listener.connectionCounter.leave(peerKey)
        listener.forget(self)
    }

    /// Reads no further request: an idle connection closes, others do after their response.
    func drain() {
        guard case .idle = phase else { return }
        end()
        stream.closeAfterSending()
    }

    /// Closes if the listener does not admit the client any more; a response in progress is sent before.
    func reviewAdmission() {
        isExpelled = !listener.admits(peer)
        guard isExpelled else { return }
        switch phase {
        case .idle, .head:
            end()
            stream.closeAfterSending()
        case .exchange, .handedOver, .ended: break
        }
    }

    /// Closes at once; a request or response in progress is reset.
    func abandon() {
        if case .idle = phase { return drain() }
        let phase = phase
        end()
        stream.abort()
        if case .exchange(let exchange) = phase { exchange.loseClient() }
    }

    // MARK: Writing

    /// Whether an exchange may produce more now; if not, `exchangeDidDrain` is called once it may.
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
        case .idle:
            end()
            stream.close()
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
