import TestDoubles
import HTTPCore
import Locking
import ResourceCore
import ResourceModel

/// A networking provider that answers by a rule, or holds requests back until the test answers them.
final class StubNetworking: NetworkingProvider {
    typealias Rule = @Sendable (HTTPRequest) -> NetworkingResult?

    private let rule: LockedBox<Rule>
    private let log = LockedBox<[StubExchange]>([])

    /// - Parameter rule: nil holds the request back.
    init(_ rule: @escaping Rule = { _ in nil }) { self.rule = LockedBox(rule) }

    /// All requests that were started, in order.
    var exchanges: [StubExchange] { log.value }
    var requests: [HTTPRequest] { log.value.map(\.request) }
    var last: StubExchange { log.value[log.value.count - 1] }

    func answer(by rule: @escaping Rule) { self.rule.change { $0 = rule } }

    func startRequest(
        _ request: HTTPRequest,
        completion: @escaping @Sendable (NetworkingResult) -> Void
    ) -> any RequestNetworking {
        let exchange = StubExchange(request, completion)
        log.change { $0.append(exchange) }
        if let result = rule.value(request) { exchange.complete(result) }
        return exchange
    }
}

/// One request at the stub.
final class StubExchange: RequestNetworking {
    let request: HTTPRequest
    private let completion: LockedBox<@Sendable (NetworkingResult) -> Void>
    private let cancelled = LockedBox(false)
    let metrics = LockedBox(RequestTransferMetrics())

    init(_ request: HTTPRequest, _ completion: @escaping @Sendable (NetworkingResult) -> Void) {
        self.request = request
        self.completion = LockedBox(completion)
    }

    var isCancelled: Bool { cancelled.value }
    func cancel() { cancelled.change { $0 = true } }
    var transferMetrics: RequestTransferMetrics { metrics.value }

    /// Reports; may be done more than once, as no provider should.
    func complete(_ result: NetworkingResult) { completion.value(result) }

    func answer(_ status: UInt16 = 200, _ lines: [(String, String)] = [], _ text: String? = "") {
        complete(.answer(status, lines, text))
    }
}

extension NetworkingResult {
    static func answer(
        _ status: UInt16 = 200,
        _ lines: [(String, String)] = [],
        _ text: String? = ""
    ) -> NetworkingResult {
        var fields = Fields()
        for (name, value) in lines { fields.append(name: name, value: value) }
        return NetworkingResult(
            head: ResponseHead(status: status, fields: fields),
            content: text.map { Array($0.utf8) }
        )
    }
}
