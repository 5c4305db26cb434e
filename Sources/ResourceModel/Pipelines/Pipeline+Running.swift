import Exchanges
import HTTPCore
import ResourceCore
import Transforms

extension Pipeline {
    /// Runs all stages on a whole response, success or failure (S-170).
    ///
    /// For worker threads: may take long. Runs once per response from the network.
    /// - Returns: the result, and for a success the output of each caching stage, in order. Nothing is written.
    func run(_ response: Response, _ context: PipelineContext) -> (response: Response, outputs: [StageOutput]) {
        warnOfUnlisted(context)
        var pass = PipelinePass(response, context)
        var outputs: [StageOutput] = []
        for key in order {
            let stage = self[key]
            pass.run(stage, key)
            if case .success(let entity) = pass.response, let cache = stage.entityCache {
                outputs.append(StageOutput(stage: key, cache: cache, entity: entity))
            }
        }
        guard case .failure(var error) = pass.response else { return (pass.response, outputs) }
        if error.time == nil {
            // A transformer made the error, and has no clock of ours.
            error.time = context.environment.timekeeper.now
            error.timestamp = context.environment.timekeeper.timestamp
        }
        // A response that a later stage rejected is no data: no output is kept.
        return (.failure(error), [])
    }

    /// Runs the stages behind one whose cache had `entity` (S-188); nothing is written (S-244).
    ///
    /// - Parameter index: the stage's, in `order`.
    func resume(_ entity: Entity<any Sendable>, behind index: Int, _ context: PipelineContext) -> Response {
        var pass = PipelinePass(.success(entity), context)
        for key in order.dropFirst(index + 1) { pass.run(self[key], key) }
        return pass.response
    }

    private func warnOfUnlisted(_ context: PipelineContext) {
        for key in unlisted {
            RespiteLog.log(
                .pipeline,
                "\(context.uri.text): stage \(key) is not in the pipeline's order and does not run"
            )
        }
    }
}

/// A response in its run through the stages.
private struct PipelinePass {
    private(set) var response: Response
    private let context: PipelineContext
    private let budget: TransformBudget

    init(_ response: Response, _ context: PipelineContext) {
        self.response = response
        self.context = context
        let timekeeper = context.environment.timekeeper
        budget = TransformBudget(limit: context.limits.time) { timekeeper.now }
    }

    mutating func run(_ stage: PipelineStage, _ key: PipelineStageKey) {
        for element in stage.elements {
            switch element {
            case .value(let element):
                guard let element = element as? StageTransformer else { continue }
                if let contentTypes = element.contentTypes, !concerns(contentTypes) { continue }
                if element.transformer is any ContentTransforming, hasNoContent { continue }
                response = element.transformer.process(response)
            case .step(let step):
                response = EntityStep(step, stage: key.name, context, budget).process(response)
            }
        }
    }

    /// Whether the response has content of one of these types.
    private func concerns(_ patterns: [MediaTypePattern]) -> Bool {
        guard let entity = response.entity, let type = MediaType(Array(entity.contentType.utf8)) else { return false }
        return patterns.contains { $0.matches(type) }
    }

    /// Whether the response has no content by its nature, and no transformer made any.
    private var hasNoContent: Bool { context.isBodiless && (response.entity?.content as? [UInt8])?.isEmpty ?? false }
}
