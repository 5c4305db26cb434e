public import HTTPCore
public import Stores

/// Exchanges purges with the other nodes, over the server's stream: one for each node.
///
/// It sends an announcement again until it reads it in the stream. So none is lost with a server that fails. Bound to a
/// loop.
public final class PurgeExchange {
    /// What to do with changes of other nodes.
    public struct Work: Sendable {
        /// Whether the node may have missed a change, so that nothing it has is proven current.
        public var isUnproven = false
        public var changes: [SharedChange] = []
    }

    /// If the server does not reply to a question for this long, the connection is closed.
    public static let silence = PurgeFollower.block * 2

    private let client: TierClient
    private let server: any SharedServer
    private let node: String
    private var follower: PurgeFollower
    private var outbox = PurgeOutbox()
    private var pause: BackOff
    /// Makes changes on this node, off the loop; then `didMake` is called on the loop.
    private let make: (Work) -> Void
    private let save: (KnownPurges.Position) -> Void
    private var isCaughtUp = false
    private var isClosed = false

    /// - Parameters:
    ///   - client: the client of its loop; it sends what this node announces.
    ///   - server: used for nothing else, since its replies to questions wait for the next entry.
    ///   - filter: makes a condition of the text of a filter; nil if it is none.
    ///   - make: makes changes, off the loop; then `didMake` must be called on the loop.
    ///   - save: keeps a position for the next start.
    public init(
        _ client: TierClient,
        _ server: any SharedServer,
        filter: @escaping @Sendable (String) -> (@Sendable (TargetURI) -> Bool)?,
        make: @escaping (Work) -> Void,
        save: @escaping (KnownPurges.Position) -> Void
    ) {
        (self.client, self.server) = (client, server)
        (self.make, self.save) = (make, save)
        node = ResourceIndex.randomDigits()
        follower = PurgeFollower(from: client.tier.purges.saved, filter: filter)
        pause = BackOff(first: .milliseconds(100), longest: .seconds(5))
    }

    private var tier: SharedTier { client.tier }
    private var loop: any TierLoop { client.loop }

    /// Begins to follow the stream.
    public func start() { ask() }

    /// Ends for good: its loop is about to end.
    public func close() {
        isClosed = true
        server.close()
    }

    // MARK: Following

    private func ask() {
        if isClosed { return }
        let (command, isWaiting) = follower.question
        let time = isWaiting ? PurgeFollower.block * 2 : tier.options.storeTimeout
        server.send([command], within: time) { [self] result in
            if isClosed { return }
            switch result {
            case .failure(let failure): fail(failure.userMessage)
            case .success(let replies): receive(replies[0])
            }
        }
    }

    private func receive(_ reply: RedisReply) {
        if let error = reply.failure { return fail(error.userMessage) }
        guard let events = follower.receive(reply) else { return fail(SharedFailure.unexpected.userMessage) }
        pause.succeed()
        let work = take(events)
        if work.isUnproven || !work.changes.isEmpty { make(work) } else { didMake() }
    }

    /// Goes on: the changes have been made.
    public func didMake() {
        if let id = follower.position, id != tier.purges.applied { save(tier.purges.didApply(id)) }
        if follower.isFollowing, !isCaughtUp {
            isCaughtUp = true
            tier.didCatchUp()
            sendAll()
            markIfBehind()
        }
        ask()
    }

    private func take(_ events: [PurgeFollower.Event]) -> Work {
        var work = Work()
        for event in events {
            switch event {
            case .unproven where tier.purges.isNew && tier.purges.saved == nil: break
            case .unproven:
                work.isUnproven = true
                tier.purges.disprove(at: loop.wallNow)
                tier.statistics.noteReset()
            case .forgotten(let id): tier.revocations.forget(before: id)
            case .old(let entry): note(entry)
            case .change(let entry): if note(entry), let change = entry.change { work.changes.append(change) }
            case .caughtUp: break
            }
        }
        return work
    }

    /// Notes what an entry means for records on the server; returns whether another node announced it.
    @discardableResult
    private func note(_ entry: PurgeEntry) -> Bool {
        if entry.node == node {
            tier.revocations.confirm(entry.number, entry.id)
            outbox.didSee(entry.number)
        }
        if entry.node == node || entry.isMark { return false }
        guard let change = entry.change else {
            tier.statistics.noteForeignPurge()
            return false
        }
        tier.statistics.notePurge()
        tier.revocations.add(change, id: entry.id)
        return true
    }

    private func fail(_ reason: String) {
        isCaughtUp = false
        follower.restart()
        outbox.restart()
        tier.didLosePurges(reason)
        pause.fail(at: loop.now)
        _ = loop.later(pause.latest) { [weak self] in self?.ask() }
    }

    // MARK: Announcing

    /// Announces a change that is being made here.
    func announce(_ change: SharedChange, number: UInt64) {
        outbox.add(change, number: number)
        if isCaughtUp { send(number) }
    }

    /// Announces a purge of everything, in place of all changes that wait.
    func announceAll(number: UInt64) {
        outbox.replaceAll(number: number)
        if isCaughtUp { send(number) }
    }

    /// Adds an entry behind the latest that this node has read, if the server has lost that one.
    ///
    /// Without it, records stored from now on would count as older than the lost entries, and would not be used.
    private func markIfBehind() {
        guard isCaughtUp, tier.purges.applied < tier.revocations.horizon else { return }
        client.send(PurgeEntry.mark(by: node, after: tier.revocations.horizon)) { [self] error in
            if error != nil { _ = loop.later(.seconds(1)) { [weak self] in self?.markIfBehind() } }
        }
    }

    private func sendAll() { for number in outbox.unsent { send(number) } }

    private func send(_ number: UInt64) {
        guard let change = outbox.begin(number) else { return }
        guard let uri = change.uri else { return add(change, number) }
        // First its records on the server: a node that learns of the purge may ask for them at once.
        send(Filling.forget(uri), number) { [self] in add(change, number) }
    }

    private func add(_ change: SharedChange, _ number: UInt64) {
        send(PurgeEntry.add(change, by: node, number: number), number) { [self] in
            tier.statistics.noteAnnouncement()
        }
    }

    private func send(_ command: RedisCommand, _ number: UInt64, _ next: @escaping () -> Void) {
        client.send(command) { [self] error in
            guard error != nil else { return next() }
            outbox.fail(number)
            _ = loop.later(.seconds(1)) { [weak self] in self?.retry() }
        }
    }

    private func retry() { if isCaughtUp { sendAll() } }
}
