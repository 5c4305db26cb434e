import HTTPCaching
import HTTPCore
import Locking

/// One part of the table: open addressing with linear probing, keyed by the bytes of canonical URIs.
final class ResourceShard: Sendable {
    private let slots = Lock(ShardSlots())

    /// The shared hit of a key, judged by the configuration of `generation`; one lock, no allocation.
    func sharedHit(_ hash: UInt64, _ key: Span<UInt8>, _ generation: UInt64) -> StoredResponse? {
        slots.withLock { $0.generation == generation ? $0.sharedHit(hash, key) : nil }
    }

    /// The live resource; with `retaining`, the shard retains it from now on (S-224).
    func find(_ hash: UInt64, _ key: [UInt8], retaining: Bool) -> Resource? {
        slots.withLock { slots in
            guard let index = slots.find(hash, key) else { return nil }
            return slots.live(index, retaining: retaining)
        }
    }

    func find(_ hash: UInt64, _ key: Span<UInt8>, retaining: Bool) -> Resource? {
        slots.withLock { slots in
            guard let index = slots.find(hash, key) else { return nil }
            return slots.live(index, retaining: retaining)
        }
    }

    /// The resource with this number, if it has not ended.
    func live(_ id: UInt64, _ hash: UInt64) -> Resource? {
        slots.withLock { slots in
            guard let index = slots.find(hash, id) else { return nil }
            return slots.live(index, retaining: false)
        }
    }

    /// The live resource of the URI `key`, or one from `make`; `retaining` is for the former, `retainingNew` for the
    /// latter.
    func resource(
        _ hash: UInt64,
        _ key: [UInt8],
        retaining: Bool,
        retainingNew: Bool,
        make: () -> Resource
    ) -> Resource {
        // A reference from a weak one leaves the lock before its release: a resource that ends locks the shard.
        slots.withLock { slots in
            let index = slots.find(hash, key)
            if let index, let live = slots.live(index, retaining: retaining) { return live }
            let resource = make()
            if let index {
                slots.replace(index, resource, retaining: retainingNew)
            } else {
                slots.insert(hash, resource, retaining: retainingNew)
            }
            return resource
        }
    }

    /// Shows the resource's shared hit, and retains or releases the resource as its state needs.
    ///
    /// - Parameter table: its configuration generation must be read under the lock.
    func update(_ resource: Resource, _ table: ResourceTable) {
        // Former hits, and a resource that leaves, are released under no lock.
        _ = slots.withLock { slots -> ([StoredResponse?], Resource?) in
            guard let index = slots.find(resource.hash, resource.id) else { return ([], nil) }
            let generation = table.configurationGeneration
            let isServiceInUse = resource.core.isInUse
            let (sharedHit, need) = resource.publish(in: generation, isServiceInUse: isServiceInUse)
            let outdated = slots.begin(generation)
            slots.show(index, sharedHit)
            let decision = Retention.decision(
                for: need,
                isServiceInUse: isServiceInUse,
                keepsUnused: table.keepsUnused
            )
            return (outdated, slots.apply(decision, to: index, resource))
        }
    }

    /// Releases the resource that is about to leave.
    func releaseLeaving() { _ = slots.withLock { $0.releaseLeaving() } }

    /// Retains only resources that load or are observed; the caller releases the others, under no lock.
    func releaseUnused() -> [Resource] { slots.withLock { $0.release { !$0.isInUse } } }

    /// Retains no resource of `core` any more; the caller releases them, under no lock.
    func release(of core: ServiceCore) -> [Resource] { slots.withLock { $0.release { $0.core === core } } }

    /// Empties the slot of a resource that has ended.
    func forget(_ id: UInt64, _ hash: UInt64) {
        slots.withLock { slots in
            if let index = slots.find(hash, id) { slots.remove(index) }
        }
    }

    /// Why the last response of this URI was not stored, if that is remembered.
    func unstored(_ hash: UInt64) -> UnstoredResponse? { slots.withLock { $0.unstored[hash] } }

    /// Notes a response; `unstored` is nil if it is stored.
    func noteResponse(_ hash: UInt64, _ unstored: UnstoredResponse?) {
        slots.withLock { slots in
            if let unstored { slots.unstored.insert(unstored) } else { slots.unstored.remove(hash) }
        }
    }

    var count: Int { slots.withLock { $0.count } }

    /// The resources that the table keeps.
    var kept: [Resource] { slots.withLock { $0.kept } }

    /// All live resources.
    var resources: [Resource] { slots.withLock { $0.live } }
}

/// The slots of one shard: a mark of the hash, the retention and the shared hit of each resource.
///
/// Three arrays, so that probing and the hot path touch nothing else; between 64 and 80 % of the slots are taken. Used
/// only under the shard's lock.
struct ShardSlots {
    /// A part of the hash of each slot, never 0; 0 where a slot is empty.
    private(set) var marks: [UInt32] = Array(repeating: 0, count: 16)
    /// A multiplier that differs for each table size; odd.
    ///
    /// Without it, removing entries in slot order leaves equal marks behind. After a shrink they form one long probe
    /// run, which each further removal moves.
    private var spread = ShardSlots.spread(16)
    /// The shared hits, judged by the configuration of `generation`.
    private var sharedHits: [StoredResponse?] = Array(repeating: nil, count: 16)
    private var retentions: [Retention?] = Array(repeating: nil, count: 16)
    /// The resource whose retention is `leaving`, if one is.
    private var leaving: (hash: UInt64, id: UInt64)?
    private(set) var count = 0
    /// The configuration generation by which the shared hits were judged.
    private(set) var generation: UInt64 = 0
    var unstored = UnstoredResponses()

    private static func mark(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash) | 1 }
    private static func spread(_ size: Int) -> UInt32 { UInt32(truncatingIfNeeded: size) &* 0x9E37_79B1 | 1 }
    private func home(_ mark: UInt32) -> Int { Int((UInt64(mark &* spread) * UInt64(marks.count)) >> 32) }
    private func after(_ index: Int) -> Int { index + 1 == marks.count ? 0 : index + 1 }
    private func distance(from home: Int, to index: Int) -> Int {
        index < home ? index + marks.count - home : index - home
    }

    // MARK: Finding

    func find(_ hash: UInt64, _ key: Span<UInt8>) -> Int? {
        let mark = Self.mark(hash)
        var index = home(mark)
        while marks[index] != 0 {
            if marks[index] == mark, matches(index, key) { return index }
            index = after(index)
        }
        return nil
    }

    /// As above; compares no byte if the URI was made from this very array.
    func find(_ hash: UInt64, _ key: [UInt8]) -> Int? {
        let mark = Self.mark(hash)
        var index = home(mark)
        while marks[index] != 0 {
            if marks[index] == mark, retentions[index]?.key == key { return index }
            index = after(index)
        }
        return nil
    }

    /// The slot of the resource with this number.
    func find(_ hash: UInt64, _ id: UInt64) -> Int? {
        let mark = Self.mark(hash)
        var index = home(mark)
        while marks[index] != 0 {
            if marks[index] == mark, retentions[index]?.id == id { return index }
            index = after(index)
        }
        return nil
    }

    private func matches(_ index: Int, _ key: Span<UInt8>) -> Bool {
        guard let bytes = retentions[index]?.key else { return false }
        return Self.has(bytes, key)
    }

    private static func has(_ bytes: [UInt8], _ key: Span<UInt8>) -> Bool { bytes.span.hasSameBytes(as: key) }

    /// The shared hit of this key.
    func sharedHit(_ hash: UInt64, _ key: Span<UInt8>) -> StoredResponse? {
        let mark = Self.mark(hash)
        var index = home(mark)
        while marks[index] != 0 {
            if marks[index] == mark, let hit = sharedHits[index], Self.has(hit.uri.bytes, key) { return hit }
            index = after(index)
        }
        return nil
    }

    /// The resource of a slot, if it has not ended; with `retaining`, it is retained from now on.
    mutating func live(_ index: Int, retaining: Bool) -> Resource? {
        guard let resource = retentions[index]?.resource else { return nil }
        if retaining { retain(index, resource) }
        return resource
    }

    /// The resources that the table keeps.
    var kept: [Resource] { retentions.compactMap { $0?.kept } }

    /// All that have not ended.
    var live: [Resource] { retentions.compactMap { $0?.resource } }

    // MARK: Showing

    /// Begins a configuration generation; returns the hits of the one before.
    mutating func begin(_ generation: UInt64) -> [StoredResponse?] {
        if generation == self.generation { return [] }
        defer {
            self.generation = generation
            sharedHits = Array(repeating: nil, count: sharedHits.count)
        }
        return sharedHits
    }

    mutating func show(_ index: Int, _ sharedHit: StoredResponse?) { sharedHits[index] = sharedHit }

    // MARK: Retention

    /// Carries out a decision; returns a resource that leaves, for the caller to release under no lock.
    mutating func apply(_ decision: Retention.Decision, to index: Int, _ resource: Resource) -> Resource? {
        switch decision {
        case .retain: retain(index, resource)
        case .leave: return leave(index, resource.hash)
        case .release: unretain(index)
        case .keep: break
        }
        return nil
    }

    mutating func retain(_ index: Int, _ resource: Resource) {
        stay(resource.id)
        retentions[index] = .retained(resource)
    }

    /// Keeps the resource with this number if it was about to leave.
    private mutating func stay(_ id: UInt64) { if leaving?.id == id { leaving = nil } }

    /// Makes a resource the next one to leave; returns the one before.
    ///
    /// Other references to that may be gone meanwhile: the caller releases it under no lock.
    mutating func leave(_ index: Int, _ hash: UInt64) -> Resource? {
        guard case .retained(let resource)? = retentions[index] else { return nil }
        let former = releaseLeaving()
        // The former one may have left a gap that moved this one.
        if let index = find(hash, resource.id) {
            retentions[index] = .leaving(resource)
            leaving = (hash, resource.id)
        }
        return former
    }

    /// Returns the resource that is about to leave; the caller releases it under no lock.
    mutating func releaseLeaving() -> Resource? {
        guard let leaving = leaving.take(), let index = find(leaving.hash, leaving.id),
            case .leaving? = retentions[index], case .leaving(var resource)? = retentions[index].take()
        else { return nil }
        // References are handed out under the lock only.
        if isKnownUniquelyReferenced(&resource) {
            remove(index)
        } else {
            retentions[index] = .unretained(WeakResource(resource))
        }
        return resource
    }

    /// The caller has a reference of its own.
    private mutating func unretain(_ index: Int) {
        guard let resource = retentions[index]?.kept else { return }
        stay(resource.id)
        retentions[index] = .unretained(WeakResource(resource))
    }

    /// Retains no resource any more for which `condition` is true; returns them.
    mutating func release(where condition: (Resource) -> Bool) -> [Resource] {
        var released: [Resource] = []
        for index in retentions.indices {
            guard let resource = retentions[index]?.kept, condition(resource) else { continue }
            released.append(resource)
            resource.wasReleased()
            unretain(index)
        }
        return released
    }

    // MARK: Slots

    mutating func insert(_ hash: UInt64, _ resource: Resource, retaining: Bool) {
        if (count + 1) * 5 > marks.count * 4 { resize(to: marks.count + max(16, marks.count / 4 & ~15)) }
        let index = takeEmpty(Self.mark(hash))
        replace(index, resource, retaining: retaining)
        count += 1
    }

    /// Puts a resource into the slot of its URI.
    mutating func replace(_ index: Int, _ resource: Resource, retaining: Bool) {
        sharedHits[index] = nil
        retentions[index] = retaining ? .retained(resource) : .unretained(WeakResource(resource))
    }

    /// Empties a slot and moves later ones of the same run forward.
    mutating func remove(_ index: Int) {
        var hole = index
        empty(hole)
        count -= 1
        var next = after(hole)
        while marks[next] != 0 {
            if distance(from: home(marks[next]), to: next) >= distance(from: hole, to: next) {
                marks.swapAt(hole, next)
                sharedHits.swapAt(hole, next)
                retentions.swapAt(hole, next)
                hole = next
            }
            next = after(next)
        }
        if marks.count > 16, count * 4 < marks.count { resize(to: max(16, marks.count / 2)) }
    }

    private mutating func empty(_ index: Int) {
        marks[index] = 0
        sharedHits[index] = nil
        retentions[index] = nil
    }

    /// Takes an empty slot.
    private mutating func takeEmpty(_ mark: UInt32) -> Int {
        var index = home(mark)
        while marks[index] != 0 { index = after(index) }
        marks[index] = mark
        return index
    }

    private mutating func resize(to size: Int) {
        let old = (marks, sharedHits, retentions)
        spread = Self.spread(size)
        marks = Array(repeating: 0, count: size)
        sharedHits = Array(repeating: nil, count: size)
        retentions = Array(repeating: nil, count: size)
        for index in old.0.indices where old.0[index] != 0 {
            let new = takeEmpty(old.0[index])
            sharedHits[new] = old.1[index]
            retentions[new] = old.2[index]
        }
    }
}
