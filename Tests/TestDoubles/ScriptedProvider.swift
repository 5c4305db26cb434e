public import Exchanges
public import HTTPCore
import Locking

/// Takes requests and lets the test answer them.
public final class ScriptedProvider: ExchangeProvider {
    public let manualContext: ManualContext
    private let started = Lock([ScriptedExchange]())

    public init(context: ManualContext) { manualContext = context }

    public var context: any DeliveryContext { manualContext }
    public var exchanges: [ScriptedExchange] { started.withLock { $0 } }
    public var count: Int { exchanges.count }

    public func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        let exchange = ScriptedExchange(request, receiver, manualContext)
        started.withLock { $0.append(exchange) }
        return exchange
    }
}

/// One request at the scripted origin.
public final class ScriptedExchange: Exchange {
    public let request: OriginRequest
    /// The receiver until its last call, then nil.
    private let receiver: LockedBox<(any ExchangeReceiver)?>
    private let context: ManualContext
    private let state: Lock<(credit: Int, isCancelled: Bool)>

    public init(_ request: OriginRequest, _ receiver: any ExchangeReceiver, _ context: ManualContext) {
        self.request = request
        self.receiver = LockedBox(receiver)
        self.context = context
        state = Lock((request.initialCredit, false))
    }

    /// The request's content so far.
    public let sent = LockedBox<[UInt8]>([])
    /// How often the request's content came to its end.
    public let ends = LockedBox(0)

    /// Bytes that may be sent now.
    public var credit: Int { state.withLock { $0.credit } }
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    public func grant(_ bytes: Int) { state.withLock { $0.credit += bytes } }
    public func send(_ chunk: ByteChunk) { sent.change { $0 += chunk.bytes } }
    public func finish(trailers: Fields?) { ends.change { $0 += 1 } }
    public func cancel() {
        state.withLock { $0.isCancelled = true }
        release()
    }

    private func release() { _ = receiver.change { receiver in (receiver, receiver = nil) } }

    public func value(of field: KnownField) -> String? { request.fields.text(of: field) }

    // MARK: What the origin does

    public func wants(_ bytes: Int) { context.perform { receiver.value?.exchangeWantsContent(bytes) } }

    public func interim(_ status: UInt16) {
        context.perform { receiver.value?.exchangeDidReceiveInterim(ResponseHead(status: status)) }
    }

    public func head(_ status: UInt16, _ lines: [(String, String)] = [], length: Int64? = nil) {
        let head = Self.head(status, lines, length)
        context.perform { receiver.value?.exchangeDidReceive(head) }
    }

    private static func head(_ status: UInt16, _ lines: [(String, String)], _ length: Int64?) -> ResponseHead {
        var fields = Fields()
        for (name, value) in lines { fields.append(name: name, value: value) }
        var framing = Framing.chunked
        if let length {
            fields.append(.contentLength, "\(length)")
            framing = .length(length)
        }
        if status == 304 || status == 204 { framing = .none }
        return ResponseHead(status: status, fields: fields, framing: framing)
    }

    public func content(_ bytes: [UInt8]) {
        state.withLock { $0.credit -= bytes.count }
        context.perform { receiver.value?.exchangeDidReceive(ByteChunk(bytes)) }
    }

    public func content(_ text: String) { content(Array(text.utf8)) }
    public func end() {
        context.perform { receiver.value?.exchangeDidEnd(trailers: nil) }
        release()
    }

    public func fail(_ kind: ExchangeFailure.Kind = .connectionRefused, isOfParent: Bool = false) {
        context.perform {
            var failure = ExchangeFailure(kind, "scripted")
            failure.isOfParent = isOfParent
            receiver.value?.exchangeDidFail(failure)
        }
        release()
    }

    /// A whole response, in one piece where the receiver takes that.
    public func answer(
        _ status: UInt16 = 200,
        _ lines: [(String, String)] = [],
        _ text: String = "",
        inOnePiece: Bool = true
    ) {
        let length = status == 304 ? nil : Int64(text.utf8.count)
        guard inOnePiece, receiver.value?.acceptsWholeResponses ?? false, text.utf8.count <= credit else {
            head(status, lines, length: length)
            if !text.isEmpty { content(text) }
            return end()
        }
        // In memory for more, as our client lends it.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4096)
        bytes += text.utf8
        let whole = WholeResponse(head: Self.head(status, lines, length), content: ByteChunk(bytes))
        context.perform { receiver.value?.exchangeDidReceive(whole) }
        release()
    }
}
