import Exchanges
import HTTPCore
import Locking
import Transforms

/// Loads the rest of a response for one reader that fell behind; runs on its provider's context.
final class CatchUpLoad: ExchangeReceiver, RestOfContent {
    fileprivate struct Progress {
        /// The position in the content of the next byte from the origin.
        var position: Int64 = 0
        /// The length of the whole content, once known.
        var total: Int64?
        /// Compares the content with what the reader has; nil if done or not needed.
        var comparison: ContentComparison?
        var hasHead = false
        var isOver = false
        /// Attempts that failed before their heads.
        var failures = 0
    }

    /// The exchange, in an object of its own: the body's grant closure needs it during `init`.
    private final class Flow: Sendable {
        private let exchange = Lock<(any Exchange)?>(nil)

        func set(_ new: (any Exchange)?) -> (any Exchange)? { exchange.withLock { ($0, $0 = new).0 } }
        func grant(_ bytes: Int) { exchange.withLock { $0 }?.grant(bytes) }
    }

    /// Pauses between attempts; after the last one the body fails.
    private static let pauses: [Duration] = [.seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16)]

    let body: GrowingBody
    private let plan: CatchUpPlan
    /// How many bytes the reader has.
    private let offset: Int64
    private let digests: BlockDigests?
    private let flow: Flow
    private let progress = Lock(Progress())

    /// Returns nil without a strong tag, and without a digest to compare the reader's bytes with.
    init?(_ plan: CatchUpPlan, from offset: Int64, _ digests: BlockDigests?) {
        guard plan.hasStrongTag || digests?.comparison(upTo: offset) != nil else { return nil }
        self.plan = plan
        self.offset = offset
        self.digests = digests
        let flow = Flow()
        self.flow = flow
        body = GrowingBody(
            limits: plan.limits,
            expected: nil,
            isShared: false,
            granted: plan.initialCredit,
            makeWriter: nil,
            grant: { flow.grant($0) },
            lostStore: {}
        )
    }

    func start() {
        RespiteLog.log(.network, "\(plan.uri.text): a reader fell behind at \(offset) and goes on by a load of its own")
        begin()
    }

    private func begin() {
        if plan.provider.context.isCurrent { ask() } else { plan.provider.context.submit { self.ask() } }
    }

    private func ask() {
        if isOver { return }
        let exchange = plan.provider.start(plan.request(from: offset), receiver: self)
        _ = flow.set(exchange)
        if isOver { flow.set(nil)?.cancel() }
    }

    func cancel() {
        progress.withLock { $0.isOver = true }
        flow.set(nil)?.cancel()
    }

    private var isOver: Bool { progress.withLock { $0.isOver } }

    // MARK: Events of the exchange

    func exchangeDidReceiveInterim(_ head: ResponseHead) {}
    func exchangeWantsContent(_ bytes: Int) {}

    func exchangeDidReceive(_ head: ResponseHead) {
        if isOver { return }
        switch plan.judge(head, from: offset) {
        case .begins(let position, let total):
            progress.withLock { progress in
                progress.hasHead = true
                progress.position = position
                progress.total = total
                progress.comparison = plan.hasStrongTag ? nil : digests?.comparison(upTo: offset)
            }
        case .mayRepeat(let pause):
            flow.set(nil)?.cancel()
            repeatLater(ExchangeFailure(.responseIncomplete, "the origin answered \(head.status)"), after: pause)
        case .refused(let reason):
            giveUp(reason)
        }
    }

    func exchangeDidReceive(_ chunk: ByteChunk) {
        if isOver { return }
        let (pieces, skipped) = progress.withLock { $0.take(chunk, for: offset) }
        guard let pieces else { return giveUp("what the origin sends now is another content") }
        // Bytes that the reader does not get must not use up the credit of its body.
        if skipped > 0 { flow.grant(skipped) }
        for piece in pieces where !piece.isEmpty { body.append(piece) }
    }

    func exchangeDidEnd(trailers: Fields?) {
        if isOver { return }
        _ = flow.set(nil)
        let isWhole = progress.withLock { progress in
            progress.isOver = true
            return progress.comparison == nil && progress.position >= offset
                && progress.total.map { $0 == progress.position } ?? true
        }
        if isWhole { body.finish(trailers: trailers) } else { body.fail(Self.failure("the content ends early")) }
    }

    func exchangeDidFail(_ failure: ExchangeFailure) {
        if isOver { return }
        _ = flow.set(nil)
        repeatLater(failure, after: failure.retryAfter)
    }

    /// Tries again if no head has come and the failure may be temporary.
    private func repeatLater(_ failure: ExchangeFailure, after least: Duration?) {
        let pause = progress.withLock { progress -> Duration? in
            if progress.isOver { return nil }
            guard !progress.hasHead, failure.isNetworkLevel, progress.failures < Self.pauses.count else {
                progress.isOver = true
                return nil
            }
            defer {
                // A queue for connections becomes shorter by itself: this attempt does not count.
                if failure.kind != .connectionLimitReached { progress.failures += 1 }
            }
            return max(Self.pauses[progress.failures], min(least ?? .zero, .seconds(60)))
        }
        guard let pause else { return body.fail(failure) }
        plan.timekeeper.after(pause) { [weak self] in self?.begin() }
    }

    private func giveUp(_ reason: String) {
        progress.withLock { $0.isOver = true }
        flow.set(nil)?.cancel()
        RespiteLog.log(.network, "\(plan.uri.text): a reader that fell behind at \(offset) is cut: \(reason)")
        body.fail(Self.failure(reason))
    }

    private static func failure(_ reason: String) -> ExchangeFailure {
        ExchangeFailure(.protocolError, reason)
    }
}

extension CatchUpLoad.Progress {
    /// The pieces for the reader, nil if the content differs; and how many further bytes to request in their position.
    fileprivate mutating func take(_ chunk: ByteChunk, for offset: Int64) -> (pieces: [ByteChunk]?, skipped: Int) {
        defer { position += Int64(chunk.count) }
        guard comparison != nil else {
            let skipped = Int(min(Int64(chunk.count), max(0, offset - position)))
            return ([chunk.dropFirst(skipped)], skipped)
        }
        let pieces = comparison?.compare(chunk)
        if comparison?.isDone ?? true { comparison = nil }
        return (pieces, chunk.count)
    }
}
