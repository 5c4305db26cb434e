/// Why a name has no addresses.
public enum NameError: Error, Sendable, Hashable {
    /// Not a host name: too long, an empty or too long label, or a byte that names do not have.
    case invalid
    /// The name does not exist, or has no address.
    case notFound
    /// No answer in time.
    case timeout
    case failed
    /// Too many look-ups are under way for this client or page.
    case busy
}
