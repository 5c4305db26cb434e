/// Why a transformer could not do its work.
public struct TransformFailure: Error, Sendable, Equatable {
    public enum Reason: String, Sendable {
        /// The content does not match its type or coding.
        case invalidContent = "invalid-content"
        /// The transformer does not know a coding, charset or construct.
        case unsupported
        /// The content exceeds one of the `TransformLimits`.
        case limit
        /// The content is not of the kind that the transformer works on.
        case wrongInput = "wrong-input"
        case failed
    }

    public var reason: Reason
    /// A sentence for a person: what is wrong and where (line and column, or byte).
    ///
    /// It MUST NOT quote the content.
    public var userMessage: String

    public init(_ reason: Reason, _ userMessage: String) {
        self.reason = reason
        self.userMessage = userMessage
    }
}
