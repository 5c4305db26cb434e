import HTTPCore

/// The state that the jobs of a run share.
///
/// `@unchecked Sendable` holds since only one job at a time uses it.
final class PipelineWork: @unchecked Sendable {
    var source: PipelineSource?
    var begun: PipelinePlan.Begun?
    var pump: PipelinePump?
    var input: PipelineInput?
    var digest = ContentDigest()
    /// Whether any input has been read.
    var isFed = false
    /// Whether the rule allows the original if it is too large.
    var passes = false
    /// Whether the original is output instead of transformed content.
    var isPassing = false
    /// The input so far, if it cannot be read a second time.
    var retained: [ByteChunk]?
    /// The memory reserved for the run; nil if it needs none, or has none yet.
    var share: TransformMemory.Share?
    /// Whether a timer limits the wait for memory.
    var isTimed = false
    /// Keeps the run alive while it waits for its source, which refers to it weakly.
    var keepAlive: PipelineRun?

    init(_ source: PipelineSource) { self.source = source }

    /// Ends reading the source.
    func close() { input = nil }

    func clear() {
        source = nil
        begun = nil
        pump = nil
        retained = nil
        share = nil
        keepAlive = nil
    }
}
