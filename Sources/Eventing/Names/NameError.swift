/// Why a name has no addresses.
public enum NameError: Error, Sendable, Hashable {
    /// Not a host name: it is too long, has an empty or too long label, or an invalid byte.
    case invalid
    /// The name does not exist, or has no address.
    case notFound
    /// No answer came in time.
    case timeout
    case failed
    /// Too many look-ups are in progress for this client or page.
    case busy
}
