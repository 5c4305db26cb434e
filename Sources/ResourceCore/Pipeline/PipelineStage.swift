import HTTPCore

/// One stage of a pipeline: what changes responses, in order, and behind it at most one cache for what comes out (S-165).
///
/// It may hold transformers of a program, which work on values, and streaming steps, which work on bytes. Responses that
/// clients of the proxy follow meet the streaming steps only; those loaded for a program meet both, in order.
public struct PipelineStage: Sendable {
    /// What becomes of the transformers a stage has already when another one is configured (S-055).
    public enum MutationAction: Sendable { case replaceExisting, appendToExisting }

    enum Element: Sendable {
        /// - contentTypes: content of these types only; nil: any.
        case transformer(any ResponseTransformer, contentTypes: [MediaTypePattern]?)
        case step(PipelineStep)
    }

    private(set) var elements: [Element] = []
    /// Keeps what the stage puts out.
    private(set) var cache: (any EntityCache)?

    public init() {}

    /// Nothing runs here.
    public var isEmpty: Bool { elements.isEmpty }
    /// The transformers of programs, in order.
    public var transformers: [any ResponseTransformer] {
        elements.compactMap { if case .transformer(let transformer, _) = $0 { transformer } else { nil } }
    }
    /// The streaming steps, in order.
    public var steps: [PipelineStep] { elements.compactMap { if case .step(let step) = $0 { step } else { nil } } }
    public var isCaching: Bool { cache != nil }

    // MARK: Transformers

    /// Adds a transformer behind those there are.
    public mutating func add(_ transformer: any ResponseTransformer) {
        elements.append(.transformer(transformer, contentTypes: nil))
    }

    /// Adds a transformer for content of certain types, behind those there are.
    ///
    /// It sees successes and failures that have content of such a type, and no others (S-174).
    /// - Parameters:
    ///   - transformer: goes behind those there are.
    ///   - contentTypes: such as `text/plain`, `*/json` or `*/*+json`: `*` stands for one or more characters other than `/`
    ///     and `+`; case and parameters do not matter, and a pattern must match as a whole (S-253). One that is not of the
    ///     form `type/subtype` is a programming error.
    public mutating func add(_ transformer: any ResponseTransformer, contentTypes: [String]) {
        let patterns = contentTypes.map { text in
            guard let pattern = MediaTypePattern(text, crossesSuffixes: false) else {
                preconditionFailure("\"\(text)\" is no pattern of media types such as \"text/*\"")
            }
            return pattern
        }
        elements.append(.transformer(transformer, contentTypes: patterns))
    }

    /// Adds a streaming step behind what there is.
    public mutating func add(_ step: PipelineStep) { elements.append(.step(step)) }

    /// Takes all transformers and streaming steps away; the cache stays (S-169).
    public mutating func removeTransformers() { elements = [] }

    // MARK: Cache

    /// Has `cache` keep what this stage puts out, in the place of the one it has (S-169, S-186).
    public mutating func cacheUsing(_ cache: any EntityCache) { self.cache = cache }

    /// Has nothing kept (S-239).
    public mutating func doNotCache() { cache = nil }
}
