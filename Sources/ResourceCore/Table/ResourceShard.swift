import HTTPCore
import Locking

/// One part of the table: open addressing with linear probing, keyed by the bytes of canonical URIs.
final class ResourceShard: Sendable {
    private let slots = Lock(ShardSlots())

    /// What a request without special fields gets, judged by the configuration of `generation`; one lock, no allocation.
    func plain(_ hash: UInt64, _ key: Span<UInt8>, _ generation: UInt64) -> StoredResponse? {
        slots.withLock { $0.generation == generation ? $0.plain(hash, key) : nil }
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

    /// The resource with this number, if it has not ended.
    func live(_ id: UInt64, _ hash: UInt64) -> Resource? {
        slots.withLock { slots in
            guard let index = slots.find(hash, id) else { return nil }
            return slots.live(index, holding: false)
        }
    }

    /// The live resource of the URI `key`, or the one `make` makes; `holding`, `holdingNew`: from now on held.
    func resource(
        _ hash: UInt64,
        _ key: [UInt8],
        holding: Bool,
        holdingNew: Bool,
        make: () -> Resource
    ) -> Resource {
        // Whatever is loaded from a weak reference leaves the lock before it can be released.
        slots.withLock { slots in
            let index = slots.find(hash, key)
            if let index, let live = slots.live(index, holding: holding) { return live }
            let resource = make()
            if let index {
                slots.replace(index, resource, holding: holdingNew)
            } else {
                slots.insert(hash, resource, holding: holdingNew)
            }
            return resource
        }
    }

    /// Shows what of the resource answers plain requests, and holds the resource or lets it go, as its state says.
    ///
    /// - Parameters:
    ///   - holding: what is held stays so until a flush.
    ///   - table: tells the generation of the configuration, which must be read under the lock.
    func update(_ resource: Resource, _ hash: UInt64, holding: Bool, _ table: ResourceTable) {
        // What is shown no more, and who was let go, is released outside of the lock.
        _ = slots.withLock { slots -> ([StoredResponse?], Resource?) in
            guard let index = slots.find(hash, resource.id) else { return ([], nil) }
            let generation = table.configurationGeneration
            let (plain, need) = resource.publish(in: generation, holdsUnused: holding)
            let outdated = slots.begin(generation)
            slots.show(index, plain)
            switch need {
            case .held: slots.hold(index, resource)
            case .empty: return (outdated, slots.releaseSoon(index, hash))
            case .unheld: slots.release(index)
            case .asBefore: break
            }
            return (outdated, nil)
        }
    }

    /// The resource that was to be let go soon goes now.
    func letLastGo() { _ = slots.withLock { $0.letLastGo() } }

    /// Holds only resources that load or are observed; the caller releases the others, outside of the lock.
    func releaseUnused() -> [Resource] { slots.withLock { $0.release { !$0.isInUse } } }

    /// Holds no resource of `core` any more; the caller releases them, outside of the lock.
    func release(of core: ServiceCore) -> [Resource] { slots.withLock { $0.release { $0.core === core } } }

    /// Takes the slot of a resource that is no more.
    func forget(_ id: UInt64, _ hash: UInt64) {
        slots.withLock { slots in
            if let index = slots.find(hash, id) { slots.remove(index) }
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

/// The slots of one shard: a mark of the hash, the resource, and what of it answers plain requests.
///
/// Apart, so that probing and what is read on the hot path touch nothing else; between 64 and 80 % are taken. Seen only
/// under the shard's lock.
struct ShardSlots {
    private enum Holder {
        /// While the resource holds, loads or is waited for, or until a flush, and its service is in use.
        case held(Resource)
        /// Somebody else's reference keeps it alive.
        case known(WeakResource)

        var id: UInt64 {
            switch self {
            case .held(let resource): resource.id
            case .known(let known): known.id
            }
        }

        var key: [UInt8] {
            switch self {
            case .held(let resource): resource.uri.bytes
            case .known(let known): known.uri.bytes
            }
        }
    }

    /// Marks of the slots, never 0; 0 where a slot is empty.
    private(set) var marks: [UInt32] = Array(repeating: 0, count: 16)
    /// Odd, and another one for each size.
    ///
    /// Those who go in the order of their slots would else leave marks that are all alike, and with the next smaller size
    /// one run, which each that goes moves as a whole.
    private var spread = ShardSlots.spread(16)
    /// What `ResourceState.plain` is, of the resources whose configuration is of `generation`.
    private var plains: [StoredResponse?] = Array(repeating: nil, count: 16)
    private var holders: [Holder?] = Array(repeating: nil, count: 16)
    /// An empty resource that is held until the next one is to be let go.
    ///
    /// Whoever lets it go has it in hand, and most often is the last to have it: once the next one goes there is nobody, and no
    /// weak reference is needed to find that out, nor the memory that one takes.
    private var last: (hash: UInt64, id: UInt64)?
    private(set) var count = 0
    /// The configuration's, by which all that is shown was judged.
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

    /// As above; no byte is compared where the URI was made from this very array.
    func find(_ hash: UInt64, _ key: [UInt8]) -> Int? {
        let mark = Self.mark(hash)
        var index = home(mark)
        while marks[index] != 0 {
            if marks[index] == mark, holders[index]?.key == key { return index }
            index = after(index)
        }
        return nil
    }

    /// The slot of the resource with this number.
    func find(_ hash: UInt64, _ id: UInt64) -> Int? {
        let mark = Self.mark(hash)
        var index = home(mark)
        while marks[index] != 0 {
            if marks[index] == mark, holders[index]?.id == id { return index }
            index = after(index)
        }
        return nil
    }

    private func matches(_ index: Int, _ key: Span<UInt8>) -> Bool {
        guard let bytes = holders[index]?.key else { return false }
        return Self.has(bytes, key)
    }

    private static func has(_ bytes: [UInt8], _ key: Span<UInt8>) -> Bool { bytes.span.hasSameBytes(as: key) }

    /// What is shown of the resource with this key.
    func plain(_ hash: UInt64, _ key: Span<UInt8>) -> StoredResponse? {
        let mark = Self.mark(hash)
        var index = home(mark)
        while marks[index] != 0 {
            if marks[index] == mark, let plain = plains[index], Self.has(plain.uri.bytes, key) { return plain }
            index = after(index)
        }
        return nil
    }

    /// The resource of a slot, if it has not ended; `holding`: from now on held.
    mutating func live(_ index: Int, holding: Bool) -> Resource? {
        switch holders[index] {
        case .held(let resource):
            if holding { holdOn(resource.id) }
            return resource
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

    /// What is shown from now on is judged by the configuration of `generation`; returns what is shown no more.
    mutating func begin(_ generation: UInt64) -> [StoredResponse?] {
        if generation == self.generation { return [] }
        defer {
            self.generation = generation
            plains = Array(repeating: nil, count: plains.count)
        }
        return plains
    }

    mutating func show(_ index: Int, _ plain: StoredResponse?) { plains[index] = plain }

    mutating func hold(_ index: Int, _ resource: Resource) {
        holders[index] = .held(resource)
        holdOn(resource.id)
    }

    /// A resource that was to be let go soon is needed again.
    private mutating func holdOn(_ id: UInt64) { if last?.id == id { last = nil } }

    /// Lets an empty resource go when the next one is to be; returns the one before it, which the caller releases outside of
    /// the lock.
    mutating func releaseSoon(_ index: Int, _ hash: UInt64) -> Resource? {
        guard case .held(let resource)? = holders[index], last?.id != resource.id else { return nil }
        let next = (hash, resource.id)
        defer { last = next }
        return letLastGo()
    }

    /// Lets the resource go that was to go soon; the caller releases it outside of the lock: who had it besides may have
    /// let it go meanwhile.
    mutating func letLastGo() -> Resource? {
        guard let last = last.take(), let index = find(last.hash, last.id), case .held? = holders[index],
            case .held(var resource)? = holders[index].take()
        else { return nil }
        // References are handed out under the lock only.
        if isKnownUniquelyReferenced(&resource) {
            remove(index)
        } else {
            holders[index] = .known(WeakResource(resource))
        }
        return resource
    }

    /// The caller has a reference of its own.
    mutating func release(_ index: Int) {
        guard case .held(let resource)? = holders[index] else { return }
        holdOn(resource.id)
        holders[index] = .known(WeakResource(resource))
    }

    /// Lets go of the held resources that `condition` holds for.
    mutating func release(where condition: (Resource) -> Bool) -> [Resource] {
        var left: [Resource] = []
        for index in holders.indices {
            guard case .held(let resource)? = holders[index], condition(resource) else { continue }
            left.append(resource)
            release(index)
            resource.noteLetGo()
        }
        return left
    }

    // MARK: Slots

    mutating func insert(_ hash: UInt64, _ resource: Resource, holding: Bool) {
        if (count + 1) * 5 > marks.count * 4 { resize(to: marks.count + max(16, marks.count / 4 & ~15)) }
        let index = place(Self.mark(hash))
        replace(index, resource, holding: holding)
        count += 1
    }

    /// Puts a resource into a slot of its URI.
    mutating func replace(_ index: Int, _ resource: Resource, holding: Bool) {
        plains[index] = nil
        holders[index] = holding ? .held(resource) : .known(WeakResource(resource))
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
                plains.swapAt(hole, next)
                holders.swapAt(hole, next)
                hole = next
            }
            next = after(next)
        }
        if marks.count > 16, count * 4 < marks.count { resize(to: max(16, marks.count / 2)) }
    }

    private mutating func empty(_ index: Int) {
        marks[index] = 0
        plains[index] = nil
        holders[index] = nil
    }

    /// Takes an empty slot.
    private mutating func place(_ mark: UInt32) -> Int {
        var index = home(mark)
        while marks[index] != 0 { index = after(index) }
        marks[index] = mark
        return index
    }

    private mutating func resize(to size: Int) {
        let old = (marks, plains, holders)
        spread = Self.spread(size)
        marks = Array(repeating: 0, count: size)
        plains = Array(repeating: nil, count: size)
        holders = Array(repeating: nil, count: size)
        for index in old.0.indices where old.0[index] != 0 {
            let new = place(old.0[index])
            plains[new] = old.1[index]
            holders[new] = old.2[index]
        }
    }
}

/// What the table is to do with a resource.
enum ResourceNeed {
    /// Hold it.
    case held
    /// Hold it no more, though there may be something to it: who has it besides keeps that.
    case unheld
    /// Hold it no more, there is nothing to it.
    case empty
    case asBefore
}

/// A resource that ends when nobody else holds it.
final class WeakResource: Sendable {
    weak let resource: Resource?
    let id: UInt64
    let uri: TargetURI

    init(_ resource: Resource) {
        self.resource = resource
        id = resource.id
        uri = resource.uri
    }
}
