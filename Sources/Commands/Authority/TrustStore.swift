/// A store where programs look up which CAs they trust.
protocol TrustStore {
    /// The name for messages, such as `the system`.
    var name: String { get }
    var needsRoot: Bool { get }

    /// Whether the store trusts the authority, with all results of `steps(toAdd:)` present.
    func trusts(_ authority: LocalAuthority) throws(CommandFailure) -> Bool
    /// Whether any result of `steps(toAdd:)` is present, even of an interrupted run.
    func hasTrace(of authority: LocalAuthority) throws(CommandFailure) -> Bool
    func steps(toAdd authority: LocalAuthority) -> [TrustStep]
    /// Steps that undo everything `steps(toAdd:)` did, and nothing else.
    func steps(toRemove authority: LocalAuthority) throws(CommandFailure) -> [TrustStep]
}

extension TrustStore {
    func hasTrace(of authority: LocalAuthority) throws(CommandFailure) -> Bool { try trusts(authority) }
}
