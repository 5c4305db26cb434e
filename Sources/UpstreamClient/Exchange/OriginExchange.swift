import Eventing
import Exchanges
import HTTPCore
import TransportSecurity

/// One request at an origin, from the wait for a connection to the proven end of the response.
///
/// Bound to its loop. Nothing is delivered within `begin`. `ConnectionAcquisition` gets the connection, `RequestSender`
/// writes the request, `ResponseReader` reads the response. This object connects them with the receiver and decides
/// about failures.
final class OriginExchange {
    private enum Phase {
        case new
        case acquiring(ConnectionAcquisition)
        case active(OriginConnection)
        case ended
    }

    let pool: OriginPool
    private let key: PoolKey
    /// The TLS context of the connection; nil without TLS.
    private let security: TLSClientContext?
    private var receiver: (any ExchangeReceiver)?
    private var phase = Phase.new
    private var sender: RequestSender
    private var reader: ResponseReader
    private var pace: ResponsePace
    private var interimCount = 0
    /// Whether the origin's last byte is among the unread ones.
    private var inputHasEnded = false
    private var hasRetried = false
    /// Whether bytes are being handled, which continues by itself when credit is granted.
    private var isHandling = false
    private var asksAtEndOfTurn = false
    /// Measures the times; nil: they are not wanted.
    private let stopwatch: Stopwatch?
    /// When the request began to be sent; nil without a stopwatch.
    private var sendingStart: MonotonicTime?
    /// Ends the wait for `100 Continue`.
    private var timer: LoopTimer?

    init(_ request: OriginRequest, receiver: any ExchangeReceiver, pool: OriginPool) {
        self.receiver = receiver
        self.pool = pool
        security = request.uri.scheme == .https ? pool.security.context(for: request) : nil
        key = pool.key(of: request, security)
        stopwatch = request.client?.stopwatch
        sender = RequestSender(request)
        reader = ResponseReader(credit: request.initialCredit)
        pace = ResponsePace(pool.limits)
    }

    private var loop: EventLoop { pool.loop }
    private var request: OriginRequest { sender.request }

    private var stream: Stream? {
        if case .active(let connection) = phase { return connection.stream }
        return nil
    }

    // MARK: A connection

    /// Uses an idle connection, or begins to get a new one.
    func begin() {
        pool.statistics.requests += 1
        stopwatch?.reset()
        guard key.scheme == .http || security != nil else {
            let message = "there is nothing to speak TLS under; only http targets can be fetched"
            return failLater(ExchangeFailure(.notSupported, message))
        }
        if let connection = pool.takeIdle(key) { attach(connection) } else { acquire() }
    }

    private func acquire() {
        let acquisition = ConnectionAcquisition(request, key, security, for: self)
        phase = .acquiring(acquisition)
        acquisition.begin()
    }

    /// Sends the request on a connection.
    func attach(_ connection: OriginConnection) {
        phase = .active(connection)
        if stopwatch != nil { sendingStart = loop.now }
        connection.begin(self)
        sender.sendHead(to: key, on: connection.stream)
        sender.sendRepeatableContent(on: connection.stream)
        // At once: bytes received between the last look at the connection and the request would be taken for its
        // response (H-104).
        if connection.isReused { connection.stream.flush() }
        switch sender.upload.phase {
        case .complete: awaitHead()
        case .sending: askForContent()
        case .awaitingContinue:
            timer = loop.schedule(after: pool.limits.continueTimeout) { [weak self] in self?.beginUpload() }
        }
    }

    // MARK: Request content

    private func beginUpload() {
        guard reader.isInHead, sender.beginUpload() else { return }
        cancelTimer()
        askForContent()
    }

    /// Requests content at the end of the turn, as far as there is room.
    private func askForContent() {
        guard !asksAtEndOfTurn else { return }
        asksAtEndOfTurn = true
        loop.atEndOfTurn { [self] in
            asksAtEndOfTurn = false
            guard let stream else { return }
            stream.flush()
            let count = sender.contentToRequest(for: stream, ceiling: pool.limits.unsentContent)
            if count > 0 {
                receiver?.exchangeWantsContent(count)
            } else if stream.unsentBytes > stream.lowWaterMark {
                stream.requestDrainNotice()
            }
        }
    }

    func send(_ chunk: ByteChunk) {
        guard let stream, sender.upload.phase == .sending, !chunk.isEmpty else { return }
        if sender.send(chunk, on: stream) != nil {
            return fail(ExchangeFailure(.internalError, "more request content than was announced"))
        }
        askForContent()
    }

    func finish(trailers: Fields?) {
        guard let stream, sender.upload.phase == .sending else { return }
        if sender.finish(trailers: trailers, on: stream) != nil {
            return fail(ExchangeFailure(.internalError, "less request content than was announced"))
        }
        if reader.isInHead { awaitHead() }
    }

    // MARK: The response

    /// The request is sent: its response must begin in time (H-127).
    private func awaitHead() { stream?.setReadDeadline(after: pool.limits.firstByteTimeout) }

    func grant(_ bytes: Int) {
        reader.grant(bytes)
        guard !isHandling, let stream, !stream.isReading else { return }
        stream.isReading = true
        stream.setReadDeadline(after: pace.idleTimeout)
    }

    private func handle(_ bytes: Span<UInt8>) -> Int {
        var offset = 0
        while case .active(let connection) = phase {
            switch reader.phase {
            case .head:
                guard offset < bytes.count else { return offset }
                let consumed = readHead(bytes.extracting(offset..<bytes.count))
                guard consumed > 0 else { return offset }
                offset += consumed
            case .content:
                guard reader.hasCredit else {
                    connection.stream.isReading = false
                    connection.stream.clearReadDeadline()
                    pace.pause()
                    return offset
                }
                connection.stream.setReadDeadline(after: pace.idleTimeout)
                guard offset < bytes.count else { return offset }
                offset += readContent(bytes.extracting(offset..<bytes.count))
            case .done:
                complete(connection, unread: bytes.count - offset)
            case .switched: return offset
            }
        }
        if case .switched = reader.phase { return offset }
        return bytes.count
    }

    /// Reads one head; returns how many bytes were consumed, 0 if the head is not complete or cannot be used.
    private func readHead(_ bytes: Span<UInt8>) -> Int {
        var head = ResponseHead(status: 200)
        switch reader.readHead(bytes, to: request.method, limits: pool.limits.parser, into: &head) {
        case .needMore: return 0
        case .failed(let error):
            fail(ExchangeFailure(error))
            return 0
        case .complete(let consumed):
            if head.isInterim {
                didReadInterim(head)
            } else {
                // Consumed, so that the receiver may have the only reference.
                didRead(consume head, before: bytes.extracting(consumed..<bytes.count))
            }
            return consumed
        }
    }

    private func didReadInterim(_ head: ResponseHead) {
        interimCount += 1
        if head.status == 101 { return didSwitch(head) }
        guard interimCount <= pool.limits.interimResponses else {
            return fail(failure(.protocolError, "more interim responses than upstream.interim-responses allows"))
        }
        if head.status == 100, request.expectsContinue { return beginUpload() }
        receiver?.exchangeDidReceiveInterim(head)
    }

    /// Handles a 101: it is valid only for the requested protocol, and only once the whole request is sent (H-078).
    private func didSwitch(_ head: ResponseHead) {
        guard case .active(let connection) = phase else { return }
        guard let wanted = request.upgrade, sender.upload.isComplete, head.confirmsUpgrade(to: wanted) else {
            return fail(failure(.upgradeFailed, "the origin switched to a protocol it was not asked for"))
        }
        noteFirstByte()
        reader.didSwitch()
        let receiver = leave()
        receiver?.exchangeDidSwitch(head, to: SwitchedStream(connection.detach()))
    }

    private func didRead(_ head: consuming ResponseHead, before rest: Span<UInt8>) {
        if head.status == 407, case .relay(let parent) = key.route { return fail(ExchangeFailure(refusedBy: parent)) }
        cancelTimer()
        noteFirstByte()
        reader.didReadFinalHead(head)
        let limits = pool.limits.parser
        if case .active(let connection) = phase,
            let length = reader.lengthOfWholeContent(head.framing, among: rest.count, limits: limits),
            receiver?.acceptsWholeResponses ?? false
        {
            let content = pool.copy(rest.extracting(0..<length))
            return complete(connection, WholeResponse(head: head, content: content), unread: rest.count - length)
        }
        if head.isEventStream { pace.allowEventStream(pool.limits) }
        reader.beginContent(head.framing, limits: limits)
        receiver?.exchangeDidReceive(head)
    }

    private func noteFirstByte() {
        guard let stopwatch, let sendingStart else { return }
        let time = loop.now.nanoseconds(since: sendingStart)
        stopwatch.change { $0.firstByte = time }
    }

    /// Reads and delivers content; returns how many bytes were consumed.
    private func readContent(_ bytes: Span<UInt8>) -> Int {
        let result = reader.readContent(bytes)
        if !result.content.isEmpty { receiver?.exchangeDidReceive(ByteChunk(result.content)) }
        if let error = result.failure { fail(ExchangeFailure(error)) }
        pace.note(result.consumed)
        if reader.isInContent, pace.isTooSlow(at: loop.now) {
            pool.limiter.noteSlowContent()
            fail(failure(.connectionReadTimeout, "the origin's content comes too slowly; see upstream.minimum-rate"))
        }
        return result.consumed
    }

    // MARK: The end

    /// The end of the response is proven.
    private func complete(_ connection: OriginConnection, unread: Int) {
        let receiver = end(connection, unread: unread)
        receiver?.exchangeDidEnd(trailers: reader.trailers)
    }

    /// The whole response has been received in one piece.
    private func complete(_ connection: OriginConnection, _ whole: WholeResponse, unread: Int) {
        end(connection, unread: unread)?.exchangeDidReceive(whole)
    }

    /// Ends this exchange at the proven end of its response; keeps the connection if it may be reused (H-054, H-104).
    ///
    /// - Returns: the receiver; the caller makes the last call.
    private func end(_ connection: OriginConnection, unread: Int) -> (any ExchangeReceiver)? {
        let isBetweenMessages = reader.allowsReuse && sender.upload.isComplete
        if isBetweenMessages, unread > 0 { pool.banReuse(of: key) }
        let mayReuse = isBetweenMessages && unread == 0
        let receiver = leave()
        connection.endExchange()
        if mayReuse { pool.keepIdle(connection) } else { connection.close() }
        return receiver
    }

    /// The connection broke before a final head: tries once more if that is safe (H-089).
    private func connectionBroke(_ message: String) {
        guard case .active(let connection) = phase else { return }
        let isSafe = request.repeatableContent != nil || (request.method.isIdempotent && request.framing == .none)
        if connection.isReused, !hasRetried, !reader.hasReceived, isSafe {
            hasRetried = true
            pool.statistics.retries += 1
            connection.close()
            stopwatch?.reset()
            sender = RequestSender(request)
            return acquire()
        }
        fail(failure(reader.hasReceived ? .responseIncomplete : .connectionTerminated, message))
    }

    func cancel() {
        let phase = phase
        _ = leave()
        giveUp(phase)
    }

    private func failure(_ kind: ExchangeFailure.Kind, _ message: String) -> ExchangeFailure {
        ExchangeFailure(kind, message, requestMayHaveArrived: true)
    }

    func fail(_ failure: ExchangeFailure) {
        let phase = phase
        guard let receiver = leave() else { return }
        pool.statistics.failures += 1
        giveUp(phase)
        receiver.exchangeDidFail(failure)
    }

    func failLater(_ failure: ExchangeFailure) {
        loop.atEndOfTurn { [self] in fail(failure) }
    }

    /// Ends this exchange; returns the receiver; the caller makes the last call.
    private func leave() -> (any ExchangeReceiver)? {
        defer {
            receiver = nil
            phase = .ended
        }
        cancelTimer()
        return receiver
    }

    private func cancelTimer() {
        timer?.cancel()
        timer = nil
    }

    private func giveUp(_ phase: Phase) {
        switch phase {
        case .new, .ended: break
        case .acquiring(let acquisition): acquisition.cancel()
        case .active(let connection): connection.close()
        }
    }
}

extension OriginExchange: ConnectionUser {
    func receive(_ bytes: Span<UInt8>) -> Int {
        reader.noteBytes()
        isHandling = true
        let consumed = handle(bytes)
        isHandling = false
        if inputHasEnded, consumed == bytes.count { inputDidEnd() }
        return consumed
    }

    func inputDidEnd() {
        guard case .active(let connection) = phase else { return }
        guard reader.isInContent else {
            return connectionBroke("the origin closed the connection before it answered")
        }
        // Without credit, bytes wait in the stream; the end is handled after them.
        if !inputHasEnded, connection.stream.unreadBytes > 0 {
            inputHasEnded = true
            return
        }
        guard reader.endsWithInput() else {
            return fail(failure(.responseIncomplete, "the origin ended the connection inside the content"))
        }
        complete(connection, unread: 0)
    }

    func didDrain() {
        if sender.upload.phase == .sending { askForContent() }
    }

    func deadlineDidPass() {
        if reader.isInContent {
            fail(failure(.connectionReadTimeout, "the origin sent nothing more in time; see upstream.idle-timeout"))
        } else {
            fail(failure(.responseTimeout, "the origin did not answer in time; see upstream.first-byte-timeout"))
        }
    }

    func connectionDidFail(_ error: StreamError) {
        if error == .sendTimeout {
            return fail(
                failure(.connectionWriteTimeout, "the origin took nothing of the request; see upstream.idle-timeout")
            )
        }
        if reader.isInContent {
            var message = "the connection to the origin broke inside the content"
            // Without close_notify, anybody on the path may have cut it off (H-102).
            if case .security(let error) = error { message += ": \(error.sentence)" }
            return fail(failure(.responseIncomplete, message))
        }
        if case .security(let error) = error, error.reason != .contentCut {
            return fail(ExchangeFailure(error))
        }
        connectionBroke("the connection to the origin broke before it answered")
    }
}
