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
    private let link: ResourceLink
    let provider: any ExchangeProvider
    private let phase = Lock(Progress())
    /// Set while no request waits: each chunk then rechecks whether the load should continue.
    private let isOnTrial = Atomic<Bool>(false)

    init(
        number: UInt64,
        sentAt: MonotonicTime,
        request: OriginRequest,
        link: ResourceLink,
        provider: any ExchangeProvider
    ) {
        self.number = number
        self.sentAt = sentAt
        self.request = request
        self.link = link
        self.provider = provider
    }

    private var resource: Resource? { link.resource }

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
        let (exchange, body) = phase.withLock { progress in
            progress.isCancelled = true
            defer {
                progress.exchange = nil
                progress.body = nil
                progress.feed = nil
            }
            return (progress.exchange, progress.body ?? progress.feed)
        }
        exchange?.cancel()
        body?.fail(Self.abandoned)
    }

    /// Fails the load: the content is not what its head announced.
    func giveUp(_ failure: ExchangeFailure) {
        let exchange = phase.withLock { progress in
            progress.isCancelled = true
            defer {
                progress.exchange = nil
                progress.body = nil
                progress.feed = nil
            }
            return progress.exchange
        }
        exchange?.cancel()
        resource?.load(self, didFail: failure)
    }

    func didFindDamaged(_ prefix: StoredResponse) { resource?.load(self, didFindDamaged: prefix) }

    private static let abandoned = ExchangeFailure(
        .cancelled,
        "nobody waits for the response any more",
        responseHadBegun: true
    )

    /// The content could not be redacted.
    func didFailRedaction(_ failure: RunFailure) {
        // The exchange itself reports incomplete content.
        switch failure {
        case .transformation, .overloaded, .outOfMemory: resource?.load(self, didFailRedaction: failure)
        case .interrupted, .cancelled: break
        }
    }

    /// The body accepts `bytes` more.
    func grant(_ bytes: Int) {
        if let feed = phase.withLock({ $0.feed }) { feed.grant(bytes) } else { grantOrigin(bytes) }
    }

    func grantOrigin(_ bytes: Int) { phase.withLock { $0.exchange }?.grant(bytes) }

    private var isCancelled: Bool { phase.withLock { $0.isCancelled } }
    private var body: (any BodySink)? { phase.withLock { $0.body } }

    // MARK: Events of the exchange

    func exchangeDidReceiveInterim(_ head: ResponseHead) {
        if !isCancelled { resource?.load(self, didReceiveInterim: head) }
    }

    func exchangeDidReceive(_ head: ResponseHead) {
        if isCancelled { return }
        if case .length(let length) = head.framing { phase.withLock { $0.length = length } }
        guard let resource, let response = resource.incomingResponse(of: self, head) else { return }
        receive(into: response.content)
        resource.load(self, didReceive: response)
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
        guard let body else { return grant(chunk.count) }
        body.append(chunk)
        if isOnTrial.load(ordering: .relaxed) { reconsider() }
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
        guard let resource, !resource.load(self, didReceive: whole) else { return }
        // The response needs the separate steps.
        exchangeDidReceive(whole.head)
        if !whole.content.isEmpty { exchangeDidReceive(whole.content) }
        exchangeDidEnd(trailers: nil)
    }

    func exchangeDidFail(_ failure: ExchangeFailure) {
        if isCancelled { return }
        finish()?.fail(failure)
        resource?.load(self, didFail: failure)
    }

    func exchangeWantsContent(_ bytes: Int) {}

    /// Progress between 0 and 1: the wait for the head, then the received share of the announced length (S-220 to
    /// S-223).
    package var progress: Double {
        guard let now = resource?.environment.timekeeper.now else { return 1 }
        return phase.withLock { progress in
            var estimator = progress.estimator ?? ProgressEstimator(isDownload: true, now: sentAt)
            estimator.update(received: progress.body?.received ?? 0, receivedTotal: progress.length, now: now)
            progress.estimator = estimator
            return estimator.fraction
        }
    }

    // MARK: Events of the content

    func reconsider() { resource?.reconsider(self) }

    func putOnTrial() { isOnTrial.store(true, ordering: .relaxed) }

    /// All readers continue elsewhere, and no request can begin to read.
    func didLoseReaders() { resource?.loadDidLoseReaders(self) }

    /// The content is complete; `body` is what is stored of it, nil if nothing is.
    func didFinalize(_ body: RecordBody?) { resource?.load(self, didFinalize: body) }

    private func finish() -> (any BodySink)? {
        phase.withLock { progress in
            progress.isEnded = true
            progress.exchange = nil
            defer { progress.body = nil }
            return progress.body
        }
    }
}
