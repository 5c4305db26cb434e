import ResourceCore
import Settings
import Transforms

extension TransformStage {
    /// The core's key of this stage.
    var key: PipelineStageKey {
        switch self {
        case .rawData: .rawData
        case .decoding: .decoding
        case .parsing: .parsing
        case .model: .model
        case .cleanup: .cleanup
        case .encoding: Self.encodingKey
        }
    }

    private static let encodingKey = PipelineStageKey("encoding")
}
