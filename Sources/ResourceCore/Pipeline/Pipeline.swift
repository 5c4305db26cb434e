public import HTTPCore

/// How responses are changed for clients: ordered stages of ordered steps (S-165); part of a resource's configuration.
///
/// The default changes nothing.
public struct Pipeline: Sendable {
    private var steps: [PipelineStageKey: [PipelineStep]] = [:]
    /// The stages that run, in order.
    ///
    /// Steps stay with their stage when the order changes; those of a stage that is not listed do not run (S-167).
    public private(set) var order = PipelineStageKey.standard
    /// 16 hexadecimal digits over all steps that run, in order; empty if there are none.
    public private(set) var fingerprint = ""

    public init() {}

    /// Replaces the order; of a key named twice the first counts.
    public mutating func setOrder(_ keys: [PipelineStageKey]) {
        var seen: Set<PipelineStageKey> = []
        order = keys.filter { seen.insert($0).inserted }
        settle()
    }

    /// Adds `step` behind those of its stage; a stage not in the order is put at its end.
    public mutating func add(_ step: PipelineStep, to stage: PipelineStageKey) {
        steps[stage, default: []].append(step)
        if !order.contains(stage) { order.append(stage) }
        settle()
    }

    /// The steps of one stage.
    public subscript(stage: PipelineStageKey) -> [PipelineStep] { steps[stage] ?? [] }

    /// Takes the steps of one stage away.
    public mutating func removeTransformers(of stage: PipelineStageKey) {
        steps[stage] = nil
        settle()
    }

    /// Takes all steps away; the order stays (S-169).
    public mutating func removeAllTransformers() {
        steps = [:]
        settle()
    }

    /// Nothing runs: responses are served as they came.
    public var isEmpty: Bool { fingerprint.isEmpty }

    /// All steps that run, in order, each with its stage.
    private(set) var sequence: [(stage: PipelineStageKey, step: PipelineStep)] = []
    /// How many of them must be done before anything is stored: up to the last redaction that keeps no original.
    private(set) var redactingCount = 0
    /// Over those; empty if there are none.
    private(set) var redactingFingerprint = ""
    /// No form depends on the request.
    private(set) var isInvariant = true

    /// Whether a step redacts responses to GET.
    var redacts: Bool { sequence.contains { $0.step.transformer.isRedaction && $0.step.applies(to: .get) } }

    /// Whether any step may apply to a response to GET, whatever the request says.
    func applies(status: UInt16, fields: Fields) -> Bool {
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

    private mutating func settle() {
        sequence = order.flatMap { stage in self[stage].map { (stage, $0) } }
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
    /// Same effect, by fingerprint.
    public static func == (left: Pipeline, right: Pipeline) -> Bool { left.fingerprint == right.fingerprint }
}
