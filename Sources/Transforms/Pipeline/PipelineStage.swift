/// One stage of a pipeline: what changes responses, in order, and behind it at most one cache for what comes out (S-165).
///
/// Responses that clients of the proxy follow go through the streaming steps only. Those loaded for a program go through
/// all elements, in order.
public struct PipelineStage: Sendable {
    /// What becomes of the transformers a stage has already when another one is configured (S-055).
    public enum MutationAction: Sendable { case replaceExisting, appendToExisting }

    public private(set) var elements: [PipelineElement] = []
    /// Keeps what the stage puts out for programs.
    public var cache: (any StageCache)?

    public init() {}

    /// Nothing runs here.
    public var isEmpty: Bool { elements.isEmpty }
    /// The streaming steps, in order.
    public var steps: [PipelineStep] { elements.compactMap { if case .step(let step) = $0 { step } else { nil } } }
    public var isCaching: Bool { cache != nil }

    /// Adds an element behind those there are.
    public mutating func add(_ element: PipelineElement) { elements.append(element) }

    /// Adds a streaming step behind the elements there are.
    public mutating func add(_ step: PipelineStep) { add(.step(step)) }

    /// Removes all transformers and streaming steps; the cache stays (S-169).
    public mutating func removeTransformers() { elements = [] }

    /// Removes the cache: nothing that the stage puts out is kept (S-239).
    public mutating func doNotCache() { cache = nil }
}
