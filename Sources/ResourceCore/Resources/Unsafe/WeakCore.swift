/// Finds the core of a service without keeping it alive; shared by all links, since weak references are costly to make.
///
/// `@unchecked Sendable`: written once, before other code sees it; weak references may be read from any thread.
final class WeakCore: @unchecked Sendable {
    /// Nil once it has ended.
    @safe @exclusivity(unchecked) private(set) weak var core: ServiceCore?

    /// Called by the core, at the end of its `init`.
    func set(_ core: ServiceCore) { self.core = core }
}
