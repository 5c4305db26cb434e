/// Finds a resource without keeping it: in its place in the table.
///
/// A weak reference would cost the resource 48 octets for as long as it lives. Never followed under the lock of a resource.
struct ResourceLink: Sendable {
    /// Weak, since what is under way keeps no table; there is one core for all resources of a service.
    private weak let core: ServiceCore?
    private let hash: UInt64
    private let id: UInt64
    /// Of what is no URL, which is in no table.
    private let apart: WeakResource?

    init(_ resource: Resource) {
        core = resource.core
        hash = resource.hash
        id = resource.id
        apart = resource.failure == nil ? nil : WeakResource(resource)
    }

    /// Nil once it has ended.
    var resource: Resource? { apart.map(\.resource) ?? core?.table.live(id, hash) }
}
