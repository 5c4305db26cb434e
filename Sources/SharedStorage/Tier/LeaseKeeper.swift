import HTTPCore

/// Keeps a lease while its load goes on, and ends it when others need not wait any longer.
///
/// Bound to a loop.
final class LeaseKeeper {
    private static let renewalPause = Claiming.time / 3
    /// Once the head is there, other nodes wait so long for the content.
    private static let contentTime = Duration.seconds(2)
    /// After a load has ended, its response reaches the store within this time or never; the lease lasts longer.
    private static let storingTime = Duration.milliseconds(100)

    private let load: SharedLoad
    private let claim: Claim
    private let lease: Lease
    private unowned let client: TierClient
    private var renewal: (any TierTimer)?
    private var deadline: (any TierTimer)?
    private let start: MonotonicTime
    private var renewed: MonotonicTime
    private var received = 0
    private var isOver = false

    init(_ load: SharedLoad, _ claim: Claim, _ lease: Lease, _ client: TierClient) {
        (self.load, self.claim, self.lease, self.client) = (load, claim, lease, client)
        start = client.loop.now
        renewed = start
        client.tier.statistics.noteLease(isHeld: true)
        renewLater()
    }

    private func renewLater() {
        renewal = client.loop.later(Self.renewalPause) { [weak self] in self?.renew() }
    }

    private func renew() {
        client.renew(lease) { [weak self] isHeld in
            guard let self, !isOver else { return }
            if isHeld {
                renewed = client.loop.now
                return renewLater()
            }
            client.tier.statistics.noteLostLease()
            stop()
        }
    }

    // MARK: The load

    func didReceive(_ head: ResponseHead) {
        guard !isOver else { return }
        client.note(client.loop.now - start, of: load)
        if head.status == 304 { return }
        guard load.mayShare(head, at: client.loop.wallNow) else { return end(.unshareable) }
        if let length = head.contentLength, length > client.tier.options.maximumObjectSize { return end(.slow) }
        deadline = client.loop.later(Self.contentTime) { [weak self] in self?.end(.slow) }
    }

    func didReceive(_ bytes: Int) {
        received += bytes
        if received > client.tier.options.maximumObjectSize { end(.slow) }
    }

    /// The load has ended well: its response is being stored, and the lease ends with that.
    func didEnd() {
        guard !isOver else { return }
        stop()
        if client.loop.now - renewed > Self.storingTime * 5 { client.renew(lease) { _ in } }
        _ = client.loop.later(Self.storingTime) { [client, load, claim, lease] in
            if client.tier.fills.drop(claim, of: load.uri) { client.release(lease, .unshareable) }
        }
    }

    /// Ends the lease: nobody need wait for this load any more.
    func end(_ ending: LeaseEnding) {
        guard !isOver else { return }
        stop()
        if ending.isFinal { _ = client.tier.fills.drop(claim, of: load.uri) }
        client.release(lease, ending)
    }

    private func stop() {
        isOver = true
        renewal?.cancel()
        deadline?.cancel()
        (renewal, deadline) = (nil, nil)
        client.tier.statistics.noteLease(isHeld: false)
        client.didEnd(lease)
    }
}
