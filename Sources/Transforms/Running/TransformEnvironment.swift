public import Exchanges

/// What all pipelines of a process share.
public struct TransformEnvironment: Sendable {
    /// Where pipelines run; nil: whatever has to be transformed fails.
    public let workers: (any TransformWorkers)?
    /// The memory of all runs together that need whole contents.
    public let memory: TransformMemory
    /// Takes content codings off before a step that needs decoded content.
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
