import ResourceCore

/// What a content transformer does with content that is not of its input type (S-176).
public enum InputTypeMismatchAction: Sendable {
    /// Fails with `RequestError.Cause.WrongInputTypeInTranformerPipeline`.
    case error
    /// Leaves the response as it is.
    case skip
    /// Leaves the response as it is if the content has the output type of the transformer, else fails.
    case skipIfOutputTypeMatches
}

/// Turns content of one type into content of another; fields and timestamp stay (S-175).
///
/// ```swift
/// service.configure("/users/*") {
///     $0.pipeline[.model].add(ResponseContentTransformer { (entity: Entity<[String: any Sendable]>) in
///         try User(entity.content)
///     })
/// }
/// ```
///
/// Not run for responses without content, such as those to HEAD (S-252).
public struct ResponseContentTransformer<Input: Sendable, Output: Sendable>: ResponseTransformer, ContentTransforming {
    /// Makes the new content; nil means failure with `RequestError.Cause.TransformerReturnedNil`.
    ///
    /// If it throws a `RequestError`, that becomes the response; any other error becomes the cause of one. Called on
    /// background threads, several at once.
    public typealias Processor = @Sendable (Entity<Input>) throws -> Output?

    private let mismatch: InputTypeMismatchAction
    private let transformsErrors: Bool
    private let processor: Processor

    /// - Parameters:
    ///   - mismatch: applies to content that is no `Input`.
    ///   - transformErrors: whether the content of failures is transformed, too; if that fails, the error stays as it
    ///     is (S-177).
    ///   - processor: makes the new content; nil is a failure, and so is a thrown error (S-175).
    public init(
        onInputTypeMismatch mismatch: InputTypeMismatchAction = .error,
        transformErrors: Bool = false,
        processor: @escaping Processor
    ) {
        self.mismatch = mismatch
        transformsErrors = transformErrors
        self.processor = processor
    }

    public func process(_ response: Response) -> Response {
        switch response {
        case .success(let entity):
            return logTransformation(transformed(entity))
        case .failure(var error):
            guard transformsErrors, let entity = error.entity else { return response }
            // The content of an error is kept even if it cannot be read.
            guard case .success(let transformed) = transformed(entity) else { return logTransformation(response) }
            error.entity = transformed
            return logTransformation(.failure(error))
        }
    }

    private func transformed(_ entity: Entity<any Sendable>) -> Response {
        guard let input: Entity<Input> = entity.withContentRetyped() else { return mismatched(entity) }
        do {
            guard let output = try processor(input) else {
                return .failure(RequestError(cause: RequestError.Cause.TransformerReturnedNil(transformer: self)))
            }
            return .success(entity.withContent(output).erased)
        } catch let error as RequestError {
            return .failure(error)
        } catch {
            return .failure(RequestError(unreadable: error))
        }
    }

    private func mismatched(_ entity: Entity<any Sendable>) -> Response {
        switch mismatch {
        case .skip: return .success(entity)
        case .skipIfOutputTypeMatches where entity.content is Output: return .success(entity)
        case .skipIfOutputTypeMatches, .error:
            let cause = RequestError.Cause.WrongInputTypeInTranformerPipeline(
                expectedType: Input.self,
                actualType: type(of: entity.content),
                transformer: self
            )
            return .failure(RequestError(cause: cause))
        }
    }
}
