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
        /// Set unless the observer is an object without an owner other than itself.
        var strong: (any ResourceObserver)?
        /// The observer, if it is an object.
        weak var object: (any ResourceObserver & AnyObject)?
        var owners: [WeakOwner]

        var observer: (any ResourceObserver)? { strong ?? object }
        var handle: ObserverHandle? {
            observer.map { ObserverHandle(observer: $0, introduction: introduction, identity: identity) }
        }

        /// Whether the observer exists and has a living owner.
        ///
        /// - Parameter references: receives the strong references made here, so that nothing ends before the caller's
        ///   lock is released.
        func isAlive(_ references: inout [any Sendable]) -> Bool {
            guard let observer else { return false }
            references.append(observer)
            let living = owners.compactMap(\.object)
            references += living
            return !living.isEmpty
        }

        /// Whether the observer has an owner other than itself.
        func hasForeignOwner(_ references: inout [any Sendable]) -> Bool {
            guard let object else { return true }
            references.append(object)
            let own = ObjectIdentifier(object)
            let living = owners.compactMap { $0.identity == own ? nil : $0.object }
            references += living
            return !living.isEmpty
        }
    }

    private(set) var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }
    /// The observers that get an event sent now, in the order they were added; call `removeDefunct` first.
    var handles: [ObserverHandle] { entries.compactMap(\.handle) }

    /// Adds an object, or a further owner of one that is there; returns its handle if it is new.
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

    /// Adds a value, or a further owner of one with the same identity; returns its handle if it is new.
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

    /// Removes `owner` from all observers.
    mutating func remove(owner: ObjectIdentifier) {
        for index in entries.indices { entries[index].owners.removeAll { $0.identity == owner } }
    }

    /// Removes and returns observers without a living owner; no longer keeps observers that own only themselves.
    ///
    /// - Parameter references: references that the caller has to release outside of any lock.
    mutating func removeDefunct(_ references: inout [any Sendable]) -> [ObserverHandle] {
        var living: [Entry] = []
        var gone: [ObserverHandle] = []
        for var entry in entries {
            if !entry.isAlive(&references) {
                if let handle = entry.handle { gone.append(handle) }
                continue
            }
            if entry.strong != nil, !entry.hasForeignOwner(&references) { entry.strong = nil }
            living.append(entry)
        }
        entries = living
        return gone
    }
}
