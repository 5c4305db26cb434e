import HTTPCore
import TestSupport

@testable import SharedStorage

/// A modelled Redis Cluster that several nodes reach, and what may go wrong there.
final class ModelCluster {
    private struct Shard {
        var server = ModelServer()
        /// The state to which a failover leads: without the last writes.
        var snapshot = ModelServer()
        /// How many of its messages have been passed on.
        var told = 0
        /// Until then it does not answer.
        var downUntil = Duration.zero
        var failovers = 0
    }

    private var shards: [Shard]
    /// Where slots are that have been moved.
    private var owners: [UInt16: Int] = [:]
    /// Until then no server answers.
    var downUntil = Duration.zero
    /// How many requests and replies of a thousand are lost.
    var lossRate = 0
    private var listeners: [(channel: [UInt8], node: ObjectIdentifier, told: () -> Void)] = []

    init(count: Int = 3) {
        shards = Array(repeating: Shard(), count: count)
        map = count == 3 ? Self.mapOfThree : Self.map(of: count)
    }

    // MARK: Slots

    static func address(_ shard: Int) -> ServerAddress { .host("10.0.0.\(shard)", port: 6379) }

    func shard(at address: ServerAddress) -> Int? { shards.indices.first { Self.address($0) == address } }

    private func owner(of slot: UInt16) -> Int { owners[slot] ?? Int(slot) % shards.count }

    /// The map at the beginning.
    let map: SlotMap

    private static let mapOfThree = map(of: 3)

    private static func map(of count: Int) -> SlotMap {
        var map = SlotMap()
        for slot in 0..<UInt16(KeySlot.count) { map.move(slot, to: address(Int(slot) % count)) }
        return map
    }

    /// A slot goes to the next server, with what is in it.
    func move(_ slot: UInt16) {
        let former = owner(of: slot)
        let new = (former + 1) % shards.count
        // What a failover brought back long after the slot had left.
        _ = shards[new].server.take(slot)
        shards[new].server.add(shards[former].server.take(slot))
        owners[slot] = new
    }

    func value(_ key: [UInt8]) -> [UInt8]? { shards[owner(of: KeySlot.slot(of: key))].server.value(key) }

    // MARK: Commands

    func isDown(_ shard: Int, at now: Duration) -> Bool { now < max(downUntil, shards[shard].downUntil) }

    func replies(to commands: [RedisCommand], of shard: Int, at now: Duration) -> [RedisReply] {
        shards[shard].server.now = Int(now / .milliseconds(1))
        return commands.map { command in
            let slot = command.key.map { KeySlot.slot(of: $0) } ?? 0
            let owner = owner(of: slot)
            if owner == shard { return shards[shard].server.replies(to: [command])[0] }
            return .failure(RedisError(Array("MOVED \(slot) \(Self.address(owner))".utf8)))
        }
    }

    // MARK: Failures

    /// Keeps the present state for a failover later.
    func takeSnapshot() { for index in shards.indices { shards[index].snapshot = shards[index].server } }

    /// The replica of a server takes over: what was written since the snapshot is lost, and connections end.
    func failOver(_ shard: Int, at now: Duration) {
        shards[shard].server = shards[shard].snapshot
        shards[shard].told = min(shards[shard].told, shards[shard].server.published.count)
        shards[shard].failovers += 1
        shards[shard].downUntil = max(shards[shard].downUntil, now + .milliseconds(100))
    }

    func failOverAny(_ random: inout FixedRandom, at now: Duration) { failOver(random.next(shards.count), at: now) }

    /// All servers begin anew, with nothing.
    func restart(at now: Duration) {
        for index in shards.indices {
            shards[index].snapshot = ModelServer()
            failOver(index, at: now)
        }
    }

    /// How many failovers a server has had.
    func failovers(of shard: Int) -> Int { shards[shard].failovers }

    // MARK: Messages

    /// Channels with news since the last call.
    func takePublished() -> [[UInt8]] {
        var news: [[UInt8]] = []
        for index in shards.indices {
            news += shards[index].server.published.dropFirst(shards[index].told)
            shards[index].told = shards[index].server.published.count
        }
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
