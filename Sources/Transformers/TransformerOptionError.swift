/// Why options make no transformer.
public struct TransformerOptionError: Error, Sendable, Equatable {
    /// A sentence for a person that names the option.
    public var userMessage: String

    public init(_ userMessage: String) { self.userMessage = userMessage }
}
