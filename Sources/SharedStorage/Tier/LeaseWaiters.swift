import HTTPCore

/// Look-ups of one loop that wait for loads of other nodes.
///
/// Each asks again when its channel has a message, and after pauses, since a message may be lost. Bound to its loop.
final class LeaseWaiters {
    /// One look-up that waits.
    final class Waiter {
        let channel: [UInt8]
        fileprivate var pause = LeaseWaiters.firstPause
        fileprivate var timer: (any TierTimer)?
        fileprivate var due: (() -> Void)?

        fileprivate init(_ channel: [UInt8]) { self.channel = channel }

        fileprivate func fire() {
            timer?.cancel()
            timer = nil
            due.take()?()
        }
    }

    private static let firstPause = Duration.milliseconds(20)
    private static let longestPause = Duration.milliseconds(500)

    private let loop: any TierLoop
    private let server: any SharedServer
    private var waiters: [[UInt8]: [Waiter]] = [:]

    init(_ loop: any TierLoop, _ server: any SharedServer) { (self.loop, self.server) = (loop, server) }

    /// Adds a waiter, which gets the messages of the channel.
    func add(_ channel: [UInt8]) -> Waiter {
        let waiter = Waiter(channel)
        if waiters[channel] == nil { server.listen(to: channel) { [weak self] in self?.tell(channel) } }
        waiters[channel, default: []].append(waiter)
        return waiter
    }

    /// Does `work` once: when the channel has a message, or after a pause, which is longer each time.
    func wait(_ waiter: Waiter, _ work: @escaping () -> Void) {
        waiter.due = work
        waiter.timer = loop.later(waiter.pause) { [weak waiter] in waiter?.fire() }
        waiter.pause = min(waiter.pause * 2, Self.longestPause)
    }

    func remove(_ waiter: Waiter) {
        waiter.timer?.cancel()
        waiters[waiter.channel]?.removeAll { $0 === waiter }
        guard waiters[waiter.channel]?.isEmpty == true else { return }
        waiters[waiter.channel] = nil
        server.leave(waiter.channel)
    }

    private func tell(_ channel: [UInt8]) {
        for waiter in waiters[channel] ?? [] { waiter.fire() }
    }
}
