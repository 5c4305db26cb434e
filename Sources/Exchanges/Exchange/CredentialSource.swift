import HTTPCore

/// A request field that gives access to an origin.
public struct Credential: Sendable, Equatable {
    public var name: [UInt8]
    public var value: [UInt8]
    /// Different for each credential of a source.
    public var number: UInt64

    public init(name: [UInt8], value: [UInt8], number: UInt64) {
        self.name = name
        self.value = value
        self.number = number
    }
}

/// Obtains credentials for requests; safe from any thread.
public protocol CredentialSource: AnyObject, Sendable {
    /// Identifies the user of its credentials: a response to one of them is valid for all with this subject.
    var subject: [UInt8] { get }

    /// Gets the credential to use now.
    ///
    /// - Parameters:
    ///   - refused: a credential that the origin refused. The source does not use it again, and gets only one new
    ///     credential, however many callers report it.
    ///   - context: what the source needs to get a new one.
    ///   - completion: called once, on any thread, perhaps inside the call.
    func credential(
        insteadOf refused: Credential?,
        _ context: CredentialContext,
        _ completion: @escaping @Sendable (Result<Credential, ExchangeFailure>) -> Void
    )

    /// Whether there is another credential than `refused`, or the source may get one.
    func mayReplace(_ refused: Credential, _ context: CredentialContext) -> Bool

    /// An origin accepted `credential`, or refused it although it replaced another.
    func note(_ credential: Credential, isAccepted: Bool, _ context: CredentialContext)
}

/// What a source needs to get a credential.
public struct CredentialContext: Sendable {
    public var provider: any ExchangeProvider
    public var timekeeper: any Timekeeper
    public var statistics: PolicyStatistics

    public init(provider: any ExchangeProvider, timekeeper: any Timekeeper, statistics: PolicyStatistics) {
        self.provider = provider
        self.timekeeper = timekeeper
        self.statistics = statistics
    }
}
