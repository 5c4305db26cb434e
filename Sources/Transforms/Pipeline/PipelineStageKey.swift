/// A stage of a pipeline.
///
/// Keys are the same only if one is a copy of the other; two made with one name are not (S-168). The names are for people,
/// logs and settings files, and mean nothing to the core (S-166).
public struct PipelineStageKey: Sendable, Hashable, CustomStringConvertible {
    private final class Identity: Sendable {}

    public let name: String
    private let identity = Identity()

    /// A stage of the program's own; it runs where `Pipeline.order` lists it.
    public init(_ name: String) { self.name = name }

    /// Content as received.
    public static let rawData = PipelineStageKey("rawData")
    /// Content codings and character sets.
    public static let decoding = PipelineStageKey("decoding")
    /// What turns bytes into structured content, or checks their syntax.
    public static let parsing = PipelineStageKey("parsing")
    /// What turns structured content into a program's own types, or changes the meaning.
    public static let model = PipelineStageKey("model")
    /// What changes the form: fields, layout, codings for the client.
    public static let cleanup = PipelineStageKey("cleanup")

    /// The stages of a new pipeline, in order.
    public static let standard = [rawData, decoding, parsing, model, cleanup]

    public var description: String { name }

    public static func == (left: PipelineStageKey, right: PipelineStageKey) -> Bool {
        left.identity === right.identity
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(identity)) }
}
