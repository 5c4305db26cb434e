import HTTPCore

/// A request field that gives access to an origin.
public struct Credential: Sendable, Equatable {
    public var name: [UInt8]
    public var value: [UInt8]
    /// Tells it from those its source gave before.
    public var number: UInt64

    public init(name: [UInt8], value: [UInt8], number: UInt64) {
        self.name = name
        self.value = value
        self.number = number
    }
}

/// Gets credentials for requests; safe from any thread.
public protocol CredentialSource: AnyObject, Sendable {
    /// Tells as whom it gives access: as long as that is the same, what came with one credential is good for the next.
    var subject: [UInt8] { get }

    /// The credential to use now; told once, perhaps inside the call.
    ///
    /// - Parameters:
    ///   - refused: one the origin took for none: it is not given again. However many ask so, another one is got once.
    ///   - context: what another one is got with.
    ///   - completion: on any thread.
    func credential(
        insteadOf refused: Credential?,
        _ context: CredentialContext,
        _ completion: @escaping @Sendable (Result<Credential, ExchangeFailure>) -> Void
    )

    /// Whether there is, or may be got, another credential than `refused`.
    func mayReplace(_ refused: Credential, _ context: CredentialContext) -> Bool

    /// What an origin made of `credential` in the end: it took it, or refused also this one, got in place of another.
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
