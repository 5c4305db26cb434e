import HTTPCore

/// The steps of a pipeline for one response.
///
/// When it begins, the steps change the head and return the filters that change the content.
package struct PipelinePlan: Sendable {
    package let rendition: RequestedRendition
    let steps: [RequestedRendition.Step]
    let status: UInt16

    /// Whether the content must be redacted before any of it is stored.
    package var redactsBeforeStore: Bool { steps.contains { $0.isBeforeStore && $0.step.transformer.isRedaction } }
    package var redacts: Bool { steps.contains { $0.step.transformer.isRedaction } }

    /// Which steps change the content.
    package enum Part: Sendable {
        /// All steps, on the origin's content.
        case whole
        /// The steps up to the last redaction before the store.
        case beforeStore
        /// The steps after that, on content that is already redacted.
        case afterStore
    }

    /// A filter at work, with the step it belongs to.
    struct ActiveFilter {
        let stage: String
        let name: String
        let isPassedWhenOversize: Bool
        let content: any ContentFilter
    }

    /// The result for a response except for its content.
    package struct Outline: Sendable {
        /// The head after the transformers.
        ///
        /// Validators, length and the like are still the origin's.
        package var head: EntityHead
        /// Whether the content for clients differs from the origin's, whichever part changes it.
        package var changesContent = false
    }

    /// The result of `begin`.
    package struct Begun {
        package var outline: Outline
        /// The filters, in order.
        var filters: [ActiveFilter] = []
    }

    /// Shows the head to each step.
    ///
    /// - Throws: the failure of the first step that cannot do its work.
    package func begin(
        _ head: EntityHead,
        part: Part,
        hasContent: Bool,
        budget: TransformBudget,
        decoder: (any StreamingTransformer)?
    ) throws(TransformationFailure) -> Begun {
        if status == 206 {
            throw TransformationFailure(of: self, .unsupported, "a part of a response cannot be redacted")
        }
        let context = TransformContext(
            uri: rendition.uri,
            request: rendition.request,
            limits: rendition.limits,
            budget: budget
        )
        var begun = Begun(outline: Outline(head: head))
        for step in steps {
            let type = begun.outline.head.fields.withValue(of: .contentType) { MediaType($0) } ?? nil
            guard step.step.applies(to: type) else { continue }
            let isOurs =
                switch part {
                case .whole: true
                case .beforeStore: step.isBeforeStore
                case .afterStore: !step.isBeforeStore
                }
            if step.step.transformer.needsDecodedContent, begun.outline.head.fields.contains(.contentEncoding) {
                guard let decoder else {
                    throw TransformationFailure(step, .unsupported, "content codings cannot be removed here")
                }
                try begin(decoder, step, isOurs && hasContent, context, &begun)
            }
            try begin(step.step.transformer, step, isOurs && hasContent, context, &begun)
        }
        return begun
    }

    private func begin(
        _ transformer: any StreamingTransformer,
        _ step: RequestedRendition.Step,
        _ isRunning: Bool,
        _ context: TransformContext,
        _ begun: inout Begun
    ) throws(TransformationFailure) {
        let content: (any ContentFilter)?
        do {
            content = try transformer.begin(&begun.outline.head, context)
        } catch {
            throw TransformationFailure(stage: step.stage, transformer: transformer.name, failure: error)
        }
        guard let content else { return }
        begun.outline.changesContent = true
        guard isRunning else { return }
        begun.filters.append(
            ActiveFilter(
                stage: step.stage,
                name: transformer.name,
                isPassedWhenOversize: step.step.onOversize == .pass,
                content: content
            )
        )
    }
}
