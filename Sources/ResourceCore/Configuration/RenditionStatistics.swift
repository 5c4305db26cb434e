import Synchronization

/// How often forms of stored content were made by pipelines, and how often they were found in the store instead.
public final class RenditionStatistics: Sendable {
    private let madeCount = Atomic<Int>(0)
    private let restoredCount = Atomic<Int>(0)

    public init() {}

    /// Runs of pipelines over content that is kept.
    public var made: Int { madeCount.load(ordering: .relaxed) }
    /// Forms taken from the store in place of a run.
    public var restored: Int { restoredCount.load(ordering: .relaxed) }

    func noteRun() { madeCount.add(1, ordering: .relaxed) }
    func noteRestored() { restoredCount.add(1, ordering: .relaxed) }
}
