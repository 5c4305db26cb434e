import ResourceCore

/// The observers of one resource with their owners (S-210 to S-216).
struct ObserverList: Sendable {
    struct WeakOwner: Sendable {
        weak var object: (any AnyObject & Sendable)?
        let identity: ObjectIdentifier
    }

    struct Entry: Sendable {
        let identity: ObserverIdentity?
        let introduction = Introduction()
        /// Set unless the observer is an object that nobody but itself owns.
        var strong: (any ResourceObserver)?
        /// An observer that is an object.
        weak var object: (any ResourceObserver & AnyObject)?
        var owners: [WeakOwner]

        var observer: (any ResourceObserver)? { strong ?? object }
        var handle: ObserverHandle? {
            observer.map { ObserverHandle(observer: $0, introduction: introduction, identity: identity) }
        }

        /// Whether it observes.
        ///
        /// - Parameter held: gets what weak references gave, so that nothing ends before the caller lets go of its lock.
        func isAlive(_ held: inout [any Sendable]) -> Bool {
            guard let observer else { return false }
            held.append(observer)
            let living = owners.compactMap(\.object)
            held += living
            return !living.isEmpty
        }

        /// Whether somebody other than the observer itself owns it.
        func hasForeignOwner(_ held: inout [any Sendable]) -> Bool {
            guard let object else { return true }
            held.append(object)
            let own = ObjectIdentifier(object)
            let living = owners.compactMap { $0.identity == own ? nil : $0.object }
            held += living
            return !living.isEmpty
        }
    }

    private(set) var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }
    /// Those that get an event sent now, in the order they were added; after `removeDefunct`.
    var handles: [ObserverHandle] { entries.compactMap(\.handle) }

    /// Adds an object, or gives one that is there another owner; its handle if it is new.
    mutating func add(
        object: any ResourceObserver & AnyObject,
        owner: any AnyObject & Sendable
    ) -> ObserverHandle? {
        let isForeign = ObjectIdentifier(owner) != ObjectIdentifier(object)
        guard let index = index(of: object.observerIdentity) else {
            return append(
                Entry(identity: object.observerIdentity, strong: isForeign ? object : nil, object: object, owners: []),
                owner
            )
        }
        entries[index].object = object
        if isForeign { entries[index].strong = object }
        addOwner(owner, to: index)
        return nil
    }

    /// Adds a value, or gives one of the same identity another owner; its handle if it is new.
    mutating func add(value: any ResourceObserver, owner: any AnyObject & Sendable) -> ObserverHandle? {
        guard let index = index(of: value.observerIdentity) else {
            return append(Entry(identity: value.observerIdentity, strong: value, object: nil, owners: []), owner)
        }
        if entries[index].strong == nil { entries[index].strong = value }
        addOwner(owner, to: index)
        return nil
    }

    private func index(of identity: ObserverIdentity?) -> Int? {
        identity.flatMap { identity in entries.firstIndex { $0.identity == identity } }
    }

    private mutating func append(_ entry: Entry, _ owner: any AnyObject & Sendable) -> ObserverHandle? {
        entries.append(entry)
        addOwner(owner, to: entries.count - 1)
        return entry.handle
    }

    private mutating func addOwner(_ owner: any AnyObject & Sendable, to index: Int) {
        let link = WeakOwner(object: owner, identity: ObjectIdentifier(owner))
        if !entries[index].owners.contains(where: { $0.identity == link.identity }) {
            entries[index].owners.append(link)
        }
    }

    /// Takes `owner` from all observers.
    mutating func remove(owner: ObjectIdentifier) {
        for index in entries.indices { entries[index].owners.removeAll { $0.identity == owner } }
    }

    /// Takes out observers without a living owner, which are to be told; and ceases to keep those that only own themselves.
    ///
    /// - Parameter held: what the caller has to release, outside of any lock.
    mutating func removeDefunct(_ held: inout [any Sendable]) -> [ObserverHandle] {
        var living: [Entry] = []
        var gone: [ObserverHandle] = []
        for var entry in entries {
            if !entry.isAlive(&held) {
                if let handle = entry.handle { gone.append(handle) }
                continue
            }
            if entry.strong != nil, !entry.hasForeignOwner(&held) { entry.strong = nil }
            living.append(entry)
        }
        entries = living
        return gone
    }
}
