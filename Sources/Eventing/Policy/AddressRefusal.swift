/// Why an address is refused.
public enum AddressRefusal: Sendable, Hashable {
    case addressClass(AddressClass)
    /// The kind is allowed, but not for a name that an attacker may control.
    case untrustedName(AddressClass)
    /// The address of an admin listener of ours.
    case administration
    /// A port that is never connected to, such as those of mail servers.
    case port
}
