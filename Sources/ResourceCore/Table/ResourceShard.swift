import HTTPCore
import Locking

/// One part of the table: open addressing with linear probing, keyed by the octets of canonical URIs.
final class ResourceShard: Sendable {
    private let slots = Lock(ShardSlots())

    /// What a request without special fields needs; one lock, no allocation.
    func snapshot(_ hash: UInt64, _ key: Span<UInt8>) -> ResourceSnapshot? {
        slots.withLock { slots in
            guard let index = slots.find(hash, key) else { return nil }
            return slots.snapshot(index)
        }
    }

    /// The live resource; `holding`: from now on held (S-224).
    func find(_ hash: UInt64, _ key: [UInt8], holding: Bool) -> Resource? {
        slots.withLock { slots in
            guard let index = slots.find(hash, key) else { return nil }
            return slots.live(index, holding: holding)
        }
    }

    func find(_ hash: UInt64, _ key: Span<UInt8>, holding: Bool) -> Resource? {
        slots.withLock { slots in
            guard let index = slots.find(hash, key) else { return nil }
            return slots.live(index, holding: holding)
        }
    }

    /// The live resource of the URI `key`, or the one `make` makes; `holding`: from now on held.
    func resource(_ hash: UInt64, _ key: [UInt8], holding: Bool, make: () -> Resource) -> Resource {
        // Whatever is loaded from a weak reference leaves the lock before it can be released.
        slots.withLock { slots in
            let index = slots.find(hash, key)
            if let index, let live = slots.live(index, holding: holding) { return live }
            let resource = make()
            if let index {
                slots.replace(index, resource, holding: holding)
            } else {
                slots.insert(hash, resource, holding: holding)
            }
            return resource
        }
    }

    /// Publishes the resource's present snapshot, and holds the resource or lets it go, as its state says.
    ///
    /// - Parameter holding: what is held stays so until a flush.
    func update(_ resource: Resource, _ hash: UInt64, holding: Bool) {
        slots.withLock { slots in
            guard let index = slots.find(hash, resource.uri.octets), slots.id(index) == resource.id else { return }
            let publication = resource.publication
            slots.show(index, publication.snapshot)
            if !resource.core.isInUse {
                slots.letGo(index)
            } else if holding ? publication.isInUse : !publication.isIdle {
                slots.hold(index, resource)
            } else if !holding {
                slots.letGo(index)
            }
        }
    }

    /// Holds only resources that load or are observed; the caller releases the others, outside of the lock.
    func letGoUnused() -> [Resource] { slots.withLock { $0.letGo { !$0.publication.isInUse } } }

    /// Holds no resource of `core` any more; the caller releases them, outside of the lock.
    func letGo(of core: ServiceCore) -> [Resource] { slots.withLock { $0.letGo { $0.core === core } } }

    /// Takes the slot of a resource that is no more.
    func forget(_ id: UInt64, _ hash: UInt64, _ uri: TargetURI) {
        slots.withLock { slots in
            if let index = slots.find(hash, uri.octets), slots.id(index) == id { slots.remove(index) }
        }
    }

    /// Why the last response of this URI was not stored, as far as that is remembered.
    func unstored(_ hash: UInt64) -> UnstoredResponse? { slots.withLock { $0.unstored[hash] } }

    /// A response has come: `unstored` if it is not stored.
    func noteResponse(_ hash: UInt64, _ unstored: UnstoredResponse?) {
        slots.withLock { slots in
            if let unstored { slots.unstored.insert(unstored) } else { slots.unstored.remove(hash) }
        }
    }

    var count: Int { slots.withLock { $0.count } }

    /// Those the table holds.
    var held: [Resource] { slots.withLock { $0.held } }

    /// All live resources.
    var resources: [Resource] { slots.withLock { $0.live } }
}

/// The slots of one shard: a mark of the hash, the snapshot, which tells key and number, and the resource.
///
/// Apart, so that probing and what is read on the hot path touch nothing else. Seen only under the shard's lock.
struct ShardSlots {
    private enum Holder {
        /// While the resource holds, loads or is waited for, or until a flush, and its service is in use.
        case held(Resource)
        /// Somebody else's reference keeps it alive.
        case known(WeakResource)
    }

    /// Marks of the slots, never 0; 0 where a slot is empty.
    private var marks: [UInt32] = Array(repeating: 0, count: 16)
    private var snapshots: [ResourceSnapshot?] = Array(repeating: nil, count: 16)
    private var holders: [Holder?] = Array(repeating: nil, count: 16)
    private(set) var count = 0
    var unstored = UnstoredResponses()

    private var mask: Int { marks.count - 1 }
    private static func mark(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash) | 1 }
    private func home(_ mark: UInt32) -> Int { Int(mark >> 1) & mask }

    // MARK: Finding

    func find(_ hash: UInt64, _ key: Span<UInt8>) -> Int? {
        let mark = Self.mark(hash)
        var index = home(mark)
        while marks[index] != 0 {
            if marks[index] == mark, matches(index, key) { return index }
            index = (index + 1) & mask
        }
        return nil
    }

    /// As above; no octet is compared where the URI was made from this very array.
    func find(_ hash: UInt64, _ key: [UInt8]) -> Int? {
        let mark = Self.mark(hash)
        var index = home(mark)
        while marks[index] != 0 {
            if marks[index] == mark, let other = snapshots[index]?.uri.octets, other == key { return index }
            index = (index + 1) & mask
        }
        return nil
    }

    private func matches(_ index: Int, _ key: Span<UInt8>) -> Bool {
        guard let octets = snapshots[index]?.uri.octets else { return false }
        return octets.span.hasSameOctets(as: key)
    }

    func snapshot(_ index: Int) -> ResourceSnapshot? { snapshots[index] }

    /// The number of the resource.
    func id(_ index: Int) -> UInt64? { snapshots[index]?.id }

    /// The resource of a slot, if it has not ended; `holding`: from now on held.
    mutating func live(_ index: Int, holding: Bool) -> Resource? {
        switch holders[index] {
        case .held(let resource): return resource
        case .known(let known):
            let live = known.resource
            if holding, let live { holders[index] = .held(live) }
            return live
        case nil: return nil
        }
    }

    /// Those that are held.
    var held: [Resource] { holders.compactMap { if case .held(let resource)? = $0 { resource } else { nil } } }

    /// All that have not ended.
    var live: [Resource] {
        holders.compactMap { holder in
            switch holder {
            case .held(let resource): resource
            case .known(let known): known.resource
            case nil: nil
            }
        }
    }

    // MARK: Holding

    mutating func show(_ index: Int, _ snapshot: ResourceSnapshot) { snapshots[index] = snapshot }

    mutating func hold(_ index: Int, _ resource: Resource) { holders[index] = .held(resource) }

    /// The caller has a reference of its own.
    mutating func letGo(_ index: Int) {
        if case .held(let resource)? = holders[index] { holders[index] = .known(WeakResource(resource)) }
    }

    /// Lets go of the held resources that `condition` holds for.
    mutating func letGo(where condition: (Resource) -> Bool) -> [Resource] {
        var left: [Resource] = []
        for index in holders.indices {
            guard case .held(let resource)? = holders[index], condition(resource) else { continue }
            left.append(resource)
            letGo(index)
        }
        return left
    }

    // MARK: Slots

    mutating func insert(_ hash: UInt64, _ resource: Resource, holding: Bool) {
        if (count + 1) * 4 > marks.count * 3 { resize(to: marks.count * 2) }
        let index = place(Self.mark(hash))
        replace(index, resource, holding: holding)
        count += 1
    }

    /// Puts a resource into a slot of its URI.
    mutating func replace(_ index: Int, _ resource: Resource, holding: Bool) {
        snapshots[index] = resource.publication.snapshot
        holders[index] = holding ? .held(resource) : .known(WeakResource(resource))
    }

    /// Empties a slot and moves later ones of the same run forward.
    mutating func remove(_ index: Int) {
        var hole = index
        empty(hole)
        count -= 1
        var next = (hole + 1) & mask
        while marks[next] != 0 {
            let distance = (next - home(marks[next])) & mask
            if distance >= (next - hole) & mask {
                marks[hole] = marks[next]
                snapshots[hole] = snapshots[next]
                holders[hole] = holders[next]
                empty(next)
                hole = next
            }
            next = (next + 1) & mask
        }
        if marks.count > 16, count * 8 < marks.count { resize(to: marks.count / 2) }
    }

    private mutating func empty(_ index: Int) {
        marks[index] = 0
        snapshots[index] = nil
        holders[index] = nil
    }

    /// Takes an empty slot.
    private mutating func place(_ mark: UInt32) -> Int {
        var index = home(mark)
        while marks[index] != 0 { index = (index + 1) & mask }
        marks[index] = mark
        return index
    }

    private mutating func resize(to size: Int) {
        let old = (marks, snapshots, holders)
        marks = Array(repeating: 0, count: size)
        snapshots = Array(repeating: nil, count: size)
        holders = Array(repeating: nil, count: size)
        for index in old.0.indices where old.0[index] != 0 {
            let new = place(old.0[index])
            snapshots[new] = old.1[index]
            holders[new] = old.2[index]
        }
    }
}

/// A resource that ends when nobody else holds it.
private final class WeakResource: Sendable {
    weak let resource: Resource?

    init(_ resource: Resource) { self.resource = resource }
}
