import HTTPCore
import Locking

/// One part of the table: open addressing with linear probing, keyed by the octets of canonical URIs.
final class ResourceShard: Sendable {
    private let slots = Lock(ShardSlots())

    /// What a request without special fields needs; one lock, no allocation.
    func snapshot(_ hash: UInt64, _ key: Span<UInt8>) -> ResourceSnapshot? {
        slots.withLock { slots in
            guard let index = slots.find(hash, key) else { return nil }
            return slots.slots[index]?.snapshot
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
            let live = index.flatMap { slots.slots[$0]?.live }
            let resource = live ?? make()
            if let index, live == nil {
                slots.slots[index] = ShardSlots.Slot(hash: hash, key: key, resource: resource)
            } else if index == nil {
                slots.insert(ShardSlots.Slot(hash: hash, key: key, resource: resource))
            }
            if holding, let index = slots.find(hash, key) { slots.slots[index]?.strong = resource }
            return resource
        }
    }

    /// Publishes the resource's present snapshot, and holds the resource or lets it go, as its state says.
    ///
    /// - Parameter holding: what is held stays so until a flush.
    func update(_ resource: Resource, _ hash: UInt64, holding: Bool) {
        slots.withLock { slots in
            guard let index = slots.find(hash, resource.uri.octets), slots.slots[index]?.id == resource.id else {
                return
            }
            let publication = resource.publication
            slots.slots[index]?.snapshot = publication.snapshot
            if !resource.core.isInUse {
                slots.slots[index]?.strong = nil
            } else if holding ? publication.isInUse : !publication.isIdle {
                slots.slots[index]?.strong = resource
            } else if !holding {
                slots.slots[index]?.strong = nil
            }
        }
    }

    /// Holds only resources that load or are observed; the caller releases the others, outside of the lock.
    func letGoUnused() -> [Resource] {
        slots.withLock { slots in
            var held: [Resource] = []
            for index in slots.slots.indices {
                guard let resource = slots.slots[index]?.strong, !resource.publication.isInUse else { continue }
                held.append(resource)
                slots.slots[index]?.strong = nil
            }
            return held
        }
    }

    /// Holds no resource of `core` any more; the caller releases them, outside of the lock.
    func letGo(of core: ServiceCore) -> [Resource] {
        slots.withLock { slots in
            var held: [Resource] = []
            for index in slots.slots.indices {
                guard let resource = slots.slots[index]?.strong, resource.core === core else { continue }
                held.append(resource)
                slots.slots[index]?.strong = nil
            }
            return held
        }
    }

    /// Takes the slot of a resource that is no more.
    func forget(_ id: UInt64, _ hash: UInt64, _ uri: TargetURI) {
        slots.withLock { slots in
            if let index = slots.find(hash, uri.octets), slots.slots[index]?.id == id { slots.remove(index) }
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
    var held: [Resource] { slots.withLock { $0.slots.compactMap { $0?.strong } } }

    /// All live resources.
    var resources: [Resource] { slots.withLock { $0.slots.compactMap { $0?.live } } }
}

/// The slots of one shard.
struct ShardSlots {
    /// An object: what is read of it on the hot path copies nothing else, weak references least of all.
    ///
    /// Seen only under the shard's lock.
    final class Slot: @unchecked Sendable {
        let hash: UInt64
        let key: [UInt8]
        let id: UInt64
        /// Set while the resource holds, loads or is waited for, or until a flush, and its service is in use; else somebody
        /// else's reference keeps it alive.
        var strong: Resource?
        weak var resource: Resource?
        var snapshot: ResourceSnapshot?

        init(hash: UInt64, key: [UInt8], resource: Resource) {
            self.hash = hash
            self.key = key
            id = resource.id
            self.resource = resource
        }

        var live: Resource? { strong ?? resource }
    }

    /// Hashes of the slots, never 0; 0 where a slot is empty.
    ///
    /// Apart, so that probing touches nothing else.
    private var hashes: [UInt64] = Array(repeating: 0, count: 16)
    var slots: [Slot?] = Array(repeating: nil, count: 16)
    private(set) var count = 0
    var unstored = UnstoredResponses()

    private var mask: Int { hashes.count - 1 }
    private func home(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 1) & mask }

    func find(_ hash: UInt64, _ key: Span<UInt8>) -> Int? {
        var index = home(hash)
        while hashes[index] != 0 {
            if hashes[index] == hash | 1, matches(index, key) { return index }
            index = (index + 1) & mask
        }
        return nil
    }

    /// As above; no octet is compared where the URI was made from this very array.
    func find(_ hash: UInt64, _ key: [UInt8]) -> Int? {
        var index = home(hash)
        while hashes[index] != 0 {
            if hashes[index] == hash | 1, let other = slots[index]?.key, other == key { return index }
            index = (index + 1) & mask
        }
        return nil
    }

    /// The resource of a slot, if it has not ended; `holding`: from now on held.
    mutating func live(_ index: Int, holding: Bool) -> Resource? {
        if let strong = slots[index]?.strong { return strong }
        let live = slots[index]?.resource
        if holding { slots[index]?.strong = live }
        return live
    }

    private func matches(_ index: Int, _ key: Span<UInt8>) -> Bool {
        guard let octets = slots[index]?.key else { return false }
        return octets.span.hasSameOctets(as: key)
    }

    mutating func insert(_ slot: Slot) {
        if (count + 1) * 4 > hashes.count * 3 { resize(to: hashes.count * 2) }
        place(slot)
        count += 1
    }

    /// Empties a slot and moves later ones of the same run forward.
    mutating func remove(_ index: Int) {
        var hole = index
        empty(hole)
        count -= 1
        var next = (hole + 1) & mask
        while hashes[next] != 0 {
            let distance = (next - home(hashes[next])) & mask
            if distance >= (next - hole) & mask {
                slots[hole] = slots[next]
                hashes[hole] = hashes[next]
                empty(next)
                hole = next
            }
            next = (next + 1) & mask
        }
        if hashes.count > 16, count * 8 < hashes.count { resize(to: hashes.count / 2) }
    }

    private mutating func empty(_ index: Int) {
        slots[index] = nil
        hashes[index] = 0
    }

    private mutating func place(_ slot: Slot) {
        var index = home(slot.hash)
        while hashes[index] != 0 { index = (index + 1) & mask }
        slots[index] = slot
        hashes[index] = slot.hash | 1
    }

    private mutating func resize(to size: Int) {
        let old = slots
        slots = Array(repeating: nil, count: size)
        hashes = Array(repeating: 0, count: size)
        for slot in old { if let slot { place(slot) } }
    }
}
