import Exchanges
import HTTPCore
import Locking
import Synchronization
import Transforms

/// One request to the origin for a resource; runs on its provider's context.
package final class Load: ExchangeReceiver, ProgressSource {
    private struct Progress {
        var exchange: (any Exchange)?
        var body: (any BodySink)?
        /// Grants credit to the origin instead of this load, until it has ended.
        var feed: PrefixedContent?
        /// After so many bytes the load ends; nil: with the message.
        var end: Int64?
        /// Bytes that the origin may send in all.
        var granted: Int64
        /// How often the rest was asked for.
        var attempts = 0
        /// How often in a row the response was cut without another byte, and after how many bytes.
        var cuts = (count: 0, at: Int64(0))
        var isCancelled = false
        /// The exchange has made its last call, perhaps within `start`: it is not kept any more.
        var isEnded = false
        /// The length that the head announced.
        var length: Int64?
        /// Made when progress is first asked for.
        var estimator: ProgressEstimator?
    }

    package let number: UInt64
    let sentAt: MonotonicTime
    let request: OriginRequest
    /// Does not keep the resource: when the resource ends, it cancels the load.
    private let owner: any LoadOwner
    let provider: any ExchangeProvider
    private let phase: Lock<Progress>
    /// Set while no request waits: each chunk then rechecks whether the load should continue.
    private let isOnTrial = Atomic<Bool>(false)

    init(
        number: UInt64,
        sentAt: MonotonicTime,
        request: OriginRequest,
        owner: any LoadOwner,
        provider: any ExchangeProvider
    ) {
        self.number = number
        self.sentAt = sentAt
        self.request = request
        self.owner = owner
        self.provider = provider
        phase = Lock(Progress(granted: Int64(request.initialCredit)))
    }

    private var delegate: (any LoadDelegate)? { owner.delegate }

    func start() {
        if provider.context.isCurrent { begin() } else { provider.context.submit { self.begin() } }
    }

    private func begin() {
        guard !phase.withLock({ $0.isCancelled }) else { return }
        let exchange = provider.start(request, receiver: self)
        let isCancelled = phase.withLock { progress in
            if !progress.isEnded, !progress.isCancelled { progress.exchange = exchange }
            return progress.isCancelled
        }
        if isCancelled { exchange.cancel() }
    }

    /// Cancels the exchange; nothing more is received.
    func cancel() {
        let (exchange, body) = stop()
        exchange?.cancel()
        body?.fail(Self.abandoned)
    }

    /// Fails the load: the content is not what its head announced.
    func giveUp(_ failure: ExchangeFailure) {
        stop().exchange?.cancel()
        delegate?.load(self, didFail: failure)
    }

    /// Ends receiving, but lets `feed` grant credit; returns the exchange to cancel, and what has got the content.
    private func stop(feed: PrefixedContent? = nil) -> (exchange: (any Exchange)?, body: (any BodySink)?) {
        phase.withLock { progress in
            progress.isCancelled = true
            defer { (progress.exchange, progress.body, progress.feed) = (nil, nil, feed) }
            return (progress.exchange, progress.body ?? progress.feed)
        }
    }

    func didFindDamaged(_ prefix: StoredResponse) { delegate?.load(self, didFindDamaged: prefix) }

    private static let abandoned = ExchangeFailure(.cancelled, "nobody waits for the response any more")

    /// The content could not be redacted.
    func didFailRedaction(_ failure: RunFailure) {
        // The exchange itself reports incomplete content.
        switch failure {
        case .transformation, .overloaded, .outOfMemory: delegate?.load(self, didFailRedaction: failure)
        case .interrupted, .cancelled: break
        }
    }

    /// The body accepts `bytes` more.
    func grant(_ bytes: Int) {
        if let feed = phase.withLock({ $0.feed }) { feed.grant(bytes) } else { grantOrigin(bytes) }
    }

    func grantOrigin(_ bytes: Int) {
        let exchange = phase.withLock { progress in
            progress.granted += Int64(bytes)
            return progress.exchange
        }
        exchange?.grant(bytes)
    }

    private var isCancelled: Bool { phase.withLock { $0.isCancelled } }
    private var body: (any BodySink)? { phase.withLock { $0.body } }

    // MARK: Events of the exchange

    func exchangeDidReceiveInterim(_ head: ResponseHead) {
        if !isCancelled { delegate?.load(self, didReceiveInterim: head) }
    }

    func exchangeDidReceive(_ head: ResponseHead) {
        if isCancelled { return }
        if case .length(let length) = head.framing { phase.withLock { $0.length = length } }
        guard let delegate, let response = delegate.incomingResponse(of: self, head) else { return }
        receive(into: response.content)
        delegate.load(self, didReceive: response)
    }

    /// From now on content goes into `body`.
    private func receive(into body: any BodySink) {
        let feed = (body as? PrefixedContent).flatMap { $0.dealsOutCredit ? $0 : nil }
        let isCancelled = phase.withLock { progress in
            if !progress.isCancelled {
                progress.body = body
                progress.feed = feed
            }
            return progress.isCancelled
        }
        // Another thread cancelled the load meanwhile: a failed body releases what it refers to.
        if isCancelled { body.fail(Self.abandoned) } else { feed?.start() }
    }

    func exchangeDidReceive(_ chunk: ByteChunk) {
        let (body, end) = phase.withLock { ($0.body, $0.end) }
        guard let body else { return grant(chunk.count) }
        if let end, body.received + Int64(chunk.count) >= end { return finishEarly(body, chunk, end) }
        body.append(chunk)
        if isOnTrial.load(ordering: .relaxed) { reconsider() }
    }

    /// Other loads bring what follows after `count` bytes: it ends there, as a part of the message.
    func shorten(to count: Int64) { phase.withLock { $0.end = count } }

    private func finishEarly(_ body: any BodySink, _ chunk: ByteChunk, _ end: Int64) {
        body.append(chunk.prefix(Int(max(0, end - body.received))))
        stop(feed: phase.withLock { $0.feed }).exchange?.cancel()
        body.finish(trailers: nil)
    }

    func exchangeDidEnd(trailers: Fields?) {
        finish()?.finish(trailers: trailers)
    }

    var acceptsWholeResponses: Bool { true }

    func exchangeDidReceive(_ whole: WholeResponse) {
        let isCancelled = phase.withLock { progress in
            progress.isEnded = true
            progress.exchange = nil
            return progress.isCancelled
        }
        if isCancelled { return }
        guard let delegate, !delegate.load(self, didReceive: whole) else { return }
        // The response needs the separate steps.
        exchangeDidReceive(whole.head)
        if !whole.content.isEmpty { exchangeDidReceive(whole.content) }
        exchangeDidEnd(trailers: nil)
    }

    func exchangeDidFail(_ failure: ExchangeFailure) {
        if isCancelled { return }
        if failure.isNetworkLevel, resume(after: failure) { return }
        fail(failure)
    }

    /// The resource knows before the readers that the response ends here: it keeps what has come.
    private func fail(_ failure: ExchangeFailure) {
        let body = finish()
        delegate?.load(self, didFail: failure)
        body?.fail(failure)
    }

    // MARK: Going on after a cut

    /// Pauses before attempts without another byte; after the last one the load fails.
    private static let pauses: [Duration] = [.zero, .milliseconds(250), .seconds(1), .seconds(2)]

    /// Asks for the rest of a response that the origin cut; false if that is not possible.
    private func resume(after failure: ExchangeFailure) -> Bool {
        guard let delegate, let plan = delegate.resumption(of: self) else { return false }
        let next = phase.withLock { progress -> (offset: Int64, received: Int64, pause: Duration)? in
            progress.exchange = nil
            guard let body = progress.body else { return nil }
            let received = body.received
            progress.cuts = (received > progress.cuts.at ? 1 : progress.cuts.count + 1, received)
            guard progress.cuts.count <= Self.pauses.count else { return nil }
            // A stored first part is put before what the origin sends.
            let offset = received + ((body as? PrefixedContent)?.prefix.contentLength ?? 0)
            return (offset, received, Self.pauses[progress.cuts.count - 1])
        }
        guard let next else { return false }
        RespiteLog.log(
            .network,
            "\(plan.uri.text): cut at \(next.offset), the rest is asked for: \(failure.userMessage)"
        )
        let pause = max(next.pause, min(failure.retryAfter ?? .zero, .seconds(2)))
        if pause == .zero {
            goOn(ResumedContent(plan, from: next.offset, of: self), after: next.received)
        } else {
            plan.timekeeper.after(pause) { [weak self] in
                guard let self else { return }
                provider.context.submit {
                    self.goOn(ResumedContent(plan, from: next.offset, of: self), after: next.received)
                }
            }
        }
        return true
    }

    private func goOn(_ content: ResumedContent, after received: Int64) {
        let begun = phase.withLock { progress -> (granted: Int64, attempt: Int)? in
            if progress.isCancelled { return nil }
            progress.attempts += 1
            return (progress.granted, progress.attempts)
        }
        guard let begun else { return }
        let exchange = content.start(credit: max(0, Int(clamping: begun.granted - received)))
        // It may have ended already. What readers granted meanwhile on other threads has reached no exchange.
        let (isCancelled, credit) = phase.withLock { progress -> (Bool, Int64) in
            guard !progress.isCancelled, progress.body != nil, progress.attempts == begun.attempt else {
                return (progress.isCancelled, 0)
            }
            progress.exchange = exchange
            return (false, progress.granted - begun.granted)
        }
        if isCancelled { exchange.cancel() } else if credit > 0 { exchange.grant(Int(clamping: credit)) }
    }

    /// The rest could not be had.
    func resumptionDidFail(_ failure: ExchangeFailure, mayRepeat: Bool) {
        phase.withLock { $0.exchange.take() }?.cancel()
        if mayRepeat { return exchangeDidFail(failure) }
        if !isCancelled { fail(failure) }
    }

    func exchangeWantsContent(_ bytes: Int) {}

    /// Progress between 0 and 1: the wait for the head, then the received share of the announced length (S-220 to
    /// S-223).
    package var progress: Double {
        guard let now = delegate?.environment.timekeeper.now else { return 1 }
        return phase.withLock { progress in
            var estimator = progress.estimator ?? ProgressEstimator(isDownload: true, now: sentAt)
            estimator.update(received: progress.body?.received ?? 0, receivedTotal: progress.length, now: now)
            progress.estimator = estimator
            return estimator.fraction
        }
    }

    // MARK: Events of the content

    func reconsider() { delegate?.reconsider(self) }

    func putOnTrial() { isOnTrial.store(true, ordering: .relaxed) }

    /// All readers continue elsewhere, and no request can begin to read.
    func didLoseReaders() { delegate?.loadDidLoseReaders(self) }

    /// The content is complete; `body` is what is stored of it, nil if nothing is.
    func didFinalize(_ body: RecordBody?) { delegate?.load(self, didFinalize: body) }

    private func finish() -> (any BodySink)? {
        phase.withLock { progress in
            progress.isEnded = true
            progress.exchange = nil
            defer { progress.body = nil }
            return progress.body
        }
    }
}

/// Reports the progress of a load: 0 to 1, or not a number.
package protocol ProgressSource: AnyObject, Sendable {
    var progress: Double { get }
}
