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
    var sequence: [(stage: PipelineStageKey, step: PipelineStep)] {
        order.flatMap { stage in self[stage].map { (stage, $0) } }
    }

    private mutating func settle() {
        let parts = sequence.map { "\($0.stage.name.utf8.count):\($0.stage.name)\($0.step.fingerprint)" }
        fingerprint = parts.isEmpty ? "" : StableDigest.hex(parts.joined(separator: "\n"))
    }
}

extension Pipeline: Equatable {
    /// Same effect, by fingerprint.
    public static func == (left: Pipeline, right: Pipeline) -> Bool { left.fingerprint == right.fingerprint }
}
