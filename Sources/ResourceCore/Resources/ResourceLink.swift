/// Finds a resource through the table, without keeping it alive.
///
/// A weak reference would cost the resource 48 bytes while it lives. No link is followed under the lock of a resource.
struct ResourceLink: WaiterOwner, LoadOwner {
    /// Weak: work in progress does not keep the table.
    private let core: WeakCore
    private let hash: UInt64
    private let id: UInt64
    /// For a resource without URL, which is in no table.
    private let apart: WeakResource?

    init(_ resource: Resource) {
        core = resource.core.reference
        hash = resource.hash
        id = resource.id
        apart = resource.hasURL ? nil : WeakResource(resource)
    }

    /// Nil once it has ended.
    var resource: Resource? { apart.map(\.resource) ?? core.core?.table.live(id, hash) }

    var delegate: (any LoadDelegate)? { resource }

    func cancel(_ waiter: Waiter) { resource?.cancel(waiter) }
}
