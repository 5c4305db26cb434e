/// Why no transformer can be made from options.
public struct TransformerOptionError: Error, Sendable, Equatable {
    /// A sentence for people that names the option.
    public var userMessage: String

    public init(_ userMessage: String) { self.userMessage = userMessage }
}
