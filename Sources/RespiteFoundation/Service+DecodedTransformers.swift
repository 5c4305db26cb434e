public import Foundation
public import HTTPCore
public import ResourceCore
public import ResourceModel
public import Transforms

/// Content transformers whose closures ask for what stages do not bring by themselves (S-055).
extension Service {
    /// Adds a content transformer whose closure gets the content as `Data`.
    ///
    /// ```swift
    /// service.configureTransformer("/users/*") { try JSONDecoder().decode(User.self, from: $0.content) }
    /// ```
    ///
    /// For these resources, the parsing stage leaves the content of successes as it came. The parameters are those of
    /// the transformers with other input.
    public func configureTransformer<Output: Sendable>(
        _ pattern: some ConfigurationPattern,
        requestMethods: Set<Method> = [.get, .put, .post, .patch, .delete],
        atStage stage: PipelineStageKey = .model,
        action: PipelineStage.MutationAction = .replaceExisting,
        onInputTypeMismatch mismatch: InputTypeMismatchAction = .error,
        transformErrors: Bool = false,
        description: String? = nil,
        _ transform: @escaping ResponseContentTransformer<Data, Output>.Processor
    ) {
        let transformer = ResponseContentTransformer<[UInt8], Output>(
            onInputTypeMismatch: mismatch,
            transformErrors: transformErrors
        ) { entity in
            try transform(entity.withContent(Data(entity.content)))
        }
        configure(pattern, requestMethods: requestMethods, description: description) {
            $0.pipeline.passBytes(to: stage, ofErrors: transformErrors)
            $0.pipeline.add(transformer, to: stage, action)
        }
    }

    /// Adds a content transformer whose closure makes a `Decodable` value of bytes.
    ///
    /// For these resources, the parsing stage leaves the content of successes as it came. The parameters are those of
    /// the transformers with other input.
    public func configureTransformer<Output: Decodable & Sendable>(
        _ pattern: some ConfigurationPattern,
        requestMethods: Set<Method> = [.get, .put, .post, .patch, .delete],
        atStage stage: PipelineStageKey = .model,
        action: PipelineStage.MutationAction = .replaceExisting,
        onInputTypeMismatch mismatch: InputTypeMismatchAction = .error,
        transformErrors: Bool = false,
        description: String? = nil,
        _ transform: @escaping ResponseContentTransformer<[UInt8], Output>.Processor
    ) {
        let transformer = ResponseContentTransformer(
            onInputTypeMismatch: mismatch,
            transformErrors: transformErrors,
            processor: transform
        )
        configure(pattern, requestMethods: requestMethods, description: description) {
            $0.pipeline.passBytes(to: stage, ofErrors: transformErrors)
            $0.pipeline.add(transformer, to: stage, action)
        }
    }

    /// Adds a content transformer whose closure gets a value of a `Decodable` type.
    ///
    /// ```swift
    /// service.configureTransformer("/users/*") { (entity: Entity<User>) in entity.content.name }
    /// ```
    ///
    /// JSON that no earlier stage has made such a value is decoded first, unless `mismatch` is `.skip`. What cannot be
    /// decoded fails with the decoder's error as cause. The parameters are those of the transformers with other input.
    /// `configureTransformer(_:decoding:)` accepts a decoder of the program's.
    public func configureTransformer<Input: Decodable & Sendable, Output: Sendable>(
        _ pattern: some ConfigurationPattern,
        requestMethods: Set<Method> = [.get, .put, .post, .patch, .delete],
        atStage stage: PipelineStageKey = .model,
        action: PipelineStage.MutationAction = .replaceExisting,
        onInputTypeMismatch mismatch: InputTypeMismatchAction = .error,
        transformErrors: Bool = false,
        description: String? = nil,
        _ transform: @escaping ResponseContentTransformer<Input, Output>.Processor
    ) {
        let transformer = DecodedInputTransformer(
            onInputTypeMismatch: mismatch,
            transformErrors: transformErrors,
            decoder: { JSONDecoder() },
            processor: transform
        )
        configure(pattern, requestMethods: requestMethods, description: description) {
            $0.pipeline.add(transformer, to: stage, action)
        }
    }
}

extension Pipeline {
    fileprivate mutating func add(
        _ transformer: any ResponseTransformer,
        to stage: PipelineStageKey,
        _ action: PipelineStage.MutationAction
    ) {
        if action == .replaceExisting { self[stage].removeTransformers() }
        self[stage].add(transformer)
    }

    /// If `stage` comes behind parsing, parsing leaves the content of successes to it, and reads that of failures.
    ///
    /// - Parameter includesErrors: whether parsing leaves that of failures, too.
    fileprivate mutating func passBytes(to stage: PipelineStageKey, ofErrors includesErrors: Bool) {
        guard let parsing = order.firstIndex(of: .parsing), let own = order.firstIndex(of: stage), parsing < own else {
            return
        }
        self[.parsing].removeTransformers()
        if includesErrors { return }
        for standard in [StandardTransformer.json, .text] {
            self[.parsing].add(FailureTransformer(standard.transformer), contentTypes: standard.contentTypes)
        }
    }
}

/// Runs a transformer on failures only.
private struct FailureTransformer: ResponseTransformer, ContentTransforming {
    private let transformer: any ResponseTransformer

    init(_ transformer: any ResponseTransformer) { self.transformer = transformer }

    func process(_ response: Response) -> Response {
        guard case .failure = response else { return response }
        return transformer.process(response)
    }
}
