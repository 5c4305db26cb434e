public import HTTPCore
public import ResourceCore
public import Transforms

extension Service {
    /// Adds a content transformer for the resources `pattern` means (S-055).
    ///
    /// ```swift
    /// service.configureTransformer("/users/*") { (entity: Entity<[String: any Sendable]>) in try User(entity.content) }
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: text such as `/items/*`, or any other; see `configure`.
    ///   - requestMethods: not HEAD and OPTIONS unless they are named.
    ///   - stage: where it runs.
    ///   - action: whether it takes the place of what the stage has, or goes behind it.
    ///   - mismatch: for content of another type than the closure takes.
    ///   - transformErrors: whether the content of failures is transformed too.
    ///   - description: for people; by default the pattern's.
    ///   - transform: makes the new content; see `ResponseContentTransformer`.
    public func configureTransformer<Input: Sendable, Output: Sendable>(
        _ pattern: some ConfigurationPattern,
        requestMethods: Set<Method> = [.get, .put, .post, .patch, .delete],
        atStage stage: PipelineStageKey = .model,
        action: PipelineStage.MutationAction = .replaceExisting,
        onInputTypeMismatch mismatch: InputTypeMismatchAction = .error,
        transformErrors: Bool = false,
        description: String? = nil,
        _ transform: @escaping ResponseContentTransformer<Input, Output>.Processor
    ) {
        let transformer = ResponseContentTransformer(
            onInputTypeMismatch: mismatch,
            transformErrors: transformErrors,
            processor: transform
        )
        configure(pattern, requestMethods: requestMethods, description: description) {
            if action == .replaceExisting { $0.pipeline[stage].removeTransformers() }
            $0.pipeline[stage].add(transformer)
        }
    }
}
