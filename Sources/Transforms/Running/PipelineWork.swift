import HTTPCore

/// What the jobs of a run work on.
///
/// One job at a time makes `@unchecked Sendable` true.
final class PipelineWork: @unchecked Sendable {
    var source: PipelineSource?
    var begun: PipelinePlan.Begun?
    var pump: PipelinePump?
    var input: PipelineInput?
    var digest = ContentDigest()
    /// Some input has been taken.
    var isFed = false
    /// The rule lets the original through if it is too large.
    var passes = false
    /// The original comes out.
    var isPassing = false
    /// Input so far, where nobody could read it again.
    var retained: [ByteChunk]?
    /// What is set aside for it; nil: nothing is needed, or nothing yet.
    var share: TransformMemory.Share?
    /// It waits for that no longer than it may.
    var isTimed = false
    /// A run waits for its source, which knows it weakly only.
    var keepAlive: PipelineRun?

    init(_ source: PipelineSource) { self.source = source }

    var hasNoLevels: Bool { isPassing || begun?.levels.isEmpty ?? true }

    func close() {
        input?.close()
        input = nil
    }

    func clear() {
        source = nil
        begun = nil
        pump = nil
        retained = nil
        share = nil
        keepAlive = nil
    }
}
