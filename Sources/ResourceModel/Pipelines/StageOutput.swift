import ResourceCore
import Transforms

/// The output of a stage with a cache; written once its load has been accepted (S-190, S-243).
struct StageOutput: Sendable {
    let stage: PipelineStageKey
    let cache: any EntityCache
    let entity: Entity<any Sendable>
}
