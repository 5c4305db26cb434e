import Configurations
import Exchanges
import HTTPCore
import ResourceCore
import Transforms

/// Finds what the caches of a pipeline have for a resource (S-187, S-188); writes nothing (S-244).
struct CacheLookUp: Sendable {
    private struct Candidate: Sendable {
        /// The index of the stage, in the pipeline's order.
        let index: Int
        let cache: any KeyedCaching
    }

    private let pipeline: Pipeline
    private let context: PipelineContext
    /// The cache of the last stage first.
    private let candidates: [Candidate]

    /// Gets the keys from the caches; called by the thread that uses the resource, under no lock.
    ///
    /// - Parameters:
    ///   - values: the configuration for GET, with the pipeline.
    init(_ resource: Resource, _ values: Configuration) {
        let pipeline = values.pipeline
        self.pipeline = pipeline
        context = PipelineContext(
            uri: resource.uri,
            method: .get,
            status: 200,
            limits: values.transformLimits,
            environment: resource.core.table.environment
        )
        candidates = pipeline.order.enumerated().reversed().compactMap { index, key in
            pipeline[key].entityCache.flatMap { resource.keyed($0, at: key) }.map { Candidate(index: index, cache: $0) }
        }
    }

    /// Whether no cache is for the resource.
    var isEmpty: Bool { candidates.isEmpty }

    /// Calls `completion` once, with the hit of the last stage that has a usable one, else nil.
    ///
    /// It runs on a cache's queue, or inside this call if there is no cache.
    func run(_ completion: @escaping @Sendable (Entity<any Sendable>?) -> Void) { ask(0, completion) }

    private func ask(_ number: Int, _ completion: @escaping @Sendable (Entity<any Sendable>?) -> Void) {
        guard number < candidates.count else { return completion(nil) }
        let candidate = candidates[number]
        candidate.cache.read { entity in
            if let entity, let result = resume(entity, candidate) { return completion(result) }
            ask(number + 1, completion)
        }
    }

    /// The result of the later stages for a hit; nil if one of them rejects it.
    private func resume(_ entity: Entity<any Sendable>, _ candidate: Candidate) -> Entity<any Sendable>? {
        switch pipeline.resume(entity, behind: candidate.index, context.forEntity(entity)) {
        case .success(let result): return result
        case .failure(let error):
            RespiteLog.log(.cache, "\(candidate.cache.name): hit for \(context.uri.text) ignored: \(error)")
            return nil
        }
    }
}
