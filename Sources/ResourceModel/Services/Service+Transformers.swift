public import HTTPCore
public import ResourceCore
public import Transforms

extension Service {
    /// Adds a content transformer for the resources that `pattern` matches (S-055).
    ///
    /// ```swift
    /// service.configureTransformer("/users/*") { (entity: Entity<[String: any Sendable]>) in
    ///     try User(entity.content)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: text such as `/items/*`, or any other; see `configure`.
    ///   - requestMethods: HEAD and OPTIONS only if they are named.
    ///   - stage: the stage in which it runs.
    ///   - action: whether it replaces the present transformers of the stage, or runs after them.
    ///   - mismatch: applies to content that is not of the closure's input type.
    ///   - transformErrors: whether the content of failures is transformed, too.
    ///   - description: for people; by default that of the pattern.
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
