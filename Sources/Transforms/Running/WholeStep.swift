import HTTPCore

/// Runs one streaming step over content that is complete.
package struct WholeStep {
    private let step: PipelineStep
    private let stage: String
    private let context: TransformContext
    private let decoder: (any StreamingTransformer)?

    /// - Parameter decoder: removes content codings before a step that needs decoded content.
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

    /// Changes a head and its content.
    ///
    /// - Parameters:
    ///   - given: a head with end-to-end fields.
    ///   - bytes: all of the content.
    ///   - hasContent: false if the response has no content by its nature.
    /// - Returns: the new head, and the new content if the step changes that. Nil if the content is too large and the
    ///   rule allows the original.
    package func change(
        _ given: EntityHead,
        _ bytes: [UInt8],
        hasContent: Bool
    ) throws(TransformationFailure) -> (head: EntityHead, content: [UInt8]?)? {
        var head = given
        let filters = try begin(&head)
        guard !filters.isEmpty, hasContent else { return (head, nil) }
        guard let changed = try pump(bytes, filters) else { return nil }
        let fields = head.fields
        head.fields.removeLines { $0.known == .contentLength || DerivedHead.isDigest($0, fields) }
        return (head, changed)
    }

    /// Shows the head to the step, and before it to the decoder.
    private func begin(_ head: inout EntityHead) throws(TransformationFailure) -> [PipelinePlan.ActiveFilter] {
        var transformers = [step.transformer]
        if step.transformer.needsDecodedContent, head.fields.contains(.contentEncoding) {
            guard let decoder else { throw failure(.unsupported, "content codings cannot be removed here") }
            transformers.insert(decoder, at: 0)
        }
        var filters: [PipelinePlan.ActiveFilter] = []
        for transformer in transformers {
            let content: (any ContentFilter)?
            do {
                content = try transformer.begin(&head, context)
            } catch {
                throw TransformationFailure(stage: stage, transformer: transformer.name, failure: error)
            }
            guard let content else { continue }
            let passes = step.onOversize == .pass
            filters.append(.init(stage: stage, name: transformer.name, isPassedWhenOversize: passes, content: content))
        }
        return filters
    }

    /// Returns the new content; nil if it is too large and the rule allows the original.
    private func pump(
        _ bytes: [UInt8],
        _ filters: [PipelinePlan.ActiveFilter]
    ) throws(TransformationFailure) -> [UInt8]? {
        let pump = PipelinePump(filters, limits: context.limits)
        if pump.isOversize(Int64(bytes.count)) {
            guard pump.passesOversize else { throw PipelinePump.tooLarge(filters[0], context.limits.wholeContent) }
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
