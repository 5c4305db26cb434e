/// Why a transformer cannot be made of the options given.
public struct TransformerOptionError: Error, Sendable, Equatable {
    /// A sentence for a person, naming the option.
    public var userMessage: String

    public init(_ userMessage: String) { self.userMessage = userMessage }
}
