/// How the shared tier is used.
public struct SharedTierOptions: Sendable, Equatable {
    /// How long a miss waits for it.
    public var timeout = Duration.milliseconds(50)
    /// Responses with more content are not shared.
    public var maximumObjectSize = 8 << 20
    /// Whether all nodes name the partitions of credentials alike, so that private responses may be shared, too.
    public var sharesPrivate = false
    /// Names of fields whose presence keeps a response on this node; lower-cased.
    public var credentialFields: [[UInt8]] = []

    public init() {}

    /// How long the content of a response may take that is not in its record.
    var contentTimeout: Duration { timeout * 10 }
    /// How long a response may take to be stored; nobody waits for that.
    var storeTimeout: Duration { max(.seconds(1), timeout * 20) }
}
