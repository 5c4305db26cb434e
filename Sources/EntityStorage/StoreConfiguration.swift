/// Where a store lies and how much it may take.
public struct StoreConfiguration: Sendable {
    /// The directory; made with mode 0700 if it is missing.
    public var directory: String
    /// Octets of database, log, body files and ballast together, as `du` counts them, at every instant.
    public var limit: Int64
    /// Content longer than this is not stored.
    public var maximumObjectSize: Int64
    /// Names of credential fields beside Authorization, Proxy-Authorization, Cookie and Set-Cookie, in any case: responses
    /// that bring or were selected by one are never at rest (H-158).
    public var credentialFields: [[UInt8]]

    /// How long a disk that refuses is left alone at first.
    package var firstRetryDelay = Duration.seconds(2)

    public init(
        directory: String,
        limit: Int64 = 4 << 30,
        maximumObjectSize: Int64 = 1 << 30,
        credentialFields: [[UInt8]] = []
    ) {
        self.directory = directory
        self.limit = limit
        self.maximumObjectSize = maximumObjectSize
        self.credentialFields = credentialFields
    }
}
