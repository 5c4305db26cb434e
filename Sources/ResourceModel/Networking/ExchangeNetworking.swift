public import Exchanges
import HTTPCore
import Locking
import ResourceCore

/// A networking provider over any exchange provider: whole requests and responses instead of streams.
public final class ExchangeNetworking: NetworkingProvider {
    /// The default limit of content: 64 MiB.
    public static let usualContentLimit = 64 << 20

    private let provider: any ExchangeProvider
    private let policies: ExchangePolicies
    private let contentLimit: Int

    /// - Parameters:
    ///   - provider: runs the exchanges.
    ///   - policies: how exchanges are made, if the provider applies policies.
    ///   - contentLimit: the most bytes of response content in memory; a larger response fails with
    ///     `RequestError.Cause.ContentTooLarge`.
    public init(
        _ provider: any ExchangeProvider,
        policies: ExchangePolicies = ExchangePolicies(),
        contentLimit: Int = ExchangeNetworking.usualContentLimit
    ) {
        self.provider = provider
        self.policies = policies
        self.contentLimit = contentLimit
    }

    public func startRequest(
        _ request: HTTPRequest,
        completion: @escaping @Sendable (NetworkingResult) -> Void
    ) -> any RequestNetworking {
        let transfer = ExchangeTransfer(request, policies, contentLimit: contentLimit, completion)
        let provider = provider
        if provider.context.isCurrent {
            transfer.start(at: provider)
        } else {
            provider.context.submit { transfer.start(at: provider) }
        }
        return transfer
    }
}

/// One request over an exchange: sends the content as the exchange asks for it, and collects the response.
private final class ExchangeTransfer: RequestNetworking, ExchangeReceiver {
    private struct State {
        /// Nil once called.
        var completion: (@Sendable (NetworkingResult) -> Void)?
        var exchange: (any Exchange)?
        /// Bytes that the exchange asked for before `exchange` was set.
        var earlyCredit = 0
        var sent = 0
        var isFinished = false
        var head: ResponseHead?
        var content: [UInt8] = []
    }

    private let request: OriginRequest
    private let body: ByteChunk
    private let contentLimit: Int
    private let state: Lock<State>

    init(
        _ request: HTTPRequest,
        _ policies: ExchangePolicies,
        contentLimit: Int,
        _ completion: @escaping @Sendable (NetworkingResult) -> Void
    ) {
        var original = Self.originRequest(request)
        original.policies = policies
        self.request = original
        body = ByteChunk(request.body ?? [])
        self.contentLimit = contentLimit
        state = Lock(State(completion: completion))
    }

    /// End-to-end fields only; the exchange adds `Host` and framing.
    private static func originRequest(_ request: HTTPRequest) -> OriginRequest {
        var fields = request.fields
        HopByHop.strip(request: &fields)
        fields.remove(.host)
        fields.remove(.contentLength)
        fields.remove(.expect)
        return OriginRequest(
            method: request.method,
            uri: request.url,
            fields: fields,
            framing: request.body.map { .length(Int64($0.count)) } ?? .none
        )
    }

    /// Called on the provider's context.
    func start(at provider: any ExchangeProvider) {
        guard state.withLock({ $0.completion != nil }) else { return }
        let exchange = provider.start(request, receiver: self)
        let (isOver, credit) = state.withLock { state in
            if state.completion != nil { state.exchange = exchange }
            defer { state.earlyCredit = 0 }
            return (state.completion == nil, state.earlyCredit)
        }
        if isOver { exchange.cancel() } else if credit > 0 { exchangeWantsContent(credit) }
    }

    // MARK: RequestNetworking

    var transferMetrics: RequestTransferMetrics {
        state.withLock { state in
            RequestTransferMetrics(
                requestBytesSent: Int64(state.sent),
                requestBytesTotal: request.framing == .none ? nil : Int64(body.count),
                responseBytesReceived: Int64(state.content.count),
                responseBytesTotal: state.head?.contentLength
            )
        }
    }

    func cancel() {
        end { _ in NetworkingResult(error: ExchangeFailure(.cancelled, "the request was cancelled")) }
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
        guard let completion else { return }
        if !isOver { exchange?.cancel() }
        completion(report)
    }

    // MARK: ExchangeReceiver

    func exchangeDidReceiveInterim(_ head: ResponseHead) {}

    func exchangeDidReceive(_ head: ResponseHead) {
        state.withLock { $0.head = head }
        if let length = head.contentLength, head.framing != .none, length > Int64(contentLimit) { refuse() }
    }

    func exchangeDidReceive(_ chunk: ByteChunk) {
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
        end(isOver: true) { NetworkingResult(head: $0.head, content: $0.content) }
    }

    func exchangeDidFail(_ failure: ExchangeFailure) {
        end(isOver: true) { NetworkingResult(head: $0.head, error: failure) }
    }

    func exchangeDidSwitch(_ head: ResponseHead, to connection: any SwitchedConnection) {
        connection.close()
        end(isOver: true) { _ in
            NetworkingResult(error: ExchangeFailure(.protocolError, "the origin left HTTP without being asked"))
        }
    }

    func exchangeWantsContent(_ bytes: Int) {
        let (exchange, chunk, isLast) = state.withLock { state -> ((any Exchange)?, ByteChunk?, Bool) in
            guard let exchange = state.exchange else {
                let (sum, overflow) = state.earlyCredit.addingReportingOverflow(max(0, bytes))
                state.earlyCredit = overflow ? .max : sum
                return (nil, nil, false)
            }
            guard !state.isFinished, request.framing != .none else { return (nil, nil, false) }
            let chunk = body.dropFirst(state.sent).prefix(min(max(0, bytes), body.count - state.sent))
            state.sent += chunk.count
            state.isFinished = state.sent == body.count
            return (exchange, chunk, state.isFinished)
        }
        guard let exchange else { return }
        if let chunk, !chunk.isEmpty { exchange.send(chunk) }
        if isLast { exchange.finish(trailers: nil) }
    }

    private func refuse() {
        end { [contentLimit] in
            NetworkingResult(head: $0.head, error: RequestError.Cause.ContentTooLarge(limit: contentLimit))
        }
    }
}
