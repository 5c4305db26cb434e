import Exchanges
import HTTPCore
import Locking
import TestDoubles

/// Exchanges by policies over a scripted origin, all under the test's control.
struct PolicyWorld {
    let timekeeper = ManualTimekeeper()
    let context = ManualContext()
    let origin: ScriptedProvider
    let provider: PolicyProvider
    let statistics = PolicyStatistics()

    /// - Parameter chance: what jitter is made of.
    init(chance: Double = 1, origins: CircuitBreakers? = nil) {
        origin = ScriptedProvider(context: context)
        provider = PolicyProvider(origin, timekeeper: timekeeper, statistics: statistics, circuitBreakers: origins) {
            chance
        }
    }

    /// Begins an exchange.
    func start(
        _ path: String = "/a",
        host: String = "origin.example",
        method: Method = .get,
        framing: Framing = .none,
        retry: RetryPolicy? = nil,
        rateLimit: RateLimiter? = nil,
        credential: (any CredentialSource)? = nil,
        denial: Denial? = nil,
        acceptsWholeResponses: Bool = false
    ) -> PolicyReceiver {
        var fields = Fields()
        fields.append(.accept, "*/*")
        let uri = TargetURI(scheme: .http, host: Array(host.utf8), port: 80, path: Array(path.utf8))
        var request = OriginRequest(method: method, uri: uri, fields: fields, framing: framing)
        request.policies = ExchangePolicies(retry: retry, rateLimit: rateLimit)
        request.policies.denial = denial
        request.credential = credential
        let receiver = PolicyReceiver(acceptsWholeResponses: acceptsWholeResponses)
        receiver.exchange.change { $0 = context.perform { provider.start(request, receiver: receiver) } }
        context.run()
        return receiver
    }

    /// Lets time pass, and what is due happen.
    func advance(by duration: Duration) {
        timekeeper.advance(by: duration)
        context.run()
    }

    /// The last request the origin saw.
    var last: ScriptedExchange { origin.exchanges[origin.exchanges.count - 1] }
    var count: Int { origin.count }
}

/// Takes what an exchange brings, and keeps it.
final class PolicyReceiver: ExchangeReceiver {
    private let state = Lock((log: [String](), failure: ExchangeFailure?.none))
    let exchange = LockedBox<(any Exchange)?>(nil)
    let acceptsWholeResponses: Bool

    init(acceptsWholeResponses: Bool = false) { self.acceptsWholeResponses = acceptsWholeResponses }

    /// `103`, `200`, `"abc"`, `end`, `failed`: in order.
    var log: [String] { state.withLock { $0.log } }
    var failure: ExchangeFailure? { state.withLock { $0.failure } }

    func cancel() { exchange.value?.cancel() }

    func exchangeDidReceiveInterim(_ head: ResponseHead) { note("\(head.status)") }
    func exchangeDidReceive(_ head: ResponseHead) { note("\(head.status)") }
    func exchangeDidReceive(_ whole: WholeResponse) {
        note("whole \(whole.head.status) \"\(String(decoding: whole.content.bytes, as: UTF8.self))\"")
    }
    func exchangeDidReceive(_ chunk: ByteChunk) { note("\"\(String(decoding: chunk.bytes, as: UTF8.self))\"") }
    func exchangeDidEnd(trailers: Fields?) { note("end") }
    func exchangeDidFail(_ failure: ExchangeFailure) {
        state.withLock { $0.failure = failure }
        note("failed")
    }
    func exchangeWantsContent(_ bytes: Int) { note("wants") }

    private func note(_ what: String) { state.withLock { $0.log.append(what) } }
}
