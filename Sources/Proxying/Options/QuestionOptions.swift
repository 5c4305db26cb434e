import Synchronization

/// How much content of requests is held for their cache keys.
public struct QuestionOptions: Sendable {
    /// The most bytes of one request's content; a larger one passes.
    public var contentLimit = 1 << 20
    /// The most bytes of all such contents; shared by all listeners and loops.
    public var memory = QuestionMemory(limit: 64 << 20)
    /// Shared by all loops.
    var equivalents = EquivalentResources()

    public init() {}
}

/// The memory for held contents of requests.
public final class QuestionMemory: Sendable {
    private let limit: Int
    private let used = Atomic<Int>(0)

    public init(limit: Int) { self.limit = limit }

    /// Reserves `bytes`; returns false, and reserves nothing, if fewer are left.
    func take(_ bytes: Int) -> Bool {
        guard used.add(bytes, ordering: .relaxed).newValue > limit else { return true }
        release(bytes)
        return false
    }

    /// Reserves `bytes` even above the limit: they have been received already.
    func borrow(_ bytes: Int) { used.add(bytes, ordering: .relaxed) }

    func release(_ bytes: Int) { used.subtract(bytes, ordering: .relaxed) }
}
