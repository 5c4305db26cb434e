import Formats
import ResourceCore
public import Transforms

/// A transformer that most programs use, with its stage and its types of content (S-006).
public struct StandardTransformer: Sendable {
    public let name: String
    public let stage: PipelineStageKey
    /// Patterns of media types; see `PipelineStage.add(_:contentTypes:)`.
    public let contentTypes: [String]
    public let transformer: any ResponseTransformer

    /// - Parameters:
    ///   - name: for people.
    ///   - transformer: runs on responses with content of these types.
    ///   - contentTypes: patterns of media types; see `PipelineStage.add(_:contentTypes:)`.
    ///   - stage: the stage in which it runs.
    public init(
        name: String,
        transformer: any ResponseTransformer,
        contentTypes: [String],
        stage: PipelineStageKey = .parsing
    ) {
        self.name = name
        self.transformer = transformer
        self.contentTypes = contentTypes
        self.stage = stage
    }

    /// JSON objects and arrays as `[String: any Sendable]` and `[any Sendable]` (S-179); see `JSONResponseTransformer`.
    public static let json = StandardTransformer(
        name: "JSON",
        transformer: JSONResponseTransformer(),
        contentTypes: ["*/json", "*/*+json"]
    )

    /// Text as `String` (S-180); see `TextResponseTransformer`.
    public static let text = StandardTransformer(
        name: "text",
        transformer: TextResponseTransformer(),
        contentTypes: ["text/*"]
    )

    /// Images as `ImageHeader` (S-181); see `ImageResponseTransformer`.
    public static let image = StandardTransformer(
        name: "image",
        transformer: ImageResponseTransformer(),
        contentTypes: ["image/*"]
    )

    /// JSON, text, image.
    public static let all = [json, text, image]
}
