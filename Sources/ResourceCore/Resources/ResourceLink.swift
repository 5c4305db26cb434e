/// Finds a resource without keeping it: in its place in the table.
///
/// A weak reference would cost the resource 48 bytes for as long as it lives. Never followed under the lock of a resource.
struct ResourceLink: Sendable {
    /// What is under way keeps no table.
    private let core: WeakCore
    private let hash: UInt64
    private let id: UInt64
    /// Of what is no URL, which is in no table.
    private let apart: WeakResource?

    /// - Parameter hash: the resource's.
    init(_ resource: Resource, _ hash: UInt64) {
        core = resource.core.reference
        self.hash = hash
        id = resource.id
        apart = resource.hasURL ? nil : WeakResource(resource)
    }

    /// Nil once it has ended.
    var resource: Resource? { apart.map(\.resource) ?? core.core?.table.live(id, hash) }
}
