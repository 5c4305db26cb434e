/// Whether changes wait for another program, which has locked the database, or reads so long that the log is full.
///
/// The changes wait in the queue, in their order. Used on the writer's thread.
struct LockWait {
    /// How often the writer checks whether the other program still has its lock.
    let retryDelay: Duration
    /// How long a change waits for a lock within SQLite, before it waits in the queue.
    let patience: Duration
    private var isRetryDue = false
    private var isOver = false

    init(_ configuration: StoreConfiguration) {
        retryDelay = configuration.lockRetryDelay
        patience = configuration.lockPatience
    }

    /// Whether a change that failed with `error` waits.
    func waits(for error: DatabaseError) -> Bool { error.isBusy && !isOver }

    /// Returns false if a retry is due already.
    mutating func planRetry() -> Bool {
        defer { isRetryDue = true }
        return !isRetryDue
    }

    mutating func beginRetry() { isRetryDue = false }

    /// The store is closing and has waited long enough: no change waits any more.
    mutating func giveUp() { isOver = true }
}
