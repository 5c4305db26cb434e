/// Finds the core of a service without keeping it; one for all links, since a weak reference is dear to make.
///
/// `@unchecked Sendable`: it is written once, before anybody else has it; weak references may be read from any thread.
final class WeakCore: @unchecked Sendable {
    /// Nil once it has ended.
    @safe @exclusivity(unchecked) private(set) weak var core: ServiceCore?

    /// By the core itself, at the end of its making.
    func set(_ core: ServiceCore) { self.core = core }
}
