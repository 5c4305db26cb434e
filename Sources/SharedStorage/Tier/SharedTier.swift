public import Eventing
public import Exchanges
import HTTPCore
import Locking
import ResourceCore
import Stores
import Synchronization
import Transforms

/// The tier behind memory and store that all nodes share: what the loops have in common.
///
/// Safe from any thread. There is one only if settings name a server.
public final class SharedTier: Sendable {
    /// A response that is ready to be packed and stored.
    struct ReadyFill: Sendable {
        let response: StoredRecord
        let vary: [[UInt8]]
        let claim: Claim
        let times: SharedRecord.StoringTimes
    }

    public let options: SharedTierOptions
    public let statistics = TierStatistics()
    /// Leaves the server out while it is slow or down.
    public let breaker: ServerBreaker
    let fills = PendingFills()
    let revocations = Revocations()
    let purges = KnownPurges()
    private struct PurgeEntrance: Sendable {
        var submit: (@Sendable (@escaping @Sendable (PurgeExchange) -> Void) -> Void)?
        /// What came before there was an exchange.
        var early: [@Sendable (PurgeExchange) -> Void] = []
    }

    private let exchange = Lock(PurgeEntrance())
    private let announcements = Atomic<UInt64>(0)
    /// How to reach the client of one loop.
    private struct Entry: Sendable {
        let isHere: @Sendable () -> Bool
        let submit: @Sendable (@escaping @Sendable (TierClient) -> Void) -> Void
    }

    private let clients = Lock<[Entry]>([])
    private let timekeeper: any Timekeeper
    /// Runs work that would hold up a loop; false if it cannot.
    private let workers: @Sendable (@escaping @Sendable () -> Void) -> Bool
    private let report: @Sendable (String?) -> Void
    private let observe: @Sendable (Duration) -> Void

    /// - Parameters:
    ///   - report: gets why the server is of no use, and nil when it is of use again.
    ///   - observe: gets how long each look-up took.
    public init(
        _ options: SharedTierOptions,
        timekeeper: any Timekeeper,
        workers: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool,
        report: @escaping @Sendable (String?) -> Void = { _ in },
        observe: @escaping @Sendable (Duration) -> Void = { _ in }
    ) {
        self.options = options
        self.timekeeper = timekeeper
        self.workers = workers
        self.report = report
        self.observe = observe
        breaker = ServerBreaker()
    }

    /// Adds a loop's client.
    public func add(_ client: LoopBound<TierClient>) { add(isHere: { client.isHere }, submit: client.submit) }

    /// Adds a client.
    ///
    /// - Parameters:
    ///   - isHere: whether the caller is on its loop.
    ///   - submit: does work on its loop.
    func add(
        isHere: @escaping @Sendable () -> Bool,
        submit: @escaping @Sendable (@escaping @Sendable (TierClient) -> Void) -> Void
    ) {
        clients.withLock { $0.append(Entry(isHere: isHere, submit: submit)) }
    }

    /// The loops have ended: releases their clients, which refer to this tier, and drops what comes for them.
    public func end() {
        let clients = clients.withLock { clients in
            defer { clients = [] }
            return clients
        }
        let submit = exchange.withLock { exchange in
            defer { exchange.submit = { _ in } }
            return exchange.submit
        }
        // Released under no lock.
        withExtendedLifetime((clients, submit)) {}
    }

    // MARK: Health

    func admit(at now: MonotonicTime) -> ServerAdmission? {
        let admission = breaker.admit(at: now)
        if admission == nil { statistics.noteSkipped() }
        return admission
    }

    func noteResponse(at now: MonotonicTime) {
        breaker.didRespond(at: now)
        guard statistics.note(fault: nil) else { return }
        report(nil)
    }

    func noteFailure(_ admission: ServerAdmission, _ reason: String, at now: MonotonicTime, wall: HTTPDate) {
        statistics.noteFailure()
        breaker.didFail(reason, admission, at: now, wall: wall)
        note(fault: reason)
    }

    /// A response could not be stored.
    func noteRefusal(_ reason: String, at now: MonotonicTime) {
        statistics.noteRefused()
        note(fault: reason)
    }

    /// Reports a fault, if it is new; a mere timeout does not replace a fault that is known already.
    private func note(fault reason: String) {
        if reason == SharedFailure.timeout.userMessage, statistics.fault != nil { return }
        if statistics.note(fault: reason) { report(reason) }
    }

    func noteLookUp(_ faults: [RecordFault], took time: Duration, isHit: Bool) {
        statistics.note(faults)
        if isHit { statistics.noteHit() } else { statistics.noteMiss() }
        observe(time)
    }

    // MARK: Storing

    /// Stores a response for all nodes, if it may be shared and its load has asked this tier.
    func fill(_ response: StoredRecord) {
        guard let fill = fills.take(response) else { return }
        var times = fill.load.times(of: response, at: timekeeper.wallNow)
        times.seen = fill.seen
        let ready = ReadyFill(
            response: response,
            vary: fill.load.vary(of: response),
            claim: fill.claim,
            times: times
        )
        guard mayShare(response), ready.times.lifetime > .zero, workers({ [self] in pack(ready) }) else {
            return release(fill.claim)
        }
    }

    /// Ends the lease of a load whose response is not stored: nobody need wait for it.
    private func release(_ claim: Claim) {
        guard let lease = claim.lease else { return }
        onLoop { $0.release(lease, .unshareable) }
    }

    /// Whether a response may be on the shared server.
    ///
    /// Content that was redacted here would be taken for the origin's on other nodes.
    private func mayShare(_ response: StoredRecord) -> Bool {
        guard response.partition == .shared || options.sharesPrivate else { return false }
        return response.rendition.isEmpty && response.extent == nil && response.pieces.isEmpty
            && !response.isInvalidated && !response.uri.isQuestion
            && response.body.count <= Int64(options.maximumObjectSize)
            && !response.fields.mayBeSecret(options.credentialFields)
            && !response.requestFields.mayBeSecret(options.credentialFields)
    }

    /// On a worker.
    private func pack(_ fill: ReadyFill) {
        let count = Int(fill.response.body.count)
        let content: [UInt8]? =
            switch fill.response.body {
            case .bytes(let bytes): bytes
            case .file(let file): file.read(count, at: 0)
            }
        guard let content, content.count == count, fill.response.isPurged?() != true else { return release(fill.claim) }
        let id = UInt64.random(in: .min ... .max)
        let packed = RecordPacker().pack(fill.response, content, fill.claim, fill.times, id: id)
        onLoop { $0.store(packed, fill) }
    }

    // MARK: Other nodes

    /// Prepares to follow the purges of other nodes: until this node has caught up, nothing it has is proven current.
    ///
    /// - Parameter position: from the last run; nil: nothing was saved.
    public func begin(from position: KnownPurges.Position?) {
        purges.begin(position, at: timekeeper.wallNow)
    }

    /// Sets the exchange that follows the purges, which is bound to `loop`.
    public func follow(by exchange: PurgeExchange, on loop: EventLoop) {
        let bound = LoopBound(exchange, loop: loop)
        follow { bound.submit($0) }
    }

    /// Sets the exchange that follows the purges; `submit` does work with it on its loop.
    func follow(_ submit: @escaping @Sendable (@escaping @Sendable (PurgeExchange) -> Void) -> Void) {
        let early = exchange.withLock { exchange in
            exchange.submit = submit
            defer { exchange.early = [] }
            return exchange.early
        }
        for work in early { submit(work) }
    }

    private func onExchange(_ work: @escaping @Sendable (PurgeExchange) -> Void) {
        let submit = exchange.withLock { exchange in
            if exchange.submit == nil { exchange.early.append(work) }
            return exchange.submit
        }
        submit?(work)
    }

    /// Announces to the other nodes a change that is being made here.
    ///
    /// Until the change is in the stream, this node uses no record on the server that it covers.
    func announce(_ change: SharedChange) {
        let number = announcements.add(1, ordering: .relaxed).newValue
        if let uri = change.uri { fills.drop(uri) }
        let isOne = revocations.begin(change, number: number)
        onExchange { if isOne { $0.announce(change, number: number) } else { $0.announceAll(number: number) } }
    }

    /// Whether a look-up should wait, since a purge of the URI is under way; see `Revocations.isUnderWay`.
    func isBehind(_ uri: TargetURI) -> Bool { revocations.isUnderWay(uri, made: purges.applied) }

    /// The changes of other nodes have been made here.
    public func didMakeChanges() { onExchange { $0.didMake() } }

    func didCatchUp() {
        purges.didCatchUp()
        statistics.noteFollowing(true)
        if statistics.note(fault: nil) { report(nil) }
    }

    /// Notes that the purges of other nodes cannot be read now.
    func didLosePurges(_ reason: String) {
        statistics.noteFollowing(false)
        note(fault: reason)
    }

    /// Does work with the client of this loop, or of the first one; returns false if there is no loop yet.
    @discardableResult
    func onLoop(_ work: @escaping @Sendable (TierClient) -> Void) -> Bool {
        let all = clients.withLock { $0 }
        guard let entry = all.first(where: { $0.isHere() }) ?? all.first else { return false }
        entry.submit(work)
        return true
    }
}

extension Fields {
    private static let secrets: [KnownField] = [.authorization, .proxyAuthorization, .cookie, .setCookie]

    /// Whether one of them may be a credential.
    fileprivate func mayBeSecret(_ names: [[UInt8]]) -> Bool {
        Self.secrets.contains(where: contains) || names.contains { !values(named: $0).isEmpty }
    }
}
