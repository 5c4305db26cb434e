import HTTPCore

/// The steps of one pipeline for one response; begun, they change its head and give what changes its content.
package struct PipelinePlan: Sendable {
    package let rendition: RequestedRendition
    let steps: [RequestedRendition.Step]
    let status: UInt16

    /// The content must be redacted before anything of it is stored.
    package var redactsBeforeStore: Bool { steps.contains { $0.isBeforeStore && $0.step.transformer.isRedaction } }
    package var redacts: Bool { steps.contains { $0.step.transformer.isRedaction } }

    /// Which content transformers run.
    package enum Part: Sendable {
        /// All: of the origin's content.
        case whole
        /// Those up to the last redaction before the store.
        case beforeStore
        /// Those behind: of content that was redacted.
        case behindStore
    }

    /// A content transformer at work.
    struct Level {
        let stage: String
        let name: String
        let isPassedWhenOversize: Bool
        let content: any ContentFilter
    }

    /// What becomes of a response, but for its content.
    package struct Outline: Sendable {
        /// The head as the transformers leave it; validators, length and the like are still the origin's.
        package var head: EntityHead
        /// Whether the content clients get differs from the origin's, by whatever part.
        package var changesContent = false
    }

    /// What beginning came to.
    package struct Begun {
        package var outline: Outline
        /// In order.
        var levels: [Level] = []
    }

    /// Lets each step look at the head.
    ///
    /// - Throws: the failure of the first that cannot do its work.
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
                case .behindStore: !step.isBeforeStore
                }
            if step.step.transformer.needsDecodedContent, begun.outline.head.fields.contains(.contentEncoding) {
                guard let decoder else {
                    throw TransformationFailure(step, .unsupported, "content codings cannot be taken off here")
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
        begun.levels.append(
            Level(
                stage: step.stage,
                name: transformer.name,
                isPassedWhenOversize: step.step.onOversize == .pass,
                content: content
            )
        )
    }
}
