import HTTPCore
import TestSupport

@testable import SharedStorage

/// A modelled Redis server that several nodes reach, and what may go wrong there.
final class ModelCluster {
    var server = ModelServer()
    /// Until then it does not answer.
    var downUntil = Duration.zero
    /// How many requests and replies of a thousand are lost.
    var lossRate = 0
    /// The state to which a failover leads: without the last writes.
    private var snapshot = ModelServer()
    private var listeners: [(channel: [UInt8], node: ObjectIdentifier, told: () -> Void)] = []
    private var told = 0

    /// Keeps the present state for a failover later.
    func takeSnapshot() { snapshot = server }

    /// The replica takes over: what was written since the snapshot is lost.
    ///
    /// Connections end with the old primary.
    func failOver(at now: Duration) {
        server = snapshot
        told = min(told, server.published.count)
        failovers += 1
        downUntil = max(downUntil, now + .milliseconds(100))
    }

    /// How many there were.
    private(set) var failovers = 0

    func replies(to commands: [RedisCommand], at now: Duration) -> [RedisReply] {
        server.now = Int(now / .milliseconds(1))
        return server.replies(to: commands)
    }

    /// Channels with news since the last call.
    func takePublished() -> ArraySlice<[UInt8]> {
        let news = server.published.dropFirst(min(told, server.published.count))
        told = server.published.count
        return news
    }

    func listen(_ node: ObjectIdentifier, _ channel: [UInt8], _ told: @escaping () -> Void) {
        listeners.append((channel, node, told))
    }

    func leave(_ node: ObjectIdentifier, _ channel: [UInt8]) {
        listeners.removeAll { $0.node == node && $0.channel == channel }
    }

    func listeners(of channel: [UInt8]) -> [() -> Void] { listeners.filter { $0.channel == channel }.map(\.told) }
}

/// A node's way to the modelled server: slow, and sometimes lossy.
final class ModelNetwork: SharedServer {
    private let cluster: ModelCluster
    private let time: VirtualTime
    private let loop: VirtualLoop
    private var random: FixedRandom

    init(_ cluster: ModelCluster, _ time: VirtualTime, _ loop: VirtualLoop, seed: UInt64) {
        (self.cluster, self.time, self.loop) = (cluster, time, loop)
        random = FixedRandom(seed: seed)
    }

    private var delay: Duration { .microseconds(50 + random.next(5_000)) }
    private var isLost: Bool { time.now < cluster.downUntil || random.next(1_000) < cluster.lossRate }

    func prepare() {}

    func send(
        _ commands: [RedisCommand],
        within time: Duration,
        _ completion: @escaping (SharedResult) -> Void
    ) {
        var completion: ((SharedResult) -> Void)? = completion
        let timer = loop.later(time) { completion.take()?(.failure(.timeout)) }
        if isLost { return }
        self.time.after(delay) { [self] in
            let replies = cluster.replies(to: commands, at: self.time.now)
            tell(cluster.takePublished())
            if commands.count == 1, replies == [.nothing], commands[0].arguments[0] == Array("XREAD".utf8) {
                return ask(commands, until: self.time.now + PurgeFollower.block) { replies in
                    timer.cancel()
                    completion.take()?(.success(replies))
                }
            }
            if isLost { return }
            self.time.after(delay) { [loop] in
                loop.run {
                    timer.cancel()
                    completion.take()?(.success(replies))
                }
            }
        }
    }

    /// A question that waits at the server for an answer.
    private func ask(_ commands: [RedisCommand], until end: Duration, _ completion: @escaping ([RedisReply]) -> Void) {
        let epoch = cluster.failovers
        time.after(.milliseconds(12)) { [self] in
            if epoch != cluster.failovers { return }
            let replies = cluster.replies(to: commands, at: time.now)
            if replies == [.nothing], time.now < end { return ask(commands, until: end, completion) }
            if isLost { return }
            time.after(delay) { [loop] in loop.run { completion(replies) } }
        }
    }

    private func tell(_ channels: ArraySlice<[UInt8]>) {
        for told in channels.flatMap(cluster.listeners) where !isLost { time.after(delay) { told() } }
    }

    func listen(to channel: [UInt8], _ told: @escaping () -> Void) {
        time.after(delay) { [self] in cluster.listen(ObjectIdentifier(self), channel) { [loop] in loop.run(told) } }
    }

    func leave(_ channel: [UInt8]) {
        time.after(delay) { [self] in cluster.leave(ObjectIdentifier(self), channel) }
    }

    func close() {}
}
