public import Exchanges

/// What all pipelines of a process share.
public struct TransformEnvironment: Sendable {
    /// The threads that pipelines run on; nil if every transformation is to fail.
    public let workers: (any TransformWorkers)?
    /// The memory for all runs that need whole contents.
    public let memory: TransformMemory
    /// Removes content codings before a step that needs decoded content.
    public let decoder: (any StreamingTransformer)?
    public let timekeeper: any Timekeeper

    public init(
        workers: (any TransformWorkers)?,
        memory: TransformMemory,
        decoder: (any StreamingTransformer)?,
        timekeeper: any Timekeeper
    ) {
        self.workers = workers
        self.memory = memory
        self.decoder = decoder
        self.timekeeper = timekeeper
    }
}
