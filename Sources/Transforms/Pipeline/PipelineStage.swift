/// One stage of a pipeline: elements that change responses, in order, and at most one cache for their output (S-165).
///
/// For clients of the proxy only the streaming steps run. For loads of a program all elements run, in order.
public struct PipelineStage: Sendable {
    /// What to do with the transformers of a stage when another one is configured (S-055).
    public enum MutationAction: Sendable { case replaceExisting, appendToExisting }

    package private(set) var elements: [PipelineElement] = []
    /// Keeps the output of this stage for programs.
    package var cache: (any StageCache)?

    public init() {}

    /// Whether the stage has no elements.
    public var isEmpty: Bool { elements.isEmpty }
    /// The streaming steps, in order.
    package var steps: [PipelineStep] { elements.compactMap { if case .step(let step) = $0 { step } else { nil } } }
    public var isCaching: Bool { cache != nil }

    /// Adds an element as the last.
    package mutating func add(_ element: PipelineElement) { elements.append(element) }

    /// Adds a streaming step as the last element.
    package mutating func add(_ step: PipelineStep) { add(.step(step)) }

    /// Removes all transformers and streaming steps; the cache stays (S-169).
    public mutating func removeTransformers() { elements = [] }

    /// Removes the cache: the output of the stage is not kept (S-239).
    public mutating func doNotCache() { cache = nil }
}
