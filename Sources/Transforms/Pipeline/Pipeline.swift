package import HTTPCore

/// The ordered stages that change responses, part of a resource's configuration.
///
/// Each stage has ordered transformers and at most one cache after them (S-165). Streaming steps change what clients of
/// the proxy receive. For loads of a program, the program's own transformers run too. The default changes nothing.
public struct Pipeline: Sendable {
    private var stages: [PipelineStageKey: PipelineStage] = [:]
    /// The stages that run, in order.
    ///
    /// If the order changes, transformers and caches stay with their stage. A stage that is not listed does not run
    /// (S-167). Listing a stage twice is a programming error.
    public var order = PipelineStageKey.standard {
        didSet {
            precondition(Set(order).count == order.count, "the order of a pipeline lists a stage twice: \(order)")
            derive()
        }
    }
    /// A digest of all streaming steps that run, in order: 16 hexadecimal digits.
    ///
    /// Empty if there are no such steps.
    package private(set) var fingerprint = ""

    public init() {}

    /// One stage; it is empty if it was never changed.
    public subscript(stage: PipelineStageKey) -> PipelineStage {
        get { stages[stage] ?? PipelineStage() }
        set {
            stages[stage] = newValue
            derive()
        }
    }

    /// Adds `step` as the last of its stage.
    ///
    /// A stage that is not in the order becomes its last.
    package mutating func add(_ step: PipelineStep, to stage: PipelineStageKey) {
        stages[stage, default: PipelineStage()].add(step)
        if order.contains(stage) { derive() } else { order.append(stage) }
    }

    // MARK: Removing

    /// Removes the transformers and streaming steps of all stages; caches and order stay (S-169).
    public mutating func removeAllTransformers() {
        for key in stages.keys { stages[key]?.removeTransformers() }
        derive()
    }

    /// Removes the caches of all stages; transformers stay (S-169).
    public mutating func removeAllCaches() {
        for key in stages.keys { stages[key]?.doNotCache() }
    }

    /// Removes all transformers and all caches; the order stays.
    public mutating func clear() {
        removeAllTransformers()
        removeAllCaches()
    }

    /// The stages that are not in the order although they have transformers or a cache.
    package var unlisted: [PipelineStageKey] {
        stages.filter { !($0.value.isEmpty && !$0.value.isCaching) && !order.contains($0.key) }.map(\.key)
    }

    /// Whether clients of the proxy receive responses unchanged.
    public var isEmpty: Bool { fingerprint.isEmpty }

    /// All streaming steps that run, in order, each with its stage.
    package private(set) var sequence: [(stage: PipelineStageKey, step: PipelineStep)] = []
    /// The number of steps that run before anything is stored: up to the last redaction that keeps no original.
    package private(set) var redactingCount = 0
    /// A digest of those steps; empty if there are none.
    package private(set) var redactingFingerprint = ""
    /// Whether no rendition depends on the request.
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

    /// Whether a response to GET with this head must be redacted for everybody, administrators included.
    package func hidesOriginal(status: UInt16, fields: Fields) -> Bool {
        let type = fields.withValue(of: .contentType) { MediaType($0) } ?? nil
        return sequence.prefix(redactingCount).contains { entry in
            entry.step.transformer.isRedaction && !entry.step.keepsOriginal && entry.step.applies(to: .get)
                && entry.step.applies(toStatus: status) && entry.step.applies(to: type)
        }
    }

    /// Updates everything that is computed from stages and order.
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
    /// Whether both have the same effect for clients of the proxy, judged by fingerprint.
    public static func == (left: Pipeline, right: Pipeline) -> Bool { left.fingerprint == right.fingerprint }
}
