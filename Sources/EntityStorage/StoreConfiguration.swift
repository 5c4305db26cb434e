/// Where a store lies and how much it may take.
public struct StoreConfiguration: Sendable {
    /// The directory; made with mode 0700 if it is missing.
    ///
    /// Only an empty one becomes a store.
    public var directory: String
    /// A service manager made the directory for this process: it is ours, whoever it belongs to.
    public var isHandedOver = false
    /// Bytes of database, log, body files and ballast together, as `du` counts them, at every instant.
    public var limit: Int64
    /// Content longer than this is not stored.
    public var maximumObjectSize: Int64
    /// Names of credential fields beside Authorization, Proxy-Authorization, Cookie and Set-Cookie, in any case: responses
    /// that bring or were selected by one are never at rest (H-158).
    public var credentialFields: [[UInt8]]

    /// Whether what belongs to a credential is at rest; if not, it lives in memory only, and what was at rest of it goes.
    public var keepsPrivate = true

    /// How often it is looked whether the directory is still the one that was opened.
    package var directoryCheckInterval = Duration.seconds(5)
    /// How long a disk that refuses is left alone at first.
    package var firstRetryDelay = Duration.seconds(2)
    /// How long a change waits for another program's lock before it is put aside with those behind it.
    package var lockPatience = Duration.seconds(1)
    /// How often to look whether another program still locks the database.
    package var lockRetryDelay = Duration.milliseconds(100)
    /// How long closing waits for another program that locks the database.
    package var closingPatience = Duration.seconds(5)
    /// More URIs than this whose rows cannot be removed, and the database is given up instead.
    package var suppressionLimit = 100_000
    /// Changes in memory: beyond the first many bytes or operations records are refused, beyond twice as many the oldest
    /// changes are given up while the database is locked.
    package var queueBytes: Int64 = 64 << 20
    package var queueCount = 50_000

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
