import HTTPCore
import TestSupport

@testable import SharedStorage

/// A node's way to the modelled cluster: slow, and sometimes lossy.
///
/// It finds its way by the code that real clusters are reached with.
final class ModelNetwork: SharedServer {
    private let cluster: ModelCluster
    private let time: VirtualTime
    private let loop: VirtualLoop
    private var random: FixedRandom
    private var map: SlotMap

    /// Commands on their way.
    private final class Journey {
        var batch: RoutedBatch
        private var completion: ((SharedResult) -> Void)?
        private var timer: (any TierTimer)?

        init(_ batch: RoutedBatch, _ completion: @escaping (SharedResult) -> Void) {
            (self.batch, self.completion) = (batch, completion)
        }

        func giveUp(after time: Duration, on loop: VirtualLoop) {
            timer = loop.later(time) { [self] in end(.failure(.timeout)) }
        }

        func end(_ result: SharedResult) {
            timer?.cancel()
            completion.take()?(result)
        }
    }

    init(_ cluster: ModelCluster, _ time: VirtualTime, _ loop: VirtualLoop, seed: UInt64) {
        (self.cluster, self.time, self.loop) = (cluster, time, loop)
        random = FixedRandom(seed: seed)
        map = cluster.map
    }

    private var delay: Duration { .microseconds(50 + random.next(5_000)) }
    private func isLost(_ shard: Int) -> Bool {
        cluster.isDown(shard, at: time.now) || random.next(1_000) < cluster.lossRate
    }

    func prepare() {}

    func send(
        _ commands: [RedisCommand],
        within time: Duration,
        _ completion: @escaping (SharedResult) -> Void
    ) {
        let journey = Journey(RoutedBatch(commands), completion)
        journey.giveUp(after: time, on: loop)
        advance(journey)
    }

    private func advance(_ journey: Journey) {
        guard let node = map.node(of: journey.batch.slot), let shard = cluster.shard(at: node) else { return }
        if isLost(shard) { return }
        let end = time.now + delay + PurgeFollower.block
        time.after(delay) { [self] in ask(journey, shard, cluster.failovers(of: shard), until: end) }
    }

    /// Asks at the server; a question that may wait there does.
    private func ask(_ journey: Journey, _ shard: Int, _ failovers: Int, until end: Duration) {
        guard failovers == cluster.failovers(of: shard) else { return }
        let commands = journey.batch.rest
        let replies = cluster.replies(to: commands, of: shard, at: time.now)
        tell(cluster.takePublished())
        if replies == [.nothing], commands[0].arguments[0] == Array("XREAD".utf8), time.now < end {
            time.after(.milliseconds(12)) { [self] in ask(journey, shard, failovers, until: end) }
        } else if !isLost(shard) {
            time.after(delay) { [self] in loop.run { [self] in receive(replies, journey) } }
        }
    }

    private func receive(_ replies: [RedisReply], _ journey: Journey) {
        for case .moved(let slot, let node?)? in replies.map({ $0.failure?.kind }) { map.move(slot, to: node) }
        switch journey.batch.receive(replies, isAsking: false) {
        case .done(let all): journey.end(.success(all))
        case .send: advance(journey)
        case .wait(let pause): time.after(pause) { [self] in advance(journey) }
        case .fail(let failure): journey.end(.failure(failure))
        }
    }

    private func tell(_ channels: [[UInt8]]) {
        for told in channels.flatMap(cluster.listeners) where random.next(1_000) >= cluster.lossRate {
            time.after(delay) { told() }
        }
    }

    func listen(to channel: [UInt8], _ told: @escaping () -> Void) {
        time.after(delay) { [self] in cluster.listen(ObjectIdentifier(self), channel) { [loop] in loop.run(told) } }
    }

    func leave(_ channel: [UInt8]) {
        time.after(delay) { [self] in cluster.leave(ObjectIdentifier(self), channel) }
    }

    func close() {}
}
