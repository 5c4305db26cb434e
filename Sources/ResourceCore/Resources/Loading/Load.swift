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
        /// What deals out credit to the origin in place of this load, until it has ended.
        var feed: PrefixedContent?
        var isCancelled = false
        /// The exchange has made its last call, perhaps within `start`: it is not kept any more.
        var isEnded = false
        /// What the head announced.
        var length: Int64?
        /// Made when somebody first wants to know.
        var estimator: ProgressEstimator?
    }

    package let number: UInt64
    let sentAt: MonotonicTime
    let request: OriginRequest
    /// What is under way for a resource that nobody keeps is given up.
    private let link: ResourceLink
    let provider: any ExchangeProvider
    private let phase = Lock(Progress())
    /// Nobody waits any more: with each chunk it is asked again whether going on is worth it.
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

    /// Gives the exchange up; nothing more is received.
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

    /// What the origin sends is not what it announced.
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
        // What did not come whole is told by the exchange.
        switch failure {
        case .transformation, .overloaded, .outOfMemory: resource?.load(self, didFailRedaction: failure)
        case .interrupted, .cancelled: break
        }
    }

    /// The body takes `bytes` more.
    func grant(_ bytes: Int) {
        if let feed = phase.withLock({ $0.feed }) { feed.grant(bytes) } else { grantOrigin(bytes) }
    }

    func grantOrigin(_ bytes: Int) { phase.withLock { $0.exchange }?.grant(bytes) }

    private var isCancelled: Bool { phase.withLock { $0.isCancelled } }
    private var body: (any BodySink)? { phase.withLock { $0.body } }

    // MARK: What the exchange brings

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
        // Given up meanwhile by another thread: what refers to the body lets go of it.
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
        // Something is special about it.
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

    /// How far it has come, between 0 and 1: the wait for the head, then what was received of the announced length
    /// (S-220 to S-223).
    package var progress: Double {
        guard let now = resource?.environment.timekeeper.now else { return 1 }
        return phase.withLock { progress in
            var estimator = progress.estimator ?? ProgressEstimator(isDownload: true, now: sentAt)
            estimator.update(received: progress.body?.received ?? 0, receivedTotal: progress.length, now: now)
            progress.estimator = estimator
            return estimator.fraction
        }
    }

    // MARK: What the content tells

    func reconsider() { resource?.reconsider(self) }

    func putOnTrial() { isOnTrial.store(true, ordering: .relaxed) }

    /// Those that read the content have gone on elsewhere, and nobody else can begin.
    func didLoseReaders() { resource?.loadDidLoseReaders(self) }

    /// The content is complete, and in the form in which it is stored.
    func didFinalize(_ rendition: RecordBody?) { resource?.load(self, didFinalize: rendition) }

    private func finish() -> (any BodySink)? {
        phase.withLock { progress in
            progress.isEnded = true
            progress.exchange = nil
            defer { progress.body = nil }
            return progress.body
        }
    }
}
