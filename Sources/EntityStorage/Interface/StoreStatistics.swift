/// The state of a store.
public enum StoreState: Sendable, Equatable {
    /// The database is not open yet; look-ups wait.
    case opening
    case ok
    /// The disk is full or refuses to write: the store serves what it has, and adds nothing.
    case full(reason: String)
    /// Another program has locked the database: changes wait in memory.
    ///
    /// The store serves what it has if the database `isOpen`; else it was locked before that, and look-ups find
    /// nothing.
    case locked(reason: String, isOpen: Bool)
    /// The store cannot be used: it stores nothing, and look-ups find nothing.
    case disabled(reason: String)
    case closed
}

extension StoreState {
    /// Whether the store begins new body files.
    var keepsBodies: Bool {
        switch self {
        case .ok: true
        // Without the database the space on the disk is unknown.
        case .locked(_, let isOpen): isOpen
        case .opening, .full, .disabled, .closed: false
        }
    }
}

/// The counters of a store at one moment.
public struct StoreStatistics: Sendable {
    public var state: StoreState = .opening
    /// Stored records.
    public var entries: Int64 = 0
    /// Bytes used now: database, log, body files, ballast.
    public var usedBytes: Int64 = 0
    public var limit: Int64 = 0
    /// What compression and shared body files save.
    public var space = SpaceSavings()
    /// Records dropped to make room.
    public var evictions: Int64 = 0
    /// Records that eviction kept because they had been used.
    public var reinsertions: Int64 = 0
    /// Look-ups with and without a record as result.
    public var hits: Int64 = 0
    public var misses: Int64 = 0
    /// Records, body files and databases found damaged.
    public var damaged: Int64 = 0
    /// Records that were not stored, for lack of space or because the disk refused.
    public var refused: Int64 = 0
    /// Operations in the write queue.
    public var queued: Int = 0
    /// Invalidations that are not on disk yet.
    ///
    /// If there are more than a few for longer than a moment, the disk refuses or the database is locked.
    public var pendingInvalidations: Int = 0
    /// The longest piece of work on the writer's thread: a batch, or a step of eviction or removal.
    public var longestWrite: Duration = .zero
    /// The longest look-up on the reader's thread.
    public var longestLookUp: Duration = .zero
}

/// A message for an operator in the log; sent once for each change of state.
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
