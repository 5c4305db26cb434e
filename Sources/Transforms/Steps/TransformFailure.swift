/// Why a transformer could not do its work.
public struct TransformFailure: Error, Sendable, Equatable {
    public enum Reason: String, Sendable {
        /// The content is not what its type or coding says.
        case invalidContent = "invalid-content"
        /// A coding, charset or construct the transformer does not know.
        case unsupported
        /// A limit of `TransformLimits` was met.
        case limit
        /// The content is of another kind than the transformer works on.
        case wrongInput = "wrong-input"
        case failed
    }

    public var reason: Reason
    /// A sentence for a person: what is wrong, and where (line and column, or byte); nothing of the content.
    public var userMessage: String

    public init(_ reason: Reason, _ userMessage: String) {
        self.reason = reason
        self.userMessage = userMessage
    }
}
