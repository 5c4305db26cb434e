/// The location of a store, and its limits.
public struct StoreConfiguration: Sendable {
    /// The directory; made with mode 0700 if it is missing.
    ///
    /// An existing directory must be empty, or a store.
    public var directory: String
    /// Whether a service manager made the directory for this process: then any owner is accepted.
    public var isHandedOver = false
    /// The most bytes that database, log, body files and ballast ever use together, as `du` counts them.
    public var limit: Int64
    /// Content longer than this is not stored.
    public var maximumObjectSize: Int64
    /// Names of credential fields beside Authorization, Proxy-Authorization, Cookie and Set-Cookie, in any case.
    ///
    /// A response with such a field, or selected by one, is never stored on disk (H-158).
    public var credentialFields: [[UInt8]]

    /// Whether responses that belong to a credential are stored on disk.
    ///
    /// If not, they stay in memory, and a store removes the ones it has.
    public var keepsPrivate = true

    /// Which content is compressed; a store may have rows of both kinds.
    public var compression = StoreCompression.auto

    /// How often the store checks that its directory is still the one that it opened.
    package var directoryCheckInterval = Duration.seconds(5)
    /// How often the store writes what was saved since the last time.
    package var savingsInterval = Duration.seconds(3)
    /// How long a listing reads before it lets others read.
    package var listingTime = Duration.milliseconds(1)
    /// How long the store waits at first before it tries again a disk that refused.
    package var firstRetryDelay = Duration.seconds(2)
    /// How long a change waits for another program's lock; then it waits in the queue, with later ones.
    package var lockPatience = Duration.seconds(1)
    /// How often the store checks whether another program still locks the database.
    package var lockRetryDelay = Duration.milliseconds(100)
    /// How long closing waits for another program that locks the database.
    package var closingPatience = Duration.seconds(5)
    /// If the rows of more URIs than this cannot be removed, the store discards the database instead.
    package var pendingDeleteLimit = 100_000
    /// With more bytes or operations than this in memory, the store refuses records.
    ///
    /// With more than twice as many, it drops the oldest changes while another program locks the database.
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
