import ResourceDoubles
@testable import Exchanges
@testable import ResourceCore
@testable import ResourceModel
import HTTPCore
import TestDoubles
import Testing

@Suite("A networking provider over exchanges")
struct ExchangeNetworkingTests {
    private struct Setting {
        let context = ManualContext()
        let provider: UploadProvider
        let networking: ExchangeNetworking
        let results = LockedBox<[NetworkingResult]>([])

        init(limit: Int = 1000) {
            provider = UploadProvider(context: context)
            networking = ExchangeNetworking(provider, contentLimit: limit)
        }

        func start(_ request: HTTPRequest) -> any RequestNetworking {
            let operation = networking.startRequest(request) { [results] result in results.change { $0.append(result) }
            }
            context.run()
            return operation
        }

        var get: HTTPRequest { HTTPRequest(method: .get, url: World.uri("/a")) }
        var exchange: UploadExchange { provider.exchanges.value[0] }
        var text: String? { results.value.first?.content.map { String(decoding: $0, as: UTF8.self) } }
    }

    private func head(_ status: UInt16 = 200, length: Int64? = nil) -> ResponseHead {
        var head = ResponseHead(status: status, framing: length.map { .length($0) } ?? .chunked)
        head.contentLength = length
        return head
    }

    @Test("a request runs on the provider's context and brings head and content, once (S-147, S-228)")
    func get() {
        let setting = Setting()
        let operation = setting.networking.startRequest(setting.get) { [results = setting.results] result in
            results.change { $0.append(result) }
        }
        #expect(setting.provider.exchanges.value.isEmpty)
        setting.context.run()
        let exchange = setting.exchange
        exchange.receiver?.exchangeDidReceiveInterim(head(103))
        exchange.receiver?.exchangeDidReceive(head(length: 6))
        exchange.receiver?.exchangeDidReceive(ByteChunk("abc"))
        #expect(exchange.granted.value == 3)
        let metrics = operation.transferMetrics
        #expect(metrics.responseBytesReceived == 3 && metrics.responseBytesTotal == 6)
        #expect(metrics.requestBytesSent == 0 && metrics.requestBytesTotal == nil)
        exchange.receiver?.exchangeDidReceive(ByteChunk("def"))
        exchange.receiver?.exchangeDidEnd(trailers: nil)
        exchange.receiver?.exchangeDidEnd(trailers: nil)
        operation.cancel()
        #expect(setting.results.value.count == 1 && setting.text == "abcdef")
        #expect(setting.results.value[0].head?.status == 200 && setting.results.value[0].error == nil)
        #expect(!exchange.isCancelled.value)
    }

    @Test("fields of the connection, Host and length are the exchange's, not the request's (S-110)")
    func fields() {
        let setting = Setting()
        var request = setting.get
        for (name, value) in [
            ("Host", "elsewhere"), ("Content-Length", "9"), ("Connection", "X-Hop"), ("X-Hop", "1"), ("X-Own", "2"),
            ("Expect", "100-continue"), ("Transfer-Encoding", "chunked"),
        ] { request[field: name] = value }
        _ = setting.start(request)
        let sent = setting.exchange.request
        #expect(sent.fields.lines.count == 1 && sent.fields.values(named: Array("X-Own".utf8)).count == 1)
        #expect(sent.method == .get && sent.uri == World.uri("/a") && sent.framing == .none)
        setting.exchange.receiver?.exchangeWantsContent(100)
        #expect(setting.exchange.sent.value.isEmpty && !setting.exchange.isFinished.value)
    }

    @Test("content is sent as it is asked for, and counted (S-148)", arguments: [false, true])
    func upload(asksInStart: Bool) {
        let setting = Setting()
        setting.provider.creditsInStart.change { $0 = asksInStart ? [2] : [] }
        let operation = setting.start(HTTPRequest(method: .post, url: World.uri("/a"), body: Array("abcdef".utf8)))
        let exchange = setting.exchange
        for bytes in asksInStart ? [] : [0, -1, 2] {
            #expect(exchange.sent.value.isEmpty)
            exchange.receiver?.exchangeWantsContent(bytes)
        }
        #expect(exchange.request.framing == .length(6) && exchange.sent.value == Array("ab".utf8))
        #expect(operation.transferMetrics.requestBytesSent == 2 && operation.transferMetrics.requestBytesTotal == 6)
        exchange.receiver?.exchangeWantsContent(.max)
        exchange.receiver?.exchangeWantsContent(10)
        #expect(exchange.sent.value == Array("abcdef".utf8) && exchange.finishes.value == 1)
        exchange.receiver?.exchangeDidReceive(head(204))
        exchange.receiver?.exchangeDidEnd(trailers: nil)
        #expect(setting.results.value[0].head?.status == 204 && setting.results.value[0].content == [])
    }

    @Test(
        "what an exchange asks for inside its start is sent once it has begun, to the byte",
        arguments: [
            ([], ""), ([0], ""), ([-1], ""), ([1], "a"), ([1, 0, 1], "ab"), ([6], "abcdef"), ([.max, .max], "abcdef"),
        ] as [([Int], String)]
    )
    func earlyCredit(credits: [Int], sent: String) {
        let setting = Setting()
        setting.provider.creditsInStart.change { $0 = credits }
        _ = setting.start(HTTPRequest(method: .post, url: World.uri("/a"), body: Array("abcdef".utf8)))
        #expect(setting.exchange.sent.value == Array(sent.utf8))
        #expect(setting.exchange.finishes.value == (sent == "abcdef" ? 1 : 0))
    }

    @Test("no bytes of content are a length of zero, and finished at once they are wanted (S-114)")
    func emptyUpload() {
        let setting = Setting()
        _ = setting.start(HTTPRequest(method: .post, url: World.uri("/a"), body: []))
        #expect(setting.exchange.request.framing == .length(0) && setting.exchange.finishes.value == 0)
        setting.exchange.receiver?.exchangeWantsContent(10)
        #expect(setting.exchange.sent.value.isEmpty && setting.exchange.isFinished.value)
    }

    @Test("a failure is reported as it is, with the head that had come (T-014, S-161)")
    func failure() {
        let setting = Setting()
        _ = setting.start(setting.get)
        setting.exchange.receiver?.exchangeDidReceive(head())
        setting.exchange.receiver?.exchangeDidFail(ExchangeFailure(.responseIncomplete, "broke off"))
        let result = setting.results.value.first
        #expect((result?.error as? ExchangeFailure)?.kind == .responseIncomplete)
        #expect(result?.head?.status == 200 && result?.content == nil && !setting.exchange.isCancelled.value)
    }

    @Test("an exchange that leaves HTTP is a fault of the origin's; its connection is closed, and it is over")
    func switching() {
        let (setting, connection) = (Setting(), ClosedConnection())
        _ = setting.start(setting.get)
        for _ in 0..<2 { setting.exchange.receiver?.exchangeDidSwitch(head(101), to: connection) }
        #expect(connection.closes.value == 2 && setting.results.value.count == 1)
        let result = setting.results.value[0]
        #expect((result.error as? ExchangeFailure)?.kind == .protocolError && result.head == nil)
        #expect(!setting.exchange.isCancelled.value)
    }

    @Test("cancelling gives the exchange up and reports an error, once; before its start it does not begin (S-147)")
    func cancel() {
        let setting = Setting()
        let operation = setting.start(setting.get)
        operation.cancel()
        operation.cancel()
        #expect(setting.exchange.isCancelled.value && setting.results.value.count == 1)
        #expect((setting.results.value[0].error as? ExchangeFailure)?.kind == .cancelled)
        let early = setting.networking.startRequest(setting.get) { [results = setting.results] result in
            results.change { $0.append(result) }
        }
        early.cancel()
        setting.context.run()
        #expect(setting.provider.exchanges.value.count == 1 && setting.results.value.count == 2)
    }

    @Test("content above the limit fails, announced or not, and the exchange is given up", arguments: [true, false])
    func limit(isAnnounced: Bool) {
        let setting = Setting(limit: 5)
        _ = setting.start(setting.get)
        setting.exchange.receiver?.exchangeDidReceive(head(length: isAnnounced ? 6 : nil))
        #expect(setting.results.value.count == (isAnnounced ? 1 : 0))
        setting.exchange.receiver?.exchangeDidReceive(ByteChunk("abcde"))
        #expect(setting.results.value.count == (isAnnounced ? 1 : 0))
        setting.exchange.receiver?.exchangeDidReceive(ByteChunk("f"))
        setting.exchange.receiver?.exchangeDidEnd(trailers: nil)
        let cause = setting.results.value.first?.error as? RequestError.Cause.ContentTooLarge
        #expect(cause?.limit == 5 && setting.results.value.count == 1 && setting.exchange.isCancelled.value)
    }

    @Test("without a limit of the program's, content of 64 MiB is accepted, and one byte more is not")
    func usualLimit() {
        for (length, isRefused) in [(64 << 20, false), ((64 << 20) + 1, true)] as [(Int64, Bool)] {
            let setting = Setting()
            let networking = ExchangeNetworking(setting.provider)
            #expect(networking.transfersFiles)
            let operation = networking.startRequest(setting.get) { [results = setting.results] result in
                results.change { $0.append(result) }
            }
            setting.context.run()
            setting.exchange.receiver?.exchangeDidReceive(head(length: length))
            #expect(setting.results.value.count == (isRefused ? 1 : 0), "\(length)")
            operation.cancel()
        }
    }

    @Test("an exchange that fails inside its start is reported, and not kept")
    func failureInStart() {
        let setting = Setting()
        setting.provider.failsInStart.change { $0 = true }
        _ = setting.start(setting.get)
        #expect((setting.results.value.first?.error as? ExchangeFailure)?.kind == .connectionRefused)
    }

    @Test("requests of a service over exchanges fail with the kind the exchange failed with (S-161)")
    func throughService() async {
        let setting = Setting()
        let service = Service(
            name: "test",
            table: ResourceTable(environment: CoreEnvironment(timekeeper: ManualTimekeeper(), hasher: PlainHasher())),
            networking: setting.networking
        )
        let request = service.resource(for: World.uri("/a")).request(.get)
        setting.context.run()
        setting.exchange.receiver?.exchangeDidFail(ExchangeFailure(.connectionRefused, "refused"))
        let error = await request.outcome.response.error
        #expect((error?.cause as? RequestError.Cause.Network)?.kind == .connectionRefused)
        #expect(error?.userMessage == "refused" && error?.httpStatusCode == nil)
    }
}

/// Exchanges the test drives by hand, uploads included.
private final class UploadProvider: ExchangeProvider {
    let manualContext: ManualContext
    let exchanges = LockedBox<[UploadExchange]>([])
    /// Asked for inside of the start, one after another.
    let creditsInStart = LockedBox<[Int]>([])
    let failsInStart = LockedBox(false)

    init(context: ManualContext) { manualContext = context }

    var context: any DeliveryContext { manualContext }

    func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        let exchange = UploadExchange(request, receiver)
        exchanges.change { $0.append(exchange) }
        for bytes in creditsInStart.value { receiver.exchangeWantsContent(bytes) }
        if failsInStart.value { receiver.exchangeDidFail(ExchangeFailure(.connectionRefused, "refused")) }
        return exchange
    }
}

private final class UploadExchange: Exchange {
    let request: OriginRequest
    private let held: LockedBox<(any ExchangeReceiver)?>
    let granted = LockedBox(0)
    let sent = LockedBox<[UInt8]>([])
    let finishes = LockedBox(0)
    let isCancelled = LockedBox(false)

    init(_ request: OriginRequest, _ receiver: any ExchangeReceiver) {
        self.request = request
        held = LockedBox(receiver)
    }

    var receiver: (any ExchangeReceiver)? { held.value }
    var isFinished: LockedBox<Bool> { LockedBox(finishes.value > 0) }
    func grant(_ bytes: Int) { granted.change { $0 += bytes } }
    func send(_ chunk: ByteChunk) { sent.change { $0 += chunk.bytes } }
    func finish(trailers: Fields?) { finishes.change { $0 += 1 } }
    func cancel() { isCancelled.change { $0 = true } }
}

/// Counts how often it is closed.
private final class ClosedConnection: SwitchedConnection {
    let closes = LockedBox(0)

    func close() { closes.change { $0 += 1 } }
}
