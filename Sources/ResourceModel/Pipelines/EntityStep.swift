import Exchanges
import HTTPCaching
import HTTPCore
import ResourceCore
import Transforms

/// Runs a streaming step on an entity that a program loaded, under the same conditions as on the wire.
struct EntityStep {
    private let step: PipelineStep
    private let whole: WholeStep
    private let stage: String
    private let context: PipelineContext

    init(_ step: PipelineStep, stage: String, _ context: PipelineContext, _ budget: TransformBudget) {
        self.step = step
        self.stage = stage
        self.context = context
        whole = WholeStep(
            step,
            stage: stage,
            TransformContext(uri: context.uri, request: context.request, limits: context.limits, budget: budget),
            decoder: context.environment.decoder
        )
    }

    func process(_ response: Response) -> Response {
        guard let status = status(of: response), let entity = response.entity,
            step.applies(to: context.method), step.applies(toStatus: status)
        else { return response }
        let head = EntityHead(status: status, fields: Fields(entity.headers))
        let type = head.fields.withValue(of: .contentType) { MediaType($0) } ?? nil
        guard step.applies(to: type), step.isForced || !forbidsTransforming(head.fields) else { return response }
        // A partial response stays as it is, unless a step would have to redact it.
        if status == 206, !step.transformer.isRedaction { return response }
        do {
            if status == 206 { throw whole.failure(.unsupported, "a part of a response cannot be redacted") }
            let changed = try change(entity, head)
            RespiteLog.log(.pipeline, "\(stage): \(step.transformer.name) → \(changed.contentType)")
            return replace(response, by: changed)
        } catch {
            RespiteLog.log(.pipeline, "\(stage): \(step.transformer.name) failed")
            return failed(response, error)
        }
    }

    private func status(of response: Response) -> UInt16? {
        switch response {
        case .success: context.status ?? 200
        case .failure(let error): error.httpStatusCode.flatMap { UInt16(exactly: $0) } ?? context.status
        }
    }

    private func forbidsTransforming(_ fields: Fields) -> Bool {
        CacheControl(fields).flags.contains(.noTransform) || CacheControl(context.request).flags.contains(.noTransform)
    }

    private func replace(_ response: Response, by entity: Entity<any Sendable>) -> Response {
        guard case .failure(var error) = response else { return .success(entity) }
        error.entity = entity
        return .failure(error)
    }

    private func failed(_ response: Response, _ cause: any Error) -> Response {
        guard case .failure(var error) = response else {
            let message = (cause as? TransformationFailure)?.userMessage
            return .failure(RequestError(userMessage: message, cause: cause))
        }
        // A failed step leaves the content of an error (S-177), unless it should have redacted it.
        if step.transformer.isRedaction { error.entity = nil }
        return .failure(error)
    }

    // MARK: Changing

    private func change(_ entity: Entity<any Sendable>, _ given: EntityHead) throws -> Entity<any Sendable> {
        guard let bytes = entity.content as? [UInt8] else {
            throw RequestError.Cause.WrongInputTypeInTranformerPipeline(
                expectedType: [UInt8].self,
                actualType: type(of: entity.content),
                transformer: step.transformer
            )
        }
        let hasContent = !(context.isBodiless && bytes.isEmpty)
        guard let (head, content) = try whole.change(given, bytes, hasContent: hasContent) else { return entity }
        var result = entity
        if let content { result.content = content }
        if head.fields != given.fields {
            let bare = Entity(response: head.fields, content: ())
            result.headers = bare.headers
            result.charset = bare.charset
        }
        return result
    }
}

extension Fields {
    /// Header fields of a program's entity, in the order of their names.
    ///
    /// Names and values that are invalid in HTTP are left out.
    fileprivate init(_ headers: [String: String]) {
        self.init()
        for name in headers.keys.sorted() {
            guard Token.isToken(Array(name.utf8).span), let value = headers[name] else { continue }
            append(name: name, value: value)
        }
    }
}
