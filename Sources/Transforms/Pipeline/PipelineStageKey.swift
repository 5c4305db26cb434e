/// The identity of a stage.
///
/// Two keys are equal only if one is a copy of the other: keys made separately differ, even with one name (S-168).
/// Names are for people, logs and settings files, and have no meaning for the pipeline (S-166).
public struct PipelineStageKey: Sendable, Hashable, CustomStringConvertible {
    private final class Identity: Sendable {}

    public let name: String
    private let identity = Identity()

    /// Makes a stage of the program's own.
    ///
    /// It runs at its position in `Pipeline.order`.
    public init(_ name: String) { self.name = name }

    /// Content as received.
    public static let rawData = PipelineStageKey("rawData")
    /// Content codings and character sets.
    public static let decoding = PipelineStageKey("decoding")
    /// Turns bytes into structured content, or checks their syntax.
    public static let parsing = PipelineStageKey("parsing")
    /// Turns structured content into a program's own types, or changes its meaning.
    public static let model = PipelineStageKey("model")
    /// Changes how content is expressed: fields, layout, codings for the client.
    public static let cleanup = PipelineStageKey("cleanup")

    /// The stages of a new pipeline, in order.
    public static let standard = [rawData, decoding, parsing, model, cleanup]

    public var description: String { name }

    public static func == (left: PipelineStageKey, right: PipelineStageKey) -> Bool {
        left.identity === right.identity
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(identity)) }
}
