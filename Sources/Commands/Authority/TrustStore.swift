/// A store where programs look up which CAs they trust.
protocol TrustStore {
    /// For messages: `the system`.
    var name: String { get }
    var needsRoot: Bool { get }

    /// Whether the store trusts the authority, and everything that `steps(toAdd:)` makes is there.
    func trusts(_ authority: LocalAuthority) throws(CommandFailure) -> Bool
    /// Whether anything is there that `steps(toAdd:)` makes, even if it was interrupted.
    func hasTrace(of authority: LocalAuthority) throws(CommandFailure) -> Bool
    func steps(toAdd authority: LocalAuthority) -> [TrustStep]
    /// Steps that undo everything `steps(toAdd:)` did, and nothing else.
    func steps(toRemove authority: LocalAuthority) throws(CommandFailure) -> [TrustStep]
}

extension TrustStore {
    func hasTrace(of authority: LocalAuthority) throws(CommandFailure) -> Bool { try trusts(authority) }
}
