/// Finds a resource through the table, without keeping it alive.
///
/// A weak reference would cost the resource 48 bytes while it lives. No link is followed under the lock of a resource.
/// Three words, so that a value of a protocol holds it without an allocation.
enum ResourceLink: WaiterOwner, LoadOwner {
    /// The reference is weak: work in progress does not keep the table.
    case inTable(WeakCore, hash: UInt64, id: UInt64)
    /// A resource without URL is in no table.
    case apart(WeakResource)

    init(_ resource: Resource) {
        self =
            resource.hasURL
            ? .inTable(resource.core.reference, hash: resource.hash, id: resource.id) : .apart(WeakResource(resource))
    }

    /// Nil once it has ended.
    var resource: Resource? {
        switch self {
        case .inTable(let core, let hash, let id): core.core?.table.live(id, hash)
        case .apart(let resource): resource.resource
        }
    }

    var delegate: (any LoadDelegate)? { resource }
    func cancel(_ waiter: Waiter) { resource?.cancel(waiter) }
}
