import Synchronization

/// How often pipelines made renditions of stored content, and how often the store already had them.
public final class RenditionStatistics: Sendable {
    private let madeCount = Atomic<Int>(0)
    private let restoredCount = Atomic<Int>(0)

    public init() {}

    /// Runs of pipelines over content that is kept.
    public var made: Int { madeCount.load(ordering: .relaxed) }
    /// Renditions read from the store instead of running a pipeline.
    public var restored: Int { restoredCount.load(ordering: .relaxed) }

    package func noteRun() { madeCount.add(1, ordering: .relaxed) }
    package func noteRestored() { restoredCount.add(1, ordering: .relaxed) }
}
