/// The name of a stage; the names themselves mean nothing to the core (S-166, S-168).
public struct PipelineStageKey: Sendable, Hashable {
    public let name: String

    public init(_ name: String) { self.name = name }

    /// Content as received.
    public static let rawData = PipelineStageKey("rawData")
    /// Content codings and character sets.
    public static let decoding = PipelineStageKey("decoding")
    /// What checks the syntax.
    public static let parsing = PipelineStageKey("parsing")
    /// What changes the meaning.
    public static let model = PipelineStageKey("model")
    /// What changes the form: fields, layout, codings for the client.
    public static let cleanup = PipelineStageKey("cleanup")

    /// The stages of a new pipeline, in order.
    public static let standard = [rawData, decoding, parsing, model, cleanup]
}
