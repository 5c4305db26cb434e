import Exchanges
import HTTPCore
import Locking

/// Goes on with a response that the origin cut, from the first missing byte (RFC 9110 §14.2).
///
/// It asks with Range and If-Range under the strong tag. If the origin sends the whole again, it skips what has come.
final class ResumedContent: ExchangeReceiver {
    private let plan: CatchUpPlan
    /// How many bytes of the content have come.
    private let offset: Int64
    private let load: Load
    /// The position in the content of the next byte; nil before the head.
    private let position = Lock<Int64?>(nil)

    init(_ plan: CatchUpPlan, from offset: Int64, of load: Load) {
        self.plan = plan
        self.offset = offset
        self.load = load
    }

    /// - Parameter credit: how many bytes the origin may send.
    func start(credit: Int) -> any Exchange {
        var request = plan.request(from: offset)
        request.initialCredit = credit
        return plan.provider.start(request, receiver: self)
    }

    var acceptsWholeResponses: Bool { false }
    func exchangeDidReceive(_ whole: WholeResponse) {}
    func exchangeDidReceiveInterim(_ head: ResponseHead) {}
    func exchangeWantsContent(_ bytes: Int) {}

    func exchangeDidReceive(_ head: ResponseHead) {
        switch plan.judge(head, from: offset) {
        case .begins(let start, _): position.withLock { $0 = start }
        case .mayRepeat(let pause):
            var failure = ExchangeFailure(.responseIncomplete, "the origin answered \(head.status)")
            failure.retryAfter = pause
            load.resumptionDidFail(failure, mayRepeat: true)
        case .refused(let reason):
            load.resumptionDidFail(ExchangeFailure(.responseIncomplete, reason), mayRepeat: false)
        }
    }

    func exchangeDidReceive(_ chunk: ByteChunk) {
        let skipped = position.withLock { position -> Int in
            guard let start = position else { return chunk.count }
            position = start + Int64(chunk.count)
            return Int(min(Int64(chunk.count), max(0, offset - start)))
        }
        // Bytes that have come before must not use up the credit.
        if skipped > 0 { load.grantOrigin(skipped) }
        if skipped < chunk.count { load.exchangeDidReceive(chunk.dropFirst(skipped)) }
    }

    func exchangeDidEnd(trailers: Fields?) { load.exchangeDidEnd(trailers: trailers) }
    func exchangeDidFail(_ failure: ExchangeFailure) { load.exchangeDidFail(failure) }
}
