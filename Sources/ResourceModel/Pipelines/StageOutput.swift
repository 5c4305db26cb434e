import ResourceCore
import Transforms

/// What a stage with a cache put out; written once the load it belongs to has been accepted (S-190, S-243).
struct StageOutput: Sendable {
    let stage: PipelineStageKey
    let cache: any EntityCache
    let entity: Entity<any Sendable>
}
