import ResourceCore
import Settings

extension TransformStage {
    /// The stage that settings mean by this name; keys of the core are not told apart by theirs.
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
