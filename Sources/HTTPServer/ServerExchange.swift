public import Eventing
public import HTTPCore

/// One request of a client and the response to it.
///
/// Bound to its loop. Calls after the end, or after the client is gone, have no effect. The exchange writes the fields
/// of the framing, `Connection`, and a missing `Date`. It skips the first two if they are among the given fields.
///
/// Stored properties: what the request was, what its responder has set, and how far content and response have come.
public final class ServerExchange {
    enum Response {
        case waiting
        /// The head has been written; of a `.length` framing, `remaining` bytes have not.
        case content(Framing, remaining: Int64)
        case ended
    }

    /// The request.
    public let head: RequestHead
    /// The loop on which all calls are made and delivered.
    public let loop: EventLoop
    /// The client's address.
    public let peer: SocketAddress
    /// The origin of all requests of its connection, if that is inside a CONNECT.
    public let origin: ConnectionOrigin?
    /// Whether the request came by TLS from the client itself, not inside a CONNECT.
    public let isSecure: Bool
    /// How the target was named if the request came by SOCKS, whose reply the response becomes; nil: it came by HTTP.
    public let socks: SOCKSAddressing?
    /// When the head was complete.
    public let receivedAt: MonotonicTime

    /// What became of the request; set by the responder.
    public var outcome = RequestOutcome.own
    /// Receives this exchange when it has ended.
    public var recorder: (any ExchangeRecorder)?
    /// Receives the events of the exchange, which retains it until the end.
    public var delegate: (any ServerExchangeDelegate)?
    /// The status of the final response; nil until it has begun.
    public private(set) var status: UInt16?
    /// Bytes of response content accepted so far, without framing.
    public var contentBytes: Int64 { writtenBytes + (pacer?.waiting ?? 0) }

    /// When the final response began, to the turn of the loop; nil until then.
    public private(set) var startTime: MonotonicTime?
    /// Bytes of request content received so far, without framing.
    public private(set) var receivedBytes: Int64 = 0

    /// The login of the request's user; set by the responder.
    ///
    /// The connection keeps it for comparison with later requests.
    public var login: ConnectionLogin? {
        didSet { connection?.login = login }
    }

    private var writtenBytes: Int64 = 0
    private var connection: ServerConnection?
    private var response = Response.waiting
    private var content: RequestContent
    /// Whether the client still waits for `100 Continue`.
    private var owesContinue: Bool
    private var hasDeliveredEnd = false
    /// The fields of the request, if they were changed.
    private var changedFields: Fields?
    /// Sends the content at a limited rate, if that was asked for.
    private var pacer: ResponsePacer?
    /// Whether the client has sent its last byte, and the connection has acted on it.
    var hasNotedEnd = false
    /// Whether a drain cuts it.
    private(set) var isWithoutResponse = false
    /// Whether the connection ends with this response.
    private(set) var isLast: Bool

    init(_ head: borrowing RequestHead, connection: ServerConnection, isLast: Bool, socks: SOCKSAddressing? = nil) {
        self.head = copy head
        self.socks = socks
        loop = connection.loop
        peer = connection.peer
        origin = connection.origin
        isSecure = connection.isSecure
        receivedAt = connection.loop.now
        self.connection = connection
        content = RequestContent(framing: head.framing, limits: connection.limits.parser)
        owesContinue = head.expectsContinue
        self.isLast = isLast
    }

    /// The login that was proven on the connection before this request.
    public var earlierLogin: ConnectionLogin? { connection?.login }

    /// Changes the fields of the request as `withFields` lends them; the head stays as it came.
    public func change(_ change: (inout Fields) -> Void) {
        var fields = changedFields ?? head.fields
        change(&fields)
        changedFields = fields
    }

    /// Lends the fields of the request, changed or as they came.
    ///
    /// They are read in place: a variable for them would retain each part.
    @inline(__always)
    public func withFields<Result>(_ body: (Fields) -> Result) -> Result {
        if let changedFields { return body(changedFields) }
        return body(head.fields)
    }

    // MARK: Request content

    /// Whether the request has content; empty chunked content counts.
    public var hasContent: Bool { !head.isWithoutContent }

    /// Whether all request content has been delivered, or there is none.
    public var isContentComplete: Bool { content.isComplete }

    /// Requests `bytes` more of the content; sends `100 Continue` if the client waits for it (H-073).
    ///
    /// Nothing is delivered within this call. For a request without content, the end is delivered.
    public func requestContent(_ bytes: Int) {
        guard let connection else { return }
        if content.isComplete {
            if !hasContent, !hasDeliveredEnd { loop.atEndOfTurn { [self] in deliverEnd() } }
            return
        }
        if owesContinue {
            owesContinue = false
            if case .waiting = response {
                connection.stream.append { HeadSerializer.appendInterim(status: 100, to: &$0) }
            }
        }
        content.allow(bytes)
        connection.wantsContent()
    }

    /// Whether content could be delivered now.
    var acceptsContent: Bool { content.acceptsBytes }

    /// Consumes bytes of request content from `input`; returns how many.
    func receive(_ input: Span<UInt8>) -> Int {
        owesContinue = false
        let result = content.receive(input)
        receivedBytes += Int64(result.bytes.count)
        if !result.bytes.isEmpty { delegate?.exchange(self, didReceive: ByteChunk(result.bytes)) }
        guard connection != nil else { return result.consumed }
        if let failure = result.failure {
            failContent(failure)
        } else if content.isComplete {
            deliverEnd()
        }
        return result.consumed
    }

    private func deliverEnd() {
        guard !hasDeliveredEnd else { return }
        hasDeliveredEnd = true
        delegate?.exchangeDidReceiveEnd(self, trailers: content.trailers)
    }

    /// The request content will not be complete: calls the delegate, and responds unless the delegate did.
    func failContent(_ failure: RequestContentFailure) {
        guard connection != nil, !content.isComplete else { return }
        isLast = true
        content.fail()
        // The response is complete, and still being sent.
        if pacer?.isEnding == true { return }
        delegate?.exchange(self, didFailContent: failure)
        if case .waiting = response { respond(ProblemDocument(status: failure.status, detail: failure.userMessage)) }
    }

    // MARK: Response

    /// Sends an interim response; to a client of HTTP/1.0 nothing is sent (H-076).
    public func sendInterim(_ interim: ResponseHead) {
        guard let connection, case .waiting = response, head.version == .http11, interim.isInterim, socks == nil else {
            return
        }
        connection.stream.append {
            HeadSerializer.appendInterim(status: interim.status, fields: interim.fields, to: &$0)
        }
    }

    /// Sends the final response's head.
    ///
    /// If request content is still to come, the connection ends with this response.
    /// - Parameters:
    ///   - status: 200 to 599, or 101 with `upgrade`.
    ///   - reason: without control characters; empty: the usual phrase.
    ///   - upgrade: for a 101, the protocol to which the connection switches; `takeOver` follows.
    public func start(
        _ status: UInt16,
        reason: [UInt8] = [],
        fields: Fields,
        content announced: ResponseContent,
        upgrade: [UInt8]? = nil
    ) {
        guard let connection, case .waiting = response else { return }
        if socks != nil { return reply(SOCKSReply(status: status, error: nil), status) }
        let framing = ResponseFraming(of: announced, status: status, method: head.method, version: head.version)
        if framing.content == .untilClose || !content.isComplete || connection.acceptsNoMoreRequests { isLast = true }
        self.status = status
        startTime = loop.now
        var remaining: Int64 = 0
        if case .length(let count) = framing.content { remaining = count }
        response = .content(framing.content, remaining: remaining)
        let option = connectionOption(status: status, upgrade: upgrade)
        func append(_ fields: Fields) {
            connection.stream.append {
                HeadSerializer.appendResponse(
                    status: status,
                    reason: reason,
                    fields: fields,
                    framing: framing.announced,
                    connection: option,
                    to: &$0
                )
            }
        }
        if fields.contains(.date) { return append(fields) }
        var dated = fields
        dated.append(.date, loop.wallNow.bytes)
        append(dated)
    }

    /// Sends a reply of SOCKS in place of a head; no content follows.
    func reply(_ reply: SOCKSReply, _ status: UInt16) {
        guard let connection, case .waiting = response else { return }
        self.status = status
        startTime = loop.now
        response = .content(.none, remaining: 0)
        connection.stream.append { $0 += reply.bytes }
    }

    private func connectionOption(status: UInt16, upgrade: [UInt8]?) -> ConnectionOption {
        if let upgrade { return .upgrade(upgrade) }
        if head.method == .connect, (200..<300).contains(status) { return .none }
        if isLast { return .close }
        return head.version == .http10 ? .keepAlive : .none
    }

    /// Sends the content of the response with at most so many bytes per second; called before it begins.
    public func limitRate(to bytesPerSecond: Int) {
        guard case .waiting = response else { return }
        pacer = ResponsePacer(self, bytesPerSecond: bytesPerSecond)
    }

    /// Sends content by reference.
    ///
    /// Bytes beyond the announced length are dropped, and so is all content of a response without.
    public func write(_ chunk: ByteChunk) {
        if let pacer, sendsContent { pacer.send(.bytes(chunk)) } else { writeNow(chunk) }
    }

    /// Whether content goes out: not for HEAD, for one.
    private var sendsContent: Bool {
        guard case .content(let framing, _) = response else { return false }
        return framing != .none
    }

    func writeNow(_ chunk: ByteChunk) {
        guard let connection, case .content(let framing, let remaining) = response, !chunk.isEmpty else { return }
        switch framing {
        case .none: return
        case .length:
            let part = Int64(chunk.count) > remaining ? chunk.prefix(Int(remaining)) : chunk
            response = .content(framing, remaining: remaining - Int64(part.count))
            connection.stream.write(part)
            writtenBytes += Int64(part.count)
        case .chunked:
            connection.stream.append { HeadSerializer.appendChunkSize(chunk.count, to: &$0) }
            connection.stream.write(chunk)
            connection.stream.append { HeadSerializer.appendChunkEnd(to: &$0) }
            writtenBytes += Int64(chunk.count)
        case .untilClose:
            connection.stream.write(chunk)
            writtenBytes += Int64(chunk.count)
        }
    }

    /// Sends a part of a file as content.
    public func write(_ file: FileRegion) {
        if let pacer, sendsContent { pacer.send(.file(file)) } else { writeNow(file) }
    }

    func writeNow(_ file: FileRegion) {
        guard let connection, case .content(let framing, let remaining) = response, file.count > 0 else { return }
        switch framing {
        case .none: return
        case .length:
            guard Int64(file.count) <= remaining else { return cut() }
            response = .content(framing, remaining: remaining - Int64(file.count))
            connection.stream.write(file)
        case .chunked:
            connection.stream.append { HeadSerializer.appendChunkSize(file.count, to: &$0) }
            connection.stream.write(file)
            connection.stream.append { HeadSerializer.appendChunkEnd(to: &$0) }
        case .untilClose:
            connection.stream.write(file)
        }
        writtenBytes += Int64(file.count)
    }

    /// Ends the response; cuts it if it is shorter than announced.
    /// - Parameter trailers: sent only if the content is chunked.
    public func finish(trailers: Fields? = nil) {
        if pacer?.finishes(trailers) != true { finishNow(trailers) }
    }

    func finishNow(_ trailers: Fields?) {
        guard let connection, case .content(let framing, let remaining) = response else { return }
        guard remaining == 0 else { return cut() }
        if framing == .chunked {
            connection.stream.append { HeadSerializer.appendLastChunk(trailers: trailers ?? Fields(), to: &$0) }
        }
        end(isComplete: true)
        connection.exchangeDidEnd(self)
    }

    /// Cuts the response so that the client can see that it is incomplete.
    ///
    /// Before `start`, closes the connection.
    public func cut() {
        guard let connection else { return }
        let mustReset: Bool
        switch response {
        case .waiting, .content(.untilClose, _): mustReset = true
        case .content, .ended: mustReset = false
        }
        end(isComplete: false)
        connection.exchangeWasCut(resetting: mustReset)
    }

    /// Reports to the connection that no response will come: a drain does not wait for this exchange, and cuts it.
    public func stayWithoutResponse() {
        isWithoutResponse = true
        if connection?.listener.isDraining == true { cut() }
    }

    /// Bytes of this connection's responses that the client has not accepted.
    package var unsentBytes: Int { connection?.stream.unsentBytes ?? 0 }

    /// Whether less than the limit is unsent; if not, wait for `exchangeDidDrain` (H-128).
    public var mayWrite: Bool { connectionHasRoom && pacer?.hasRoom ?? true }

    var connectionHasRoom: Bool { connection?.hasRoom ?? false }

    /// Whether the client can still be reached and the response has not ended.
    public var isOpen: Bool { connection != nil }

    // MARK: End

    /// Ends the connection with this response; must be called before the response begins.
    ///
    /// For refused requests: no request behind them is executed (H-086).
    public func closeAfterResponse() {
        if case .waiting = response { isLast = true }
    }

    /// Takes the connection out of HTTP for a tunnel, after `start` has sent a 2xx to CONNECT or a 101.
    ///
    /// The stream delivers the bytes behind the request next. Returns nil if the client is gone.
    public func takeOver() -> ClientTunnel? {
        guard let connection else { return nil }
        end(isComplete: true)
        return connection.handOver()
    }

    /// The client is gone.
    func loseClient() {
        guard connection != nil else { return }
        let delegate = delegate
        end(isComplete: false)
        delegate?.exchangeDidLoseClient(self)
    }

    /// Gives up on a client that has sent its last byte; without effect once the response has begun.
    ///
    /// Most such clients are gone. One that is still reading gets a response with the reason. Without a delegate no
    /// work would end sooner, so the exchange waits.
    func giveUpOnClient() {
        guard connection != nil, case .waiting = response, let delegate else { return }
        isLast = true
        self.delegate = nil
        delegate.exchangeDidLoseClient(self)
        outcome = .left
        respond(ProblemDocument(status: 408, detail: Self.endedBefore))
    }

    private static let endedBefore =
        "the client ended its side of the connection before the answer came, which counts as leaving; a longer "
        + "`limits.half-close` lets such requests wait"

    /// The connection has room again, or the pacer has.
    func didDrain() {
        if pacer?.hasRoom ?? true { delegate?.exchangeDidDrain(self) }
    }

    private func end(isComplete: Bool) {
        response = .ended
        connection = nil
        delegate = nil
        pacer.take()?.stop()
        recorder.take()?.exchangeDidEnd(self, isComplete: isComplete)
    }
}

extension ServerExchange {
    /// Sends a complete response whose content is in memory.
    ///
    /// - Parameter reason: as of `start`.
    public func respond(_ status: UInt16, reason: [UInt8] = [], fields: Fields, content: ByteChunk) {
        start(status, reason: reason, fields: fields, content: .length(Int64(content.count)))
        write(content)
        finish()
    }
}
