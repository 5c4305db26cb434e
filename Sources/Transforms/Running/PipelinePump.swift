import HTTPCore

/// Content on its way through the transformers of a run: bounded by room at each level, the level nearest to the output
/// first.
///
/// One job at a time makes `@unchecked Sendable` true.
final class PipelinePump: @unchecked Sendable {
    /// Bytes a transformer may put out in one call.
    static let room = 256 * 1024

    enum Step {
        /// These bytes are ready; perhaps none.
        case moved([UInt8])
        /// Nothing to do before there is more input.
        case hungry
        /// All is out.
        case done
        /// The content is larger than a transformer takes in, and the rule lets the original through.
        case oversize
    }

    private struct Stage {
        let level: PipelinePlan.Level
        /// Not taken yet, from `offset` on.
        var input: [UInt8] = []
        var offset = 0
        /// The last call left output behind.
        var hasMore = false
        var taken: Int64 = 0
        var isFinished = false

        var isEmpty: Bool { offset >= input.count }
    }

    private var stages: [Stage]
    private let wholeLimit: Int
    private var inputHasEnded = false

    init(_ levels: [PipelinePlan.Level], limits: TransformLimits) {
        stages = levels.map { Stage(level: $0) }
        wholeLimit = limits.wholeContent
    }

    var needsWholeContent: Bool { stages.contains { $0.level.content.needsWholeContent } }

    /// Bytes that transformers have taken in which need everything.
    var wholeContent: Int64 { stages.reduce(0) { $0 + ($1.level.content.needsWholeContent ? $1.taken : 0) } }

    /// Whether all that such a transformer takes in is what comes from outside.
    var beginsWithWholeContent: Bool { stages.first?.level.content.needsWholeContent ?? false }

    /// Whether content of this length is too large for the first transformer; known before any of it has come.
    func isOversize(_ count: Int64) -> Bool {
        guard let first = stages.first else { return false }
        return first.level.content.needsWholeContent && count > Int64(wholeLimit)
    }

    /// Whether all transformers that need everything let the original through when it is too large.
    var passesOversize: Bool {
        stages.allSatisfy { $0.level.isPassedWhenOversize || !$0.level.content.needsWholeContent }
    }

    /// Takes input; only after `.hungry`.
    func feed(_ chunk: ByteChunk) {
        guard !stages.isEmpty else { return }
        stages[0].input = chunk.bytes
        stages[0].offset = 0
    }

    /// There is no more input.
    func end() { inputHasEnded = true }

    /// One call of one transformer.
    func step() throws(TransformationFailure) -> Step {
        for index in stages.indices.reversed() {
            if !stages[index].isEmpty || stages[index].hasMore { return try transform(index) }
            let isEnding = index == 0 ? inputHasEnded : stages[index - 1].isFinished
            if isEnding, !stages[index].isFinished { return try finish(index) }
        }
        return stages.last?.isFinished ?? inputHasEnded ? .done : .hungry
    }

    private func transform(_ index: Int) throws(TransformationFailure) -> Step {
        let level = stages[index].level
        let end = min(stages[index].input.count, stages[index].offset + PipelineInput.step)
        let count = end - stages[index].offset
        if level.content.needsWholeContent, stages[index].taken + Int64(count) > Int64(wholeLimit) {
            guard level.isPassedWhenOversize else { throw Self.tooLarge(level, wholeLimit) }
            return .oversize
        }
        var output: [UInt8] = []
        let input = stages[index].input
        let progress: TransformProgress
        do {
            progress = try level.content.transform(
                input.span.extracting(stages[index].offset..<end),
                into: &output,
                room: Self.room
            )
        } catch {
            throw TransformationFailure(stage: level.stage, transformer: level.name, failure: error)
        }
        let isMoving = progress.consumed > 0 || !output.isEmpty || (count == 0 && !progress.hasMore)
        guard isMoving, 0...count ~= progress.consumed else { throw Self.stuck(level) }
        stages[index].offset += progress.consumed
        stages[index].taken += Int64(progress.consumed)
        stages[index].hasMore = progress.hasMore
        if stages[index].isEmpty {
            stages[index].input = []
            stages[index].offset = 0
        }
        return pass(output, from: index)
    }

    private func finish(_ index: Int) throws(TransformationFailure) -> Step {
        let level = stages[index].level
        var output: [UInt8] = []
        do {
            stages[index].isFinished = !(try level.content.finish(into: &output, room: Self.room))
        } catch {
            throw TransformationFailure(stage: level.stage, transformer: level.name, failure: error)
        }
        guard stages[index].isFinished || !output.isEmpty else { throw Self.stuck(level) }
        return pass(output, from: index)
    }

    private func pass(_ output: [UInt8], from index: Int) -> Step {
        guard index + 1 < stages.count else { return .moved(output) }
        if !output.isEmpty {
            // Whatever stands behind was empty, or it would have been first.
            stages[index + 1].input = output
            stages[index + 1].offset = 0
        }
        return .moved([])
    }

    static func tooLarge(_ level: PipelinePlan.Level, _ limit: Int) -> TransformationFailure {
        TransformationFailure(
            stage: level.stage,
            transformer: level.name,
            failure: TransformFailure(
                .limit,
                "the content is larger than \(limit) bytes, which a transformer may take in; see `max-transform-size`"
            )
        )
    }

    private static func stuck(_ level: PipelinePlan.Level) -> TransformationFailure {
        TransformationFailure(
            stage: level.stage,
            transformer: level.name,
            failure: TransformFailure(.failed, "it neither takes content nor gives any")
        )
    }
}
