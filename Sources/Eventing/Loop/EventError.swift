public import Platform

/// Why a loop, a listener or a descriptor could not be set up.
public struct EventError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        case noEventBase
        case noThread
        case cannotListen
        case cannotOpen
        case notSupported
    }

    public var code: Code
    /// A sentence for people; always present.
    public var userMessage: String
    /// The error that the system reported, if any.
    public var underlying: SystemError?

    public init(_ code: Code, _ userMessage: String? = nil, underlying: SystemError? = nil) {
        self.code = code
        self.underlying = underlying
        self.userMessage = userMessage ?? "\(code)"
    }

    /// Gives an error of the system a code of this target.
    init(_ code: Code, _ error: SystemError) { self.init(code, "\(error)", underlying: error) }

    public var description: String { userMessage }
}
