import HTTPCore

/// Moves content through the filters of a run.
///
/// Each filter may output a limited number of bytes per call. The filter nearest to the output goes first.
///
/// `@unchecked Sendable` holds since only one job at a time uses it.
final class PipelinePump: @unchecked Sendable {
    /// The number of bytes that a filter may output in one call.
    static let room = 256 * 1024

    enum Step {
        /// These bytes are ready; there may be none.
        case moved([UInt8])
        /// More input is needed.
        case hungry
        /// All output is complete.
        case done
        /// The content is larger than this filter accepts, and its rule allows the original instead.
        case oversize(PipelinePlan.ActiveFilter)
    }

    private struct Stage {
        let active: PipelinePlan.ActiveFilter
        /// Input that the filter has not consumed yet, from `offset` on.
        var input: [UInt8] = []
        var offset = 0
        /// Whether the last call had more output than room.
        var hasMore = false
        var taken: Int64 = 0
        var isFinished = false

        var isEmpty: Bool { offset >= input.count }
    }

    private var stages: [Stage]
    private let wholeLimit: Int
    private var inputHasEnded = false

    init(_ filters: [PipelinePlan.ActiveFilter], limits: TransformLimits) {
        stages = filters.map { Stage(active: $0) }
        wholeLimit = limits.wholeContent
    }

    /// Whether there is no filter, and content stays as it is.
    var isEmpty: Bool { stages.isEmpty }

    var needsWholeContent: Bool { stages.contains { $0.active.content.needsWholeContent } }

    /// The number of bytes collected by filters that need the whole content.
    var wholeContent: Int64 { stages.reduce(0) { $0 + ($1.active.content.needsWholeContent ? $1.taken : 0) } }

    /// Whether the first filter needs the whole content, so that it collects exactly the source.
    var beginsWithWholeContent: Bool { stages.first?.active.content.needsWholeContent == true }

    /// Whether content of this length is too large for the first filter.
    ///
    /// The answer is known before any content arrives.
    func isOversize(_ count: Int64) -> Bool {
        guard let first = stages.first else { return false }
        return first.active.content.needsWholeContent && count > Int64(wholeLimit)
    }

    /// Whether all steps that need the whole content allow the original where it is too large.
    var passesOversize: Bool {
        stages.allSatisfy { $0.active.isPassedWhenOversize || !$0.active.content.needsWholeContent }
    }

    /// Adds input; call it only after `.hungry`, and only if there is a filter.
    func feed(_ chunk: ByteChunk) {
        stages[0].input = chunk.bytes
        stages[0].offset = 0
    }

    /// Ends the input.
    func end() { inputHasEnded = true }

    /// Calls one filter once.
    func step() throws(TransformationFailure) -> Step {
        for index in stages.indices.reversed() {
            if !stages[index].isEmpty || stages[index].hasMore { return try transform(index) }
            let isEnding = index == 0 ? inputHasEnded : stages[index - 1].isFinished
            if isEnding, !stages[index].isFinished { return try finish(index) }
        }
        return stages.last?.isFinished ?? inputHasEnded ? .done : .hungry
    }

    private func transform(_ index: Int) throws(TransformationFailure) -> Step {
        let active = stages[index].active
        let end = min(stages[index].input.count, stages[index].offset + PipelineInput.step)
        let count = end - stages[index].offset
        if active.content.needsWholeContent, stages[index].taken + Int64(count) > Int64(wholeLimit) {
            guard active.isPassedWhenOversize else { throw Self.tooLarge(active, wholeLimit) }
            return .oversize(active)
        }
        var output: [UInt8] = []
        let input = stages[index].input
        let progress: TransformProgress
        do {
            progress = try active.content.transform(
                input.span.extracting(stages[index].offset..<end),
                into: &output,
                room: Self.room
            )
        } catch {
            throw TransformationFailure(stage: active.stage, transformer: active.name, failure: error)
        }
        let isMoving = progress.consumed > 0 || !output.isEmpty || (count == 0 && !progress.hasMore)
        guard isMoving, 0...count ~= progress.consumed else { throw Self.stuck(active) }
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
        let active = stages[index].active
        var output: [UInt8] = []
        do {
            stages[index].isFinished = !(try active.content.finish(into: &output, room: Self.room))
        } catch {
            throw TransformationFailure(stage: active.stage, transformer: active.name, failure: error)
        }
        guard stages[index].isFinished || !output.isEmpty else { throw Self.stuck(active) }
        return pass(output, from: index)
    }

    private func pass(_ output: [UInt8], from index: Int) -> Step {
        guard index + 1 < stages.count else { return .moved(output) }
        if !output.isEmpty {
            // The next filter had no input left, or it would have gone first.
            stages[index + 1].input = output
            stages[index + 1].offset = 0
        }
        return .moved([])
    }

    static func tooLarge(_ active: PipelinePlan.ActiveFilter, _ limit: Int) -> TransformationFailure {
        TransformationFailure(
            stage: active.stage,
            transformer: active.name,
            failure: TransformFailure(
                .limit,
                "the content is larger than \(limit) bytes, the most that a transformer may collect; see `max-transform-size`"
            )
        )
    }

    private static func stuck(_ active: PipelinePlan.ActiveFilter) -> TransformationFailure {
        TransformationFailure(
            stage: active.stage,
            transformer: active.name,
            failure: TransformFailure(.failed, "it neither consumes content nor produces any")
        )
    }
}
