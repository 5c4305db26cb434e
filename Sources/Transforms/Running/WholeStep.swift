import HTTPCore

/// Runs one streaming step over content that is there as a whole.
package struct WholeStep {
    private let step: PipelineStep
    private let stage: String
    private let context: TransformContext
    private let decoder: (any StreamingTransformer)?

    /// - Parameter decoder: takes content codings off before a step that needs decoded content.
    package init(
        _ step: PipelineStep,
        stage: String,
        _ context: TransformContext,
        decoder: (any StreamingTransformer)?
    ) {
        self.step = step
        self.stage = stage
        self.context = context
        self.decoder = decoder
    }

    /// Changes a head and its content; nil if the content is too large and the rule lets the response through as it is.
    ///
    /// - Parameters:
    ///   - given: end-to-end fields.
    ///   - bytes: all of the content.
    ///   - hasContent: false where the response has none by its nature.
    /// - Returns: the new head, and the new content if the step changes that.
    package func change(
        _ given: EntityHead,
        _ bytes: [UInt8],
        hasContent: Bool
    ) throws(TransformationFailure) -> (head: EntityHead, content: [UInt8]?)? {
        var head = given
        let levels = try begin(&head)
        guard !levels.isEmpty, hasContent else { return (head, nil) }
        guard let changed = try pump(bytes, levels) else { return nil }
        let fields = head.fields
        head.fields.removeLines { $0.known == .contentLength || DerivedHead.isDigest($0, fields) }
        return (head, changed)
    }

    /// Has the step look at the head, and before it what takes codings off.
    private func begin(_ head: inout EntityHead) throws(TransformationFailure) -> [PipelinePlan.Level] {
        var transformers = [step.transformer]
        if step.transformer.needsDecodedContent, head.fields.contains(.contentEncoding) {
            guard let decoder else { throw failure(.unsupported, "content codings cannot be taken off here") }
            transformers.insert(decoder, at: 0)
        }
        var levels: [PipelinePlan.Level] = []
        for transformer in transformers {
            let content: (any ContentFilter)?
            do {
                content = try transformer.begin(&head, context)
            } catch {
                throw TransformationFailure(stage: stage, transformer: transformer.name, failure: error)
            }
            guard let content else { continue }
            let passes = step.onOversize == .pass
            levels.append(.init(stage: stage, name: transformer.name, isPassedWhenOversize: passes, content: content))
        }
        return levels
    }

    /// The new content; nil if it is too large and the rule lets it through.
    private func pump(_ bytes: [UInt8], _ levels: [PipelinePlan.Level]) throws(TransformationFailure) -> [UInt8]? {
        let pump = PipelinePump(levels, limits: context.limits)
        if pump.isOversize(Int64(bytes.count)) {
            guard pump.passesOversize else { throw PipelinePump.tooLarge(levels[0], context.limits.wholeContent) }
            return nil
        }
        context.budget.open()
        defer { context.budget.close() }
        var result: [UInt8] = []
        var isFed = false
        while true {
            do { try context.budget.check() } catch { throw failure(error.reason, error.userMessage) }
            switch try pump.step() {
            case .moved(let moved): result += moved
            case .done: return result
            case .oversize: return nil
            case .hungry:
                if isFed { pump.end() } else { pump.feed(ByteChunk(bytes)) }
                isFed = true
            }
        }
    }

    /// A failure of this step.
    package func failure(_ reason: TransformFailure.Reason, _ userMessage: String) -> TransformationFailure {
        TransformationFailure(
            stage: stage,
            transformer: step.transformer.name,
            failure: TransformFailure(reason, userMessage)
        )
    }
}
