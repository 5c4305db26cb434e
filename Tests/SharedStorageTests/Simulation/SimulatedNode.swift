import HTTPCaching
import HTTPCore
import ResourceCore
import Stores
import TestDoubles
import TestSupport

@testable import SharedStorage

/// The one origin of a simulation: versions of its resources, and how often each was loaded.
final class SimulatedOrigin {
    /// Seconds for which its responses are fresh.
    let lifetime: Int
    /// How long it takes; nil: by chance.
    var delay: Duration?
    private(set) var versions: [Int: Int] = [:]
    private(set) var loads: [Int: Int] = [:]

    init(lifetime: Int) { self.lifetime = lifetime }

    func change(_ key: Int) { versions[key, default: 1] += 1 }
    func version(_ key: Int) -> Int { versions[key] ?? 1 }

    func load(_ key: Int) -> Int {
        loads[key, default: 0] += 1
        return version(key)
    }
}

/// A value that one thread alone uses.
///
/// `@unchecked Sendable`: a simulation runs on one thread.
final class Pinned<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
}

/// A node: the real tier over a modelled network, and a small model of what the core does with it.
///
/// Its memory and store are one, and evict nothing: what a node has forgotten it cannot compare.
final class SimulatedNode {
    /// What a client got.
    struct Served: Sendable {
        var key: Int
        var version: Int
        /// Whose response it is; 0: everybody's.
        var owner: Int
        /// How long ago the origin sent it.
        var age: Duration
    }

    private struct Entry {
        var version: Int
        var owner: Int
        /// When the origin sent it, by virtual time.
        var received: Duration
        /// When it is stale.
        var end: Duration
    }

    private struct Name: Hashable {
        var key: Int
        var owner: Int
    }

    /// Requests that wait for one load: a purge parts those before it from those behind it.
    private struct Crowd: Hashable {
        var name: Name
        var generation: Int
    }

    let loop: VirtualLoop
    let tier: SharedTier
    private let client: TierClient
    private let time: VirtualTime
    private let origin: SimulatedOrigin
    private var exchange: PurgeExchange?
    private var random: FixedRandom
    private var memory: [Name: Entry] = [:]
    private var waiting: [Crowd: [(Served) -> Void]] = [:]
    /// Raised by each purge: loads of an older one commit nothing.
    private var generation = 0

    init(_ cluster: ModelCluster, _ time: VirtualTime, _ origin: SimulatedOrigin, seed: UInt64, skew: Int64) {
        (self.time, self.origin) = (time, origin)
        loop = VirtualLoop(time, skew: skew)
        random = FixedRandom(seed: seed)
        var options = SharedTierOptions()
        options.sharesPrivate = true
        let keeper = LoopTime(loop)
        tier = SharedTier(options, timekeeper: keeper) { work in
            work()
            return true
        }
        client = TierClient(loop, ModelNetwork(cluster, time, loop, seed: seed &+ 1), tier)
        let pinned = Pinned(client)
        tier.add(isHere: { true }, submit: { $0(pinned.value) })
        tier.begin(from: nil)
        let exchange = PurgeExchange(
            client,
            ModelNetwork(cluster, time, loop, seed: seed &+ 2),
            filter: { _ in nil },
            make: { [unowned self] work in make(work) },
            save: { _ in }
        )
        self.exchange = exchange
        let other = Pinned(exchange)
        tier.follow { $0(other.value) }
        exchange.start()
    }

    static func tag(_ key: Int) -> String { "k\(key)" }

    // MARK: Purges

    /// What another node has purged.
    private func make(_ work: PurgeExchange.Work) {
        generation += 1
        if work.isUnproven { memory = [:] }
        for change in work.changes { drop(change) }
        _ = loop.later(.zero) { [tier] in tier.didMakeChanges() }
    }

    private func drop(_ change: SharedChange) {
        switch change {
        case .purge(let uri), .invalidate(let uri): memory = memory.filter { Self.uri($0.key.key) != uri.text }
        case .purgeTags(let tags):
            let names = Set(tags.map { String(decoding: $0.name, as: UTF8.self) })
            memory = memory.filter { !names.contains(Self.tag($0.key.key)) }
        case .purgeMatching: memory = [:]
        }
    }

    /// A purge by a client of this node.
    func purge(_ key: Int, byTag: Bool) {
        guard let uri = try? TargetURI(parsing: Self.uri(key)), let tag = CacheTag(Self.tag(key).utf8) else { return }
        generation += 1
        let change: SharedChange = byTag ? .purgeTags([tag]) : .purge(uri)
        tier.announce(change)
        drop(change)
    }

    // MARK: Requests

    static func uri(_ key: Int) -> String { "http://a.example/\(key)" }

    /// - Parameter owner: whose credential the request has; 0: none.
    func get(_ key: Int, owner: Int, _ completion: @escaping (Served) -> Void) {
        let name = Name(key: key, owner: owner)
        if let entry = memory[name], time.now < entry.end {
            return completion(served(entry, key))
        }
        let crowd = Crowd(name: name, generation: generation)
        waiting[crowd, default: []].append(completion)
        guard waiting[crowd]?.count == 1 else { return }
        let partitions = owner == 0 ? Partitions() : Partitions(own: partition(owner), credential: partition(owner))
        let tested = try? SharedLoad.test(uri: Self.uri(key), partitions: partitions, sharesPrivate: true)
        guard let load = tested ?? nil else { return }
        let began = generation
        client.lookUp(load) { [self] result in
            switch result {
            case .found(let answer): take(answer, name, began)
            case .load(let claim): self.load(load, claim, name, began)
            }
        }
    }

    private func partition(_ owner: Int) -> Partition { .credential([UInt8(truncatingIfNeeded: owner)]) }

    private func served(_ entry: Entry, _ key: Int) -> Served {
        Served(key: key, version: entry.version, owner: entry.owner, age: time.now - entry.received)
    }

    private func take(_ answer: SharedAnswer, _ name: Name, _ began: Int) {
        // Content: version, owner and virtual milliseconds of the origin's response.
        let words = String(decoding: answer.content, as: UTF8.self).split(separator: " ").compactMap { Int($0) }
        guard words.count == 3 else { return }
        let left = max(0, origin.lifetime - Int(answer.age))
        let end = time.now + .seconds(left)
        finish(name, Entry(version: words[0], owner: words[1], received: .milliseconds(words[2]), end: end), began)
    }

    private func load(_ load: SharedLoad, _ claim: Claim?, _ name: Name, _ began: Int) {
        let delay = origin.delay ?? .milliseconds(5 + random.next(200))
        if let claim, let lease = claim.lease { client.keep(lease, of: claim, for: load) }
        time.after(delay / 2) { [self] in
            let (version, sent) = (origin.load(name.key), time.now)
            time.after(delay / 2) { [self] in loop.run { [self] in didLoad(load, claim, name, began, version, sent) } }
        }
    }

    /// Whether nobody wants a response any more that takes longer than a lease.
    var givesUpSlowLoads = false

    private func didLoad(
        _ load: SharedLoad,
        _ claim: Claim?,
        _ name: Name,
        _ began: Int,
        _ version: Int,
        _ sent: Duration
    ) {
        let keeper = claim?.lease.flatMap { client.keeper(of: $0) }
        let end = sent + .seconds(origin.lifetime)
        let entry = Entry(version: version, owner: name.owner, received: sent, end: end)
        if givesUpSlowLoads, time.now - sent > Claiming.time {
            keeper?.end(.cancelled)
            return finish(name, entry, began)
        }
        var fields = Fields()
        let control = (name.owner == 0 ? "" : "private, ") + "max-age=\(origin.lifetime)"
        fields.append(name: Array("Cache-Control".utf8), value: Array(control.utf8))
        fields.append(name: Array("Cache-Tag".utf8), value: Array(Self.tag(name.key).utf8))
        keeper?.didReceive(ResponseHead(status: 200, fields: fields, framing: .length(1)))
        let milliseconds = Int(sent / .milliseconds(1))
        let content = Array("\(version) \(name.owner) \(milliseconds)".utf8)
        let isCurrent = generation == began
        finish(name, entry, began)
        if isCurrent, let uri = try? TargetURI(parsing: Self.uri(name.key)) {
            tier.fill(record(uri, name, fields, content, load))
        }
        keeper?.didEnd()
    }

    private func record(
        _ uri: TargetURI,
        _ name: Name,
        _ fields: Fields,
        _ content: [UInt8],
        _ load: SharedLoad
    ) -> StoredRecord {
        StoredRecord(
            uri: uri,
            partition: name.owner == 0 ? .shared : partition(name.owner),
            selection: load.selection([]),
            status: 200,
            reason: Array("OK".utf8),
            fields: fields,
            requestFields: Fields(),
            requestTime: loop.wallNow,
            responseTime: loop.wallNow,
            isInvalidated: false,
            body: .bytes(content)
        )
    }

    private func finish(_ name: Name, _ entry: Entry, _ began: Int) {
        if generation == began { memory[name] = entry }
        let crowd = Crowd(name: name, generation: began)
        for completion in waiting.removeValue(forKey: crowd) ?? [] { completion(served(entry, name.key)) }
    }
}
