import Eventing
import Exchanges
import HTTPCore
import TransportSecurity

/// One request at an origin, from the queue for a connection to the proven end of the response.
///
/// Bound to its loop. Nothing is delivered inside `begin`.
final class OriginExchange {
    private enum Phase {
        case new
        /// In the limiter's queue under this number.
        case queued(UInt64)
        case connecting(ConnectAttempt)
        case active(OriginConnection)
        case ended
    }

    private enum Reading {
        case head
        indirect case content(ContentDecoder)
        case done
        /// What follows is another protocol, and somebody else's.
        case switched
    }

    /// A head of which only a part has come.
    private final class PartialHead {
        let parser: ResponseParser
        let head: ResponseHead

        init(_ parser: ResponseParser, _ head: ResponseHead) {
            self.parser = parser
            self.head = head
        }
    }

    private let request: OriginRequest
    private let origin: PoolKey
    /// What TLS is spoken under, if it is.
    private let security: TLSClientContext?
    private let pool: OriginPool
    private var receiver: (any ExchangeReceiver)?
    private var phase = Phase.new
    private var upload: Upload
    private var partial: PartialHead?
    /// Whether the connection may carry another exchange behind the response (RFC 9112 §9.3).
    private var allowsReuse = false
    private var reading = Reading.head
    private var trailers: Fields?
    /// Bytes of response content the receiver takes.
    private var credit: Int
    private var interimCount = 0
    /// Any byte of a response has come.
    private var hasReceived = false
    /// The origin's last byte is among those left unread.
    private var inputHasEnded = false
    private var hasRetried = false
    /// Bytes are being handled: granting more then resumes nothing.
    private var isHandling = false
    private var asksAtEndOfTurn = false
    /// What may pass between two bytes of the response's content.
    private var idleTimeout: Duration
    private var rate = ContentRate()
    /// Bytes of content that must come in a minute.
    private var minimumRate: Int
    /// When a connection must stand.
    private var connectDeadline = MonotonicTime(nanoseconds: 0)
    /// Ends the wait in the queue, or for `100 Continue`.
    private var timer: LoopTimer?

    init(_ request: OriginRequest, receiver: any ExchangeReceiver, pool: OriginPool) {
        self.request = request
        self.receiver = receiver
        self.pool = pool
        security = request.uri.scheme == .https ? pool.security.context(for: request) : nil
        origin = pool.origin(of: request, security)
        credit = max(0, request.initialCredit)
        upload = Upload(framing: request.framing, awaitsContinue: request.expectsContinue)
        idleTimeout = pool.limits.idleTimeout
        minimumRate = pool.limits.minimumRate
    }

    private var loop: EventLoop { pool.loop }

    // MARK: A connection

    /// Finds a connection, or a place in the queue for one.
    func begin() {
        pool.statistics.requests += 1
        guard origin.scheme == .http || security != nil else {
            let message = "there is nothing to speak TLS under; only http targets can be fetched"
            return failLater(ExchangeFailure(.notSupported, message))
        }
        if let connection = pool.takeIdle(origin) { attach(connection) } else { takePlace() }
    }

    private func takePlace() {
        connectDeadline = loop.now + pool.limits.connectTimeout
        let bound = LoopBound(self, loop: loop)
        switch pool.limiter.acquire(origin, on: loop.handle, granted: { _ in bound.value.placeWasGranted() }) {
        case .granted: connect()
        case .queued(let id):
            phase = .queued(id)
            pool.addWaiter(self, id: id)
            timer = loop.schedule(after: connectDeadline - loop.now) { [weak self] in self?.queueTookTooLong() }
        case .refused:
            failLater(
                limitFailure("the queue for connections to \(origin.text) is full; see upstream.queue-per-origin")
            )
        }
    }

    private func limitFailure(_ message: String) -> ExchangeFailure {
        ExchangeFailure(.connectionLimitReached, message + "; more are allowed by upstream.connections-per-origin")
    }

    /// A place for a new connection is this exchange's.
    func placeWasGranted() {
        guard case .queued(let id) = phase else { return pool.limiter.release(origin) }
        leaveQueue(id)
        connect()
    }

    private func leaveQueue(_ id: UInt64) {
        pool.removeWaiter(id)
        timer?.cancel()
        timer = nil
        phase = .new
    }

    private func queueTookTooLong() {
        guard case .queued(let id) = phase, pool.limiter.withdraw(id, from: origin) else { return }
        leaveQueue(id)
        fail(limitFailure("no connection to \(origin.text) became free in time"))
    }

    private func connect() {
        pool.statistics.connects += 1
        let generation = pool.generation
        let attempt = pool.connector.connect(
            host: origin.host,
            port: origin.port,
            policy: pool.policy,
            way: origin.way,
            security: security,
            via: request.fields,
            asker: asker,
            timeout: max(.zero, connectDeadline - loop.now)
        ) { [self] result in
            switch result {
            case .success(let stream): didConnect(stream, generation)
            case .failure(let error): didFailToConnect(error)
            }
        }
        phase = .connecting(attempt)
    }

    /// The client, and the page that had it ask: some other site's, which must not use up the look-ups of all.
    private var asker: NameAsker {
        let page = request.fields.value(of: .origin) ?? request.fields.value(of: .referer)
        return NameAsker(client: request.client, page: page.map(NameAsker.page) ?? [])
    }

    private func didConnect(_ stream: Stream, _ generation: Int) {
        guard case .connecting = phase else { return stream.close() }
        attach(OriginConnection(stream, origin: origin, generation: generation, pool: pool))
    }

    private func didFailToConnect(_ error: ConnectError) {
        guard case .connecting = phase else { return }
        pool.limiter.release(origin)
        phase = .new
        fail(ExchangeFailure(error))
    }

    /// Sends the request on a connection.
    func attach(_ connection: OriginConnection) {
        timer?.cancel()
        timer = nil
        phase = .active(connection)
        connection.begin(self)
        sendHead(connection.stream)
        // What comes between the last look at it and the request would be taken for the answer (H-104): at once.
        if connection.isReused { connection.stream.flush() }
        switch upload.phase {
        case .complete: awaitHead()
        case .sending: askForContent()
        case .awaitingContinue:
            timer = loop.schedule(after: pool.limits.continueTimeout) { [weak self] in self?.beginUpload() }
        }
    }

    private func sendHead(_ stream: Stream) {
        if case .relay(let parent) = origin.way {
            var fields = request.fields
            adapt(&fields)
            if let authorization = parent.authorization { fields.append(.proxyAuthorization, authorization) }
            return sendHead(fields, form: request.isServerWide ? .server : .absolute, stream)
        }
        let form = request.isServerWide ? HeadSerializer.RequestForm.asterisk : .origin
        // Most go as they are, and are not even retained.
        guard request.fields.contains(.expect) || upload.phase == .awaitingContinue else {
            return sendHead(request.fields, form: form, stream)
        }
        var fields = request.fields
        adapt(&fields)
        sendHead(fields, form: form, stream)
    }

    /// What is expected of the origin is this exchange's to say.
    private func adapt(_ fields: inout Fields) {
        fields.remove(.expect)
        if upload.phase == .awaitingContinue { fields.append(.expect, "100-continue") }
    }

    private func sendHead(_ fields: Fields, form: HeadSerializer.RequestForm, _ stream: Stream) {
        stream.append {
            HeadSerializer.appendRequest(
                request.method,
                request.uri,
                form: form,
                fields: fields,
                framing: request.framing,
                connection: request.upgrade.map { .upgrade($0) } ?? .none,
                host: request.host,
                to: &$0
            )
        }
    }

    private var stream: Stream? {
        if case .active(let connection) = phase { return connection.stream }
        return nil
    }

    // MARK: Request content

    private func beginUpload() {
        guard upload.phase == .awaitingContinue, case .head = reading else { return }
        timer?.cancel()
        timer = nil
        upload.begin()
        askForContent()
    }

    /// Asks for content at the end of the turn, as far as there is room.
    private func askForContent() {
        guard !asksAtEndOfTurn else { return }
        asksAtEndOfTurn = true
        loop.atEndOfTurn { [self] in
            asksAtEndOfTurn = false
            guard let stream else { return }
            stream.flush()
            let count = upload.ask(unsent: stream.unsentBytes, ceiling: pool.limits.unsentContent)
            if count > 0 {
                receiver?.exchangeWantsContent(count)
            } else if stream.unsentBytes > stream.lowWaterMark {
                stream.requestDrainNotice()
            }
        }
    }

    func didDrain() {
        if upload.phase == .sending { askForContent() }
    }

    func send(_ chunk: ByteChunk) {
        guard let stream, upload.phase == .sending, !chunk.isEmpty else { return }
        if upload.take(chunk.count) != nil {
            return fail(ExchangeFailure(.internalError, "more request content than was announced"))
        }
        if upload.framing == .chunked { stream.append { HeadSerializer.appendChunkSize(chunk.count, to: &$0) } }
        stream.write(chunk)
        if upload.framing == .chunked { stream.append { HeadSerializer.appendChunkEnd(to: &$0) } }
        askForContent()
    }

    func finish(trailers: Fields?) {
        guard let stream, upload.phase == .sending else { return }
        if upload.finish() != nil {
            return fail(ExchangeFailure(.internalError, "less request content than was announced"))
        }
        if upload.framing == .chunked {
            stream.append { HeadSerializer.appendLastChunk(trailers: trailers ?? Fields(), to: &$0) }
        }
        if case .head = reading { awaitHead() }
    }

    // MARK: The response

    /// The request is on its way: its answer must begin in time (H-127).
    private func awaitHead() { stream?.setReadDeadline(after: pool.limits.firstByteTimeout) }

    func grant(_ bytes: Int) {
        let (sum, overflow) = credit.addingReportingOverflow(max(0, bytes))
        credit = overflow ? .max : sum
        guard !isHandling, let stream, !stream.isReading else { return }
        stream.isReading = true
        stream.setReadDeadline(after: idleTimeout)
    }

    /// Takes bytes of the response; returns how many are used up.
    func receive(_ bytes: Span<UInt8>) -> Int {
        hasReceived = true
        isHandling = true
        let consumed = handle(bytes)
        isHandling = false
        if inputHasEnded, consumed == bytes.count { inputDidEnd() }
        return consumed
    }

    private func handle(_ bytes: Span<UInt8>) -> Int {
        var offset = 0
        while case .active(let connection) = phase {
            switch reading {
            case .head:
                guard offset < bytes.count else { return offset }
                let consumed = readHead(bytes.extracting(offset..<bytes.count))
                guard consumed > 0 else { return offset }
                offset += consumed
            case .content:
                guard credit > 0 else {
                    connection.stream.isReading = false
                    connection.stream.clearReadDeadline()
                    rate.pause()
                    return offset
                }
                connection.stream.setReadDeadline(after: idleTimeout)
                guard offset < bytes.count else { return offset }
                let consumed = readContent(bytes.extracting(offset..<bytes.count))
                offset += consumed
                rate.note(consumed)
                if case .content = reading, isTooSlow { comesTooSlowly() }
            case .done:
                complete(connection, unread: bytes.count - offset)
            case .switched: return offset
            }
        }
        if case .switched = reading { return offset }
        return bytes.count
    }

    /// Reads one head; returns what it took, 0 if it is not whole or is unusable.
    private func readHead(_ bytes: Span<UInt8>) -> Int {
        var parser: ResponseParser
        var head: ResponseHead
        if let partial = partial.take() {
            parser = partial.parser
            head = partial.head
        } else {
            parser = ResponseParser(limits: pool.limits.parser, requestMethod: request.method)
            head = ResponseHead(status: 200)
        }
        switch parser.parse(bytes, into: &head) {
        case .needMore:
            partial = PartialHead(parser, head)
            return 0
        case .failed(let error):
            fail(ExchangeFailure(error))
            return 0
        case .complete(let consumed):
            if head.isInterim {
                didReadInterim(head)
            } else {
                // Given away: the receiver may be the only one to have it.
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

    /// 101: only the protocol asked for is gone over to, and only if nothing of the request is left to be sent (H-078).
    private func didSwitch(_ head: ResponseHead) {
        guard case .active(let connection) = phase else { return }
        guard let wanted = request.upgrade, upload.isComplete, head.confirmsUpgrade(to: wanted) else {
            return fail(failure(.upgradeFailed, "the origin switched to a protocol it was not asked for"))
        }
        reading = .switched
        let receiver = leave()
        receiver?.exchangeDidSwitch(head, to: SwitchedStream(connection.detach()))
    }

    private func didRead(_ head: consuming ResponseHead, before rest: Span<UInt8>) {
        if head.status == 407, case .relay(let parent) = origin.way { return fail(ExchangeFailure(refusedBy: parent)) }
        timer?.cancel()
        timer = nil
        allowsReuse = head.isPersistent && head.framing != .untilClose
        if case .active(let connection) = phase, let length = lengthAtHand(head.framing, rest.count),
            receiver?.acceptsWholeResponses ?? false
        {
            let content = pool.copy(rest.extracting(0..<length))
            return complete(connection, WholeResponse(head: head, content: content), unread: rest.count - length)
        }
        if head.isEventStream { minimumRate = 0 }
        if head.isEventStream { idleTimeout = max(idleTimeout, pool.limits.eventStreamIdleTimeout) }
        let decoder = ContentDecoder(framing: head.framing, limits: pool.limits.parser)
        reading = decoder.isComplete ? .done : .content(decoder)
        receiver?.exchangeDidReceive(head)
    }

    /// The bytes of content, if that is among the `count` bytes behind the head with its end, and within the credit.
    private func lengthAtHand(_ framing: Framing, _ count: Int) -> Int? {
        switch framing {
        case .none: return 0
        case .length(let length):
            guard length >= 0, length <= min(count, credit), length <= pool.limits.parser.content ?? .max else {
                return nil
            }
            return Int(length)
        case .chunked, .untilClose: return nil
        }
    }

    /// Decodes what the credit allows; returns how many content were used up.
    private func readContent(_ bytes: Span<UInt8>) -> Int {
        guard case .content(var decoder) = reading else { return 0 }
        reading = .done
        // Content is never longer than its coded form.
        let window = bytes.extracting(0..<min(bytes.count, credit))
        var content: [UInt8] = []
        let result = decoder.decode(window) { range in
            if content.isEmpty { content.reserveCapacity(window.count - range.lowerBound) }
            content.append(copying: window.extracting(range))
        }
        credit -= content.count
        trailers = decoder.trailers.isEmpty ? nil : decoder.trailers
        switch result {
        case .needMore(let consumed):
            reading = .content(decoder)
            deliver(content)
            return consumed
        case .complete(let consumed):
            deliver(content)
            return consumed
        case .failed(let error):
            deliver(content)
            fail(ExchangeFailure(error))
            return bytes.count
        }
    }

    private var isTooSlow: Bool {
        minimumRate > 0 && rate.isTooLow(at: loop.now, minimum: minimumRate, period: pool.limits.ratePeriod)
    }

    private func comesTooSlowly() {
        pool.limiter.noteSlowContent()
        fail(failure(.connectionReadTimeout, "the origin's content comes too slowly; see upstream.minimum-rate"))
    }

    private func deliver(_ bytes: [UInt8]) {
        if !bytes.isEmpty { receiver?.exchangeDidReceive(ByteChunk(bytes)) }
    }

    // MARK: The end

    /// The end of the response is proven.
    private func complete(_ connection: OriginConnection, unread: Int) {
        let receiver = end(connection, unread: unread)
        receiver?.exchangeDidEnd(trailers: trailers)
    }

    /// All of the response is there.
    private func complete(_ connection: OriginConnection, _ whole: WholeResponse, unread: Int) {
        end(connection, unread: unread)?.exchangeDidReceive(whole)
    }

    /// Ends this exchange at a proven border; the connection is kept if nothing speaks against it (H-054, H-104).
    ///
    /// - Returns: whom to tell.
    private func end(_ connection: OriginConnection, unread: Int) -> (any ExchangeReceiver)? {
        let isAtBorder = allowsReuse && upload.isComplete
        if isAtBorder, unread > 0 { pool.banReuse(of: origin) }
        let mayReuse = isAtBorder && unread == 0
        let receiver = leave()
        connection.endExchange()
        if mayReuse { pool.giveBack(connection) } else { connection.close() }
        return receiver
    }

    /// The origin has sent its last byte.
    func inputDidEnd() {
        guard case .active(let connection) = phase else { return }
        if case .content(var decoder) = reading {
            // Without credit bytes wait here; the end is theirs to bring.
            if !inputHasEnded, connection.stream.leftoverBytes > 0 {
                inputHasEnded = true
                return
            }
            guard decoder.endOfInput() == nil else {
                return fail(failure(.responseIncomplete, "the origin ended the connection inside the content"))
            }
            return complete(connection, unread: 0)
        }
        connectionBroke("the origin closed the connection before it answered")
    }

    func connectionDidFail(_ error: StreamError) {
        if error == .sendTimeout {
            return fail(
                failure(.connectionWriteTimeout, "the origin took nothing of the request; see upstream.idle-timeout")
            )
        }
        if case .content = reading {
            var message = "the connection to the origin broke inside the content"
            // Without close_notify anybody in between can have cut it (H-102).
            if case .security(let error) = error { message += ": \(error.sentence)" }
            return fail(failure(.responseIncomplete, message))
        }
        if case .security(let error) = error, error.reason != .contentCut {
            return fail(ExchangeFailure(error, responseHadBegun: hasReceived))
        }
        connectionBroke("the connection to the origin broke before it answered")
    }

    /// No final head has come, and none will on this connection: tries once more where that is safe (H-089).
    private func connectionBroke(_ message: String) {
        guard case .active(let connection) = phase else { return }
        let isSafe = request.method.isIdempotent && request.framing == .none
        if connection.isReused, !hasRetried, !hasReceived, isSafe {
            hasRetried = true
            pool.statistics.retries += 1
            connection.close()
            phase = .new
            return takePlace()
        }
        fail(failure(hasReceived ? .responseIncomplete : .connectionTerminated, message))
    }

    func deadlineDidPass() {
        if case .content = reading {
            fail(failure(.connectionReadTimeout, "the origin sent nothing more in time; see upstream.idle-timeout"))
        } else {
            fail(failure(.responseTimeout, "the origin did not answer in time; see upstream.first-byte-timeout"))
        }
    }

    func cancel() {
        let phase = phase
        _ = leave()
        giveUp(phase)
    }

    private func failure(_ kind: ExchangeFailure.Kind, _ message: String) -> ExchangeFailure {
        ExchangeFailure(kind, message, responseHadBegun: hasReceived, requestMayHaveArrived: true)
    }

    private func fail(_ failure: ExchangeFailure) {
        let phase = phase
        guard let receiver = leave() else { return }
        pool.statistics.failures += 1
        giveUp(phase)
        receiver.exchangeDidFail(failure)
    }

    private func failLater(_ failure: ExchangeFailure) {
        loop.atEndOfTurn { [self] in fail(failure) }
    }

    /// Ends this exchange; returns whom to tell.
    private func leave() -> (any ExchangeReceiver)? {
        defer {
            receiver = nil
            phase = .ended
        }
        timer?.cancel()
        timer = nil
        return receiver
    }

    /// Gives back what the phase held.
    private func giveUp(_ phase: Phase) {
        switch phase {
        case .new, .ended: break
        case .queued(let id):
            pool.removeWaiter(id)
            // If the place was granted meanwhile, `placeWasGranted` gives it back.
            _ = pool.limiter.withdraw(id, from: origin)
        case .connecting(let attempt):
            attempt.cancel()
            pool.limiter.release(origin)
        case .active(let connection):
            connection.close()
        }
    }
}
