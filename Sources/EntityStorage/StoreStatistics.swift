/// How a store stands.
public enum StoreState: Sendable, Equatable {
    /// The database is not open yet; look-ups wait.
    case opening
    case ok
    /// The disk is full or refuses to write: what is stored is served, nothing is added.
    case full(reason: String)
    /// Another program has locked the database: what is stored is served, changes wait in memory until it lets go.
    case locked(reason: String)
    /// Nothing is stored or found.
    case disabled(reason: String)
    case closed
}

extension StoreState {
    /// Whether new body files are begun.
    var keepsBodies: Bool {
        switch self {
        case .ok, .locked: true
        case .opening, .full, .disabled, .closed: false
        }
    }
}

/// One look at a store's figures.
public struct StoreStatistics: Sendable {
    public var state: StoreState = .opening
    /// Records at rest.
    public var entries: Int64 = 0
    /// Bytes taken now: database, log, body files, ballast.
    public var usedBytes: Int64 = 0
    public var limit: Int64 = 0
    /// Records dropped to make room.
    public var evictions: Int64 = 0
    /// Records moved to the tail because they had been used.
    public var reinsertions: Int64 = 0
    /// Look-ups that found a record, and those that did not.
    public var hits: Int64 = 0
    public var misses: Int64 = 0
    /// Records, body files and databases found damaged.
    public var damaged: Int64 = 0
    /// Records not stored for want of room or because of the disk.
    public var refused: Int64 = 0
    /// Operations waiting for the writer.
    public var queued: Int = 0
    /// URIs and queued operations whose invalidation is not at rest yet.
    ///
    /// More than a few for longer than a moment: the disk refuses, or the database is locked.
    public var pendingInvalidations: Int = 0
    /// The longest time one piece of work has kept the writer from the next: a batch, a step of eviction or removal.
    public var longestWrite: Duration = .zero
    /// The longest time a look-up took on the reader's thread.
    public var longestLookUp: Duration = .zero
}

/// Something an operator should read in the log; told once for each change of state.
public struct StoreNotice: Sendable {
    public enum Severity: Sendable { case error, warning, info }

    public var severity: Severity
    /// A constant sentence.
    public var message: String
    public var details: [(name: String, value: String)]

    init(_ severity: Severity, _ message: String, _ details: [(name: String, value: String)] = []) {
        self.severity = severity
        self.message = message
        self.details = details
    }
}
