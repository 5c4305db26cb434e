import HTTPCaching
import HTTPCore

/// A streaming step that works on content a program loaded whole, under the conditions that hold on the wire.
struct WholeStep {
    private let step: PipelineStep
    private let stage: String
    private let context: PipelineContext
    private let budget: TransformBudget

    init(_ step: PipelineStep, stage: String, _ context: PipelineContext, _ budget: TransformBudget) {
        self.step = step
        self.stage = stage
        self.context = context
        self.budget = budget
    }

    func process(_ response: Response) -> Response {
        guard let status = status(of: response), let entity = response.entity,
            step.applies(to: context.method), step.applies(toStatus: status)
        else { return response }
        let head = EntityHead(status: status, fields: Fields(entity.headers))
        let type = head.fields.withValue(of: .contentType) { MediaType($0) } ?? nil
        guard step.applies(to: type), step.isForced || !forbidsTransforming(head.fields) else { return response }
        // A part of a response is left alone, but none may show what is to be hidden.
        if status == 206, !step.transformer.isRedaction { return response }
        do {
            if status == 206 { throw failure(.unsupported, "a part of a response cannot be redacted") }
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
        // An error keeps its content as it came (S-177), unless that was to be hidden.
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
        var head = given
        let levels = try begin(&head)
        var result = entity
        if !levels.isEmpty, !(context.isBodiless && bytes.isEmpty) {
            guard let changed = try pump(bytes, levels) else { return entity }
            result.content = changed
            let fields = head.fields
            head.fields.removeLines { $0.known == .contentLength || DerivedHead.isDigest($0, fields) }
        }
        if head.fields != given.fields {
            let bare = Entity(response: head.fields, content: ())
            result.headers = bare.headers
            result.charset = bare.charset
        }
        return result
    }

    /// Has the step look at the head, and what takes codings off before it.
    private func begin(_ head: inout EntityHead) throws(TransformationFailure) -> [PipelinePlan.Level] {
        let transformContext = TransformContext(
            uri: context.uri,
            request: context.request,
            limits: context.limits,
            budget: budget
        )
        var transformers = [step.transformer]
        if step.transformer.needsDecodedContent, head.fields.contains(.contentEncoding) {
            guard let decoder = context.decoder else {
                throw failure(.unsupported, "content codings cannot be taken off here")
            }
            transformers.insert(decoder, at: 0)
        }
        var levels: [PipelinePlan.Level] = []
        for transformer in transformers {
            let content: (any ContentFilter)?
            do {
                content = try transformer.begin(&head, transformContext)
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
        budget.open()
        defer { budget.close() }
        var result: [UInt8] = []
        var isFed = false
        while true {
            do { try budget.check() } catch { throw failure(error.reason, error.userMessage) }
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

    private func failure(_ reason: TransformFailure.Reason, _ userMessage: String) -> TransformationFailure {
        TransformationFailure(
            stage: stage,
            transformer: step.transformer.name,
            failure: TransformFailure(reason, userMessage)
        )
    }
}

extension Fields {
    /// Header fields of a program's entity, in the order of their names.
    ///
    /// Names and values that are none for HTTP are left out.
    fileprivate init(_ headers: [String: String]) {
        self.init()
        for name in headers.keys.sorted() {
            guard Token.isToken(Array(name.utf8).span), let value = headers[name] else { continue }
            append(name: name, value: value)
        }
    }
}
