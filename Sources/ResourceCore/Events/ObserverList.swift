/// The observers of one resource with their owners (S-210 to S-216).
struct ObserverList: Sendable {
    struct WeakOwner: Sendable {
        weak var object: (any AnyObject & Sendable)?
        let identity: ObjectIdentifier
    }

    struct Entry: Sendable {
        let identity: ObjectIdentifier
        /// Set iff somebody other than the observer owns it.
        var strong: (any ResourceObserver)?
        weak var observer: (any ResourceObserver)?
        var owners: [WeakOwner]

        var isAlive: Bool { observer != nil && owners.contains { $0.object != nil } }
    }

    private(set) var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }
    /// Those that get an event sent now, in the order they were added.
    var living: [any ResourceObserver] { entries.compactMap { $0.isAlive ? $0.observer : nil } }

    /// Adds an observer or gives one that is there another owner; true if it is new.
    mutating func add(_ observer: any ResourceObserver, owner: any AnyObject & Sendable) -> Bool {
        let identity = ObjectIdentifier(observer)
        let link = WeakOwner(object: owner, identity: ObjectIdentifier(owner))
        let isForeign = link.identity != identity
        if let index = entries.firstIndex(where: { $0.identity == identity && $0.observer != nil }) {
            if !entries[index].owners.contains(where: { $0.identity == link.identity }) {
                entries[index].owners.append(link)
            }
            if isForeign { entries[index].strong = observer }
            return false
        }
        entries.append(
            Entry(identity: identity, strong: isForeign ? observer : nil, observer: observer, owners: [link])
        )
        return true
    }

    /// Takes `owner` from all observers; returns those that are left without one, to be told and released by the caller.
    mutating func remove(ownedBy owner: ObjectIdentifier) -> [any ResourceObserver] {
        for index in entries.indices { entries[index].owners.removeAll { $0.identity == owner } }
        return removeDefunct()
    }

    /// Takes out observers without a living owner; the caller releases them outside of any lock.
    mutating func removeDefunct() -> [any ResourceObserver] {
        guard entries.contains(where: { !$0.isAlive }) else { return [] }
        let gone = entries.filter { !$0.isAlive }.compactMap(\.observer)
        entries.removeAll { !$0.isAlive }
        for index in entries.indices where entries[index].strong != nil {
            let identity = entries[index].identity
            if entries[index].owners.allSatisfy({ $0.identity == identity }) { entries[index].strong = nil }
        }
        return gone
    }
}
