import Exchanges
import HTTPCore

/// One loop's way to the shared server.
///
/// Bound to its loop.
public final class TierClient {
    let loop: any TierLoop
    let tier: SharedTier
    let server: any SharedServer
    let packer = RecordPacker()
    private let waiters: LeaseWaiters
    /// By the values of their leases.
    private var keepers: [[UInt8]: LeaseKeeper] = [:]
    private var origins = OriginTimes()
    /// A look-up may take at least this long, however fast the origin is: it saves loads of other nodes, too.
    private static let shortest = Duration.milliseconds(10)
    /// The longest wait for the load of another node.
    private static let waitLimit = Duration.seconds(60)

    public init(_ loop: any TierLoop, _ server: any SharedServer, _ tier: SharedTier) {
        (self.loop, self.server, self.tier) = (loop, server, tier)
        waiters = LeaseWaiters(loop, server)
        server.prepare()
    }

    /// Looks for the response to a load; `completion` is called once.
    ///
    /// - Parameter isWanted: whether the response is still wanted; asked while it waits for another node.
    func lookUp(
        _ load: SharedLoad,
        isWanted: @escaping () -> Bool = { true },
        _ completion: @escaping (LookUpResult) -> Void
    ) {
        let lookUp = LookUp(load, sizeLimit: tier.options.maximumObjectSize)
        begin(LookUpRun(lookUp, load, start: loop.now, isWanted, completion))
    }

    /// Asks, once no purge of the URI is under way.
    private func begin(_ run: LookUpRun) {
        if tier.isBehind(run.load.uri) {
            guard tier.statistics.isFollowing, left(run) > .zero else { return pass(run) }
            _ = loop.later(.milliseconds(2)) { [self] in begin(run) }
        } else if let admission = tier.admit(at: loop.now) {
            run.admission = admission
            askWhenCaughtUp(run)
        } else {
            pass(run)
        }
    }

    /// Asks, once the node knows all purges; right after the start it cannot yet judge which records count.
    private func askWhenCaughtUp(_ run: LookUpRun) {
        let left = left(run)
        guard left > .zero else {
            tier.purges.noteLoad()
            return fail(run, SharedFailure.timeout.userMessage)
        }
        if tier.purges.isCaughtUp { return askFirst(run, within: left) }
        _ = loop.later(.milliseconds(2)) { [self] in askWhenCaughtUp(run) }
    }

    private func askFirst(_ run: LookUpRun, within left: Duration) {
        if let limit = limit(of: run.load), limit < left {
            _ = loop.later(limit) { [self] in giveUp(run) }
        }
        ask(run.lookUp.beginning, run, within: left)
    }

    /// A quarter of the origin's usual response time; nil: that is not known.
    private func limit(of load: SharedLoad) -> Duration? {
        origins.median(of: Origin(load.uri)).map { max(Self.shortest, $0 / 4) }
    }

    /// The load begins without the server, whose replies then only show that it is up.
    private func giveUp(_ run: LookUpRun) {
        guard run.mayBeGivenUp, !run.isOver else { return }
        tier.statistics.noteSkipped()
        end(run, .load(nil))
    }

    /// Handles the late replies to a look-up that was given up: a lease that they bring is ended.
    private func drop(_ replies: [RedisReply], _ run: LookUpRun) {
        tier.noteResponse(at: loop.now)
        guard case .load(let claim?) = run.lookUp.receive(replies, packer), let lease = claim.lease else { return }
        release(lease, .cancelled)
    }

    private func left(_ run: LookUpRun) -> Duration { tier.options.timeout - (loop.now - run.start) }

    /// The load begins without the server.
    private func pass(_ run: LookUpRun) {
        tier.purges.noteLoad()
        _ = loop.later(.zero) { [self] in end(run, .load(nil)) }
    }

    private func ask(_ commands: [RedisCommand], _ run: LookUpRun, within time: Duration) {
        server.send(commands, within: time) { [self] result in
            switch result {
            case .success(let replies) where run.isOver: drop(replies, run)
            case .success(let replies): take(run.lookUp.receive(replies, packer), run)
            case .failure(let failure): fail(run, failure.userMessage)
            }
        }
    }

    private func take(_ step: LookUp.Step, _ run: LookUpRun) {
        switch step {
        case .ask(let commands, let isContent):
            if isContent { run.mayBeGivenUp = false }
            let left = isContent ? tier.options.contentTimeout : left(run)
            if left > .zero { ask(commands, run, within: left) } else { fail(run, SharedFailure.timeout.userMessage) }
        case .found(let answer): end(run, with: answer)
        case .load(let claim):
            noteReply(run, isHit: false)
            if let claim { tier.fills.note(run.load, claim, seen: tier.purges.applied) }
            end(run, .load(claim))
        case .wait(let channel): wait(run, channel)
        case .end(.refused(let error)): fail(run, error.userMessage)
        case .end(.unexpected): fail(run, SharedFailure.unexpected.userMessage)
        }
    }

    private func end(_ run: LookUpRun, with answer: SharedAnswer) {
        // What has been purged meanwhile, or was stored by a node that did not know of a purge, is loaded anew.
        if tier.revocations.covers(answer.response, seen: answer.seen) {
            run.start = loop.now
            return take(run.lookUp.claim(), run)
        }
        noteReply(run, isHit: true)
        end(run, .found(answer))
    }

    private func fail(_ run: LookUpRun, _ reason: String) {
        if let admission = run.admission { tier.noteFailure(admission, reason, at: loop.now, wall: loop.wallNow) }
        end(run, .load(nil))
    }

    private func end(_ run: LookUpRun, _ result: LookUpResult) {
        if let waiter = run.waiter { waiters.remove(waiter) }
        run.end(result)
    }

    private func noteReply(_ run: LookUpRun, isHit: Bool) {
        tier.noteResponse(at: loop.now)
        tier.noteLookUp(run.lookUp.faults, took: run.waited ?? (loop.now - run.start), isHit: isHit)
    }

    // MARK: Waiting for another node

    private func wait(_ run: LookUpRun, _ channel: [UInt8]) {
        run.mayBeGivenUp = false
        if run.waiter == nil {
            tier.noteResponse(at: loop.now)
            tier.statistics.noteWait()
            run.waited = loop.now - run.start
            run.waitLimit = loop.now + Self.waitLimit
        }
        guard loop.now < run.waitLimit else { return end(run, .load(nil)) }
        let waiter = run.waiter(of: channel, waiters)
        waiters.wait(waiter) { [self] in
            guard run.isWanted() else { return end(run, .load(nil)) }
            run.start = loop.now
            take(run.lookUp.claim(), run)
        }
    }

    /// Notes how long an origin took to begin a response.
    func note(_ time: Duration, of load: SharedLoad) { origins.note(time, of: Origin(load.uri)) }

    // MARK: Leases

    /// Keeps the lease of a load that begins.
    func keep(_ lease: Lease, of claim: Claim, for load: SharedLoad) {
        keepers[lease.value] = LeaseKeeper(load, claim, lease, self)
    }

    /// What keeps a lease; nil: it has ended.
    func keeper(of lease: Lease) -> LeaseKeeper? { keepers[lease.value] }

    func didEnd(_ lease: Lease) { keepers[lease.value] = nil }

    /// Renews a lease; `completion` gets false only if the server reports that it is not held any more.
    func renew(_ lease: Lease, _ completion: @escaping (Bool) -> Void) {
        server.send([Claiming.renew(lease)], within: tier.options.storeTimeout) { result in
            completion((try? result.get())?.first != .number(0))
        }
    }

    func release(_ lease: Lease, _ ending: LeaseEnding) {
        server.send([Claiming.release(lease, ending)], within: tier.options.storeTimeout) { _ in }
    }

    // MARK: Storing

    func store(_ packed: PackedRecord, _ fill: SharedTier.ReadyFill) {
        let pieces = Filling.pieces(packed, of: fill.response.uri, lifetime: fill.times.lifetime)
        guard !pieces.isEmpty else { return storeRecord(packed, fill) }
        server.send(pieces, within: tier.options.storeTimeout) { [self] result in
            if let error = Self.error(in: result) { refuse(fill, error) } else { storeRecord(packed, fill) }
        }
    }

    private func storeRecord(_ packed: PackedRecord, _ fill: SharedTier.ReadyFill) {
        let command = Filling.record(packed, fill.response, vary: fill.vary, fill.claim, lifetime: fill.times.lifetime)
        server.send([command], within: tier.options.storeTimeout) { [self] result in
            if let error = Self.error(in: result) { return refuse(fill, error) }
            // 0: the resource has been purged meanwhile, or a later load's response is there.
            if (try? result.get())?.first == .number(1) { tier.statistics.noteStored() }
        }
    }

    private func refuse(_ fill: SharedTier.ReadyFill, _ error: String) {
        tier.noteRefusal(error, at: loop.now)
        if let lease = fill.claim.lease { release(lease, .unshareable) }
    }

    /// Sends a command; `completion` gets what went wrong, nil if nothing did.
    func send(_ command: RedisCommand, _ completion: @escaping (String?) -> Void) {
        server.send([command], within: tier.options.storeTimeout) { [self] result in
            let error = Self.error(in: result)
            if let error { tier.noteRefusal(error, at: loop.now) }
            completion(error)
        }
    }

    private static func error(in result: SharedResult) -> String? {
        switch result {
        case .failure(let failure): failure.userMessage
        case .success(let replies): replies.lazy.compactMap(\.failure).first?.userMessage
        }
    }
}
