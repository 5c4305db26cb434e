import Exchanges
import HTTPCore
import Locking
import ResourceCore

/// One request over an exchange: sends the content as the exchange asks for it, and collects the response.
///
/// With a sink, what the exchange reports is handled in order where blocking is allowed. The exchange delivers no more
/// than has been handled.
final class ExchangeTransfer: RequestNetworking, ExchangeReceiver {
    /// The content of a request.
    enum Content {
        case none
        case bytes(ByteChunk)
        case file(FileUpload)

        /// In bytes; nil: there is no content.
        var size: Int64? {
            switch self {
            case .none: nil
            case .bytes(let bytes): Int64(bytes.count)
            case .file(let file): file.size
            }
        }
    }

    private struct State {
        /// Nil once called.
        var completion: (@Sendable (NetworkingResult) -> Void)?
        var exchange: (any Exchange)?
        /// Bytes that the exchange asked for before `exchange` was set.
        var earlyCredit = 0
        var sent = 0
        var isFinished = false
        var head: ResponseHead?
        /// Whether content goes to the sink.
        var usesSink = false
        var received: Int64 = 0
        var content: [UInt8] = []
    }

    private let request: OriginRequest
    private let outgoing: Content
    private let sink: (any ContentSink)?
    /// Where the sink is called.
    private let files = FileQueue()
    private let contentLimit: Int
    private let state: Lock<State>

    init(
        _ request: HTTPRequest,
        _ content: Content,
        _ policies: ExchangePolicies,
        contentLimit: Int,
        _ completion: @escaping @Sendable (NetworkingResult) -> Void
    ) {
        var original = Self.originRequest(request, size: content.size)
        original.policies = policies
        self.request = original
        outgoing = content
        sink = request.sink
        self.contentLimit = contentLimit
        state = Lock(State(completion: completion))
    }

    /// End-to-end fields only; the exchange adds `Host` and framing.
    private static func originRequest(_ request: HTTPRequest, size: Int64?) -> OriginRequest {
        var fields = request.fields
        HopByHop.strip(request: &fields)
        fields.remove(.host)
        fields.remove(.contentLength)
        fields.remove(.expect)
        return OriginRequest(
            method: request.method,
            uri: request.url,
            fields: fields,
            framing: size.map { .length($0) } ?? .none
        )
    }

    /// Called on the provider's context.
    func start(at provider: any ExchangeProvider) {
        guard state.withLock({ $0.completion != nil }) else { return }
        let exchange = provider.start(request, receiver: self)
        let (isOver, credit) = state.withLock { state in
            if state.completion != nil { state.exchange = exchange }
            return (state.completion == nil, state.earlyCredit)
        }
        if isOver { return exchange.cancel() }
        if case .file(let file) = outgoing {
            file.begin(exchange) { [weak self] error in self?.fail(error) }
        }
        if credit > 0 { exchangeWantsContent(credit) }
    }

    // MARK: RequestNetworking

    var transferMetrics: RequestTransferMetrics {
        state.withLock { state in
            RequestTransferMetrics(
                requestBytesSent: sent(state),
                requestBytesTotal: outgoing.size,
                responseBytesReceived: state.received,
                responseBytesTotal: state.head?.contentLength
            )
        }
    }

    private func sent(_ state: State) -> Int64 {
        if case .file(let file) = outgoing { file.sent } else { Int64(state.sent) }
    }

    func cancel() {
        inOrder { transfer in transfer.end { _ in DeferredOperation.cancellation } }
    }

    /// Reports the result once; an exchange that is not over is cancelled.
    private func end(isOver: Bool = false, _ result: (State) -> NetworkingResult) {
        let (completion, exchange, report) = state.withLock { state in
            defer {
                state.completion = nil
                state.exchange = nil
                state.content = []
            }
            return (state.completion, state.exchange, result(state))
        }
        if case .file(let file) = outgoing { file.end() }
        guard let completion else { return }
        if !isOver { exchange?.cancel() }
        completion(report)
    }

    private func fail(_ error: any Error) {
        inOrder { transfer in transfer.end { NetworkingResult(head: $0.head, error: error) } }
    }

    /// Runs `work` after the sink has handled all that came before; at once without a sink.
    private func inOrder(_ work: @escaping @Sendable (ExchangeTransfer) -> Void) {
        if sink == nil { work(self) } else { files.submit { work(self) } }
    }

    // MARK: ExchangeReceiver

    func exchangeDidReceiveInterim(_ head: ResponseHead) {}

    func exchangeDidReceive(_ head: ResponseHead) {
        state.withLock { $0.head = head }
        inOrder { transfer in transfer.begin(head) }
    }

    private func begin(_ head: ResponseHead) {
        guard isRunning else { return }
        do {
            let usesSink = try sink?.begin(head) ?? false
            state.withLock { $0.usesSink = usesSink }
            if usesSink { return }
        } catch {
            return end { NetworkingResult(head: $0.head, error: error) }
        }
        if let length = head.contentLength, head.framing != .none, length > Int64(contentLimit) { refuse() }
    }

    private var isRunning: Bool { state.withLock { $0.completion != nil } }

    func exchangeDidReceive(_ chunk: ByteChunk) {
        state.withLock { $0.received += Int64(chunk.count) }
        inOrder { transfer in
            if transfer.state.withLock({ $0.usesSink }) { transfer.pass(chunk) } else { transfer.collect(chunk) }
        }
    }

    private func pass(_ chunk: ByteChunk) {
        guard isRunning else { return }
        do {
            try sink?.receive(chunk)
        } catch {
            return end { NetworkingResult(head: $0.head, error: error) }
        }
        state.withLock { $0.exchange }?.grant(chunk.count)
    }

    private func collect(_ chunk: ByteChunk) {
        let (exchange, isTooMuch) = state.withLock { state -> ((any Exchange)?, Bool) in
            guard state.completion != nil else { return (nil, false) }
            guard state.content.count + chunk.count <= contentLimit else { return (nil, true) }
            chunk.withBytes { span in for index in 0..<span.count { state.content.append(span[index]) } }
            return (state.exchange, false)
        }
        if isTooMuch { return refuse() }
        exchange?.grant(chunk.count)
    }

    func exchangeDidEnd(trailers: Fields?) {
        inOrder { transfer in
            transfer.end(isOver: true) {
                NetworkingResult(head: $0.head, content: $0.usesSink ? nil : $0.content)
            }
        }
    }

    func exchangeDidFail(_ failure: ExchangeFailure) {
        inOrder { transfer in transfer.end(isOver: true) { NetworkingResult(head: $0.head, error: failure) } }
    }

    func exchangeDidSwitch(_ head: ResponseHead, to connection: any SwitchedConnection) {
        connection.close()
        let failure = ExchangeFailure(.protocolError, "the origin left HTTP without being asked")
        inOrder { transfer in transfer.end(isOver: true) { _ in NetworkingResult(error: failure) } }
    }

    func exchangeWantsContent(_ bytes: Int) {
        switch outgoing {
        case .none: break
        case .file(let file): file.want(bytes)
        case .bytes(let body): send(body, upTo: bytes)
        }
    }

    private func send(_ body: ByteChunk, upTo bytes: Int) {
        let next = state.withLock { state -> (exchange: any Exchange, chunk: ByteChunk, isLast: Bool)? in
            guard let exchange = state.exchange else {
                let (sum, overflow) = state.earlyCredit.addingReportingOverflow(max(0, bytes))
                state.earlyCredit = overflow ? .max : sum
                return nil
            }
            guard !state.isFinished else { return nil }
            let chunk = body.dropFirst(state.sent).prefix(min(max(0, bytes), body.count))
            state.sent += chunk.count
            state.isFinished = state.sent == body.count
            return (exchange, chunk, state.isFinished)
        }
        guard let next else { return }
        if !next.chunk.isEmpty { next.exchange.send(next.chunk) }
        if next.isLast { next.exchange.finish(trailers: nil) }
    }

    private func refuse() {
        end { [contentLimit] in
            NetworkingResult(head: $0.head, error: RequestError.Cause.ContentTooLarge(limit: contentLimit))
        }
    }
}
