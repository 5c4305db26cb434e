/// A failure of a pipeline: the stage, the transformer and the reason.
public struct TransformationFailure: Error, Sendable, Equatable {
    public var stage: String
    /// The transformer's name.
    public var transformer: String
    public var failure: TransformFailure

    public init(stage: String, transformer: String, failure: TransformFailure) {
        self.stage = stage
        self.transformer = transformer
        self.failure = failure
    }

    init(_ step: RequestedRendition.Step, _ reason: TransformFailure.Reason, _ userMessage: String) {
        self.init(
            stage: step.stage,
            transformer: step.step.transformer.name,
            failure: TransformFailure(reason, userMessage)
        )
    }

    /// Blames the first redaction of `plan`, or else its first step.
    init(of plan: PipelinePlan, _ reason: TransformFailure.Reason, _ userMessage: String) {
        let step = plan.steps.first { $0.step.transformer.isRedaction } ?? plan.steps.first
        self.init(
            stage: step?.stage ?? "",
            transformer: step?.step.transformer.name ?? "",
            failure: TransformFailure(reason, userMessage)
        )
    }

    /// A sentence for a person: stage, transformer and cause.
    public var userMessage: String {
        "the transformer \"\(transformer)\" of stage \"\(stage)\" failed: \(failure.userMessage)"
    }
}
