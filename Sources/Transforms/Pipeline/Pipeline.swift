public import HTTPCore

/// How responses are changed: ordered stages of ordered transformers, each with at most one cache behind it (S-165); part
/// of a resource's configuration.
///
/// Streaming steps change what clients of the proxy get; for what a program loads, transformers of its own run too. The
/// default changes nothing.
public struct Pipeline: Sendable {
    private var stages: [PipelineStageKey: PipelineStage] = [:]
    /// The stages that run, in order.
    ///
    /// Transformers and caches stay with their stage when the order changes; those of a stage that is not listed do not
    /// run (S-167). To list a stage twice is a programming error.
    public var order = PipelineStageKey.standard {
        didSet {
            precondition(Set(order).count == order.count, "a stage stands twice in the order of a pipeline: \(order)")
            derive()
        }
    }
    /// 16 hexadecimal digits over all streaming steps that run, in order; empty if there are none.
    public private(set) var fingerprint = ""

    public init() {}

    /// One stage; empty if nothing was added to it.
    public subscript(stage: PipelineStageKey) -> PipelineStage {
        get { stages[stage] ?? PipelineStage() }
        set {
            stages[stage] = newValue
            derive()
        }
    }

    /// Adds `step` behind what its stage has; a stage not in the order is put at its end.
    public mutating func add(_ step: PipelineStep, to stage: PipelineStageKey) {
        stages[stage, default: PipelineStage()].add(step)
        if order.contains(stage) { derive() } else { order.append(stage) }
    }

    // MARK: Taking away

    /// Takes the transformers and streaming steps of all stages away; caches and order stay (S-169).
    public mutating func removeAllTransformers() {
        for key in stages.keys { stages[key]?.removeTransformers() }
        derive()
    }

    /// Takes the caches of all stages away; transformers stay (S-169).
    public mutating func removeAllCaches() {
        for key in stages.keys { stages[key]?.doNotCache() }
    }

    /// Takes all transformers and all caches away; the order stays.
    public mutating func clear() {
        removeAllTransformers()
        removeAllCaches()
    }

    /// Stages that have something that does not run.
    package var unlisted: [PipelineStageKey] {
        stages.filter { !($0.value.isEmpty && !$0.value.isCaching) && !order.contains($0.key) }.map(\.key)
    }

    /// Nothing runs for clients of the proxy: responses are served as they came.
    public var isEmpty: Bool { fingerprint.isEmpty }

    /// All streaming steps that run, in order, each with its stage.
    package private(set) var sequence: [(stage: PipelineStageKey, step: PipelineStep)] = []
    /// How many of them must be done before anything is stored: up to the last redaction that keeps no original.
    package private(set) var redactingCount = 0
    /// Over those; empty if there are none.
    package private(set) var redactingFingerprint = ""
    /// No form depends on the request.
    package private(set) var isInvariant = true

    /// Whether a step redacts responses to GET.
    package var redacts: Bool { sequence.contains { $0.step.transformer.isRedaction && $0.step.applies(to: .get) } }

    /// Whether any step may apply to a response to GET, whatever the request says.
    package func applies(status: UInt16, fields: Fields) -> Bool {
        let type = fields.withValue(of: .contentType) { MediaType($0) } ?? nil
        return sequence.contains { entry in
            entry.step.applies(to: .get) && entry.step.applies(toStatus: status) && entry.step.applies(to: type)
        }
    }

    /// Whether a response to GET with this head must be redacted before anybody sees it, administrators included.
    public func hidesOriginal(status: UInt16, fields: Fields) -> Bool {
        let type = fields.withValue(of: .contentType) { MediaType($0) } ?? nil
        return sequence.prefix(redactingCount).contains { entry in
            entry.step.transformer.isRedaction && !entry.step.keepsOriginal && entry.step.applies(to: .get)
                && entry.step.applies(toStatus: status) && entry.step.applies(to: type)
        }
    }

    /// Brings what follows from stages and order up to date.
    private mutating func derive() {
        sequence = order.flatMap { stage in (stages[stage]?.steps ?? []).map { (stage, $0) } }
        fingerprint = Self.fingerprint(sequence)
        let last = sequence.lastIndex { entry in
            entry.step.transformer.isRedaction && !entry.step.keepsOriginal && entry.step.applies(to: .get)
        }
        redactingCount = last.map { $0 + 1 } ?? 0
        redactingFingerprint = Self.fingerprint(Array(sequence.prefix(redactingCount)))
        isInvariant = sequence.allSatisfy { !$0.step.transformer.dependsOnRequest }
    }

    private static func fingerprint(_ sequence: [(stage: PipelineStageKey, step: PipelineStep)]) -> String {
        let parts = sequence.map { "\($0.stage.name.utf8.count):\($0.stage.name)\($0.step.fingerprint)" }
        return parts.isEmpty ? "" : StableDigest.hex(parts.joined(separator: "\n"))
    }
}

extension Pipeline: Equatable {
    /// Same effect for clients of the proxy, by fingerprint.
    public static func == (left: Pipeline, right: Pipeline) -> Bool { left.fingerprint == right.fingerprint }
}
