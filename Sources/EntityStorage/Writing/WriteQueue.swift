import HTTPCore
import Locking

/// Work for the writer; safe from any thread.
///
/// While another program locks the database, the queue is blocked: changes stay in order, and look-ups no longer wait
/// for them.
final class WriteQueue: Sendable {
    enum Work {
        case rows([RowOperation])
        /// The oldest changes, if too many wait for a lock.
        case excess([RowOperation])
        /// Other work, which runs between transactions.
        case control(@Sendable (Writer) -> Void)
        /// A look-up that waited for earlier changes.
        case reading(@Sendable (HiddenChanges) -> Void)
    }

    private enum Item {
        case row(RowOperation)
        case control(@Sendable (Writer) -> Void)
        case reading(@Sendable (HiddenChanges) -> Void)
    }

    private struct Queue {
        /// Work that comes before everything else, whatever the order of the calls.
        var ahead: [@Sendable (Writer) -> Void] = []
        var items: [Item] = []
        /// The index of the first remaining item.
        var head = 0
        var bytes: Int64 = 0
        /// The number of uncommitted changes of each URI; a look-up of the URI waits for them.
        var pending: [[UInt8]: Int] = [:]
        /// The number of invalidations among these.
        var invalidations = 0
        var isScheduled = false
        var isHurried = false
        var isBlocked = false

        var count: Int { items.count - head }
    }

    /// With more than this in the queue the disk is too slow: records are refused.
    private let byteLimit: Int64
    private let countLimit: Int

    private let queue = Lock(Queue())
    private let limits: StoreLimits
    /// Makes the writer drain the queue, at once or after the time in which a batch collects changes.
    private let wake: @Sendable (_ atOnce: Bool) -> Void

    init(
        limits: StoreLimits,
        byteLimit: Int64,
        countLimit: Int,
        wake: @escaping @Sendable (_ atOnce: Bool) -> Void
    ) {
        self.limits = limits
        self.byteLimit = byteLimit
        self.countLimit = countLimit
        self.wake = wake
    }

    var count: Int { queue.withLock { $0.count } }
    /// Invalidations that are not committed.
    var invalidationCount: Int { queue.withLock { $0.invalidations } }

    /// Queues a change; returns false if it adds a row and the queue is full.
    func add(_ operation: RowOperation, isUrgent: Bool = false) -> Bool {
        let bytes = operation.bytes
        let isCommit = operation.isCommit
        let wakes: Bool?? = queue.withLock { queue in
            if isCommit, queue.bytes + bytes > byteLimit || queue.count > countLimit { return nil }
            queue.items.append(.row(operation))
            queue.bytes += bytes
            queue.pending[operation.uri.bytes, default: 0] += 1
            if operation.isInvalidation { queue.invalidations += 1 }
            let isDue = isUrgent || queue.bytes >= limits.batchBytes || queue.count >= limits.batchEntries
            return .some(WriteQueue.schedule(&queue, atOnce: isDue))
        }
        guard let wakes else { return false }
        if let wakes { wake(wakes) }
        return true
    }

    /// Queues `work` after everything else, and makes the writer begin at once.
    func add(_ work: @escaping @Sendable (Writer) -> Void) {
        let wakes = queue.withLock { queue in
            queue.items.append(.control(work))
            return WriteQueue.schedule(&queue, atOnce: true)
        }
        if let wakes { wake(wakes) }
    }

    /// Queues `work` before everything else.
    func addAhead(_ work: @escaping @Sendable (Writer) -> Void) {
        let wakes = queue.withLock { queue in
            queue.ahead.append(work)
            return WriteQueue.schedule(&queue, atOnce: true)
        }
        if let wakes { wake(wakes) }
    }

    /// Runs `read` once the changes of `uri` (nil: of any URI) that were queued before are committed.
    ///
    /// Runs it inside the call if there are none, or if the queue is blocked; then `read` gets the URIs to hide.
    func afterChanges(of uri: TargetURI?, _ read: @escaping @Sendable (HiddenChanges) -> Void) {
        let (hidden, wakes) = queue.withLock { queue -> (HiddenChanges?, Bool?) in
            let isQuiet = uri.map { queue.pending[$0.bytes] == nil } ?? queue.pending.isEmpty
            if isQuiet { return (HiddenChanges(), nil) }
            if queue.isBlocked { return (HiddenChanges(pending: queue.pending), nil) }
            queue.items.append(.reading(read))
            return (nil, WriteQueue.schedule(&queue, atOnce: true))
        }
        if let hidden { read(hidden) }
        if let wakes { wake(wakes) }
    }

    private static func schedule(_ queue: inout Queue, atOnce: Bool) -> Bool? {
        if atOnce {
            if queue.isHurried { return nil }
            queue.isHurried = true
            return true
        }
        if queue.isScheduled || queue.isHurried { return nil }
        queue.isScheduled = true
        return false
    }

    // MARK: The writer's side

    /// Removes the next work, such as changes up to the limits of a transaction; nil if nothing can be done now.
    func take() -> Work? {
        queue.withLock { queue in
            if !queue.ahead.isEmpty { return .control(queue.ahead.removeFirst()) }
            if queue.isBlocked {
                let isExcessive = queue.bytes > 2 * byteLimit || queue.count > 2 * countLimit
                let rows = isExcessive ? takeRows(&queue) : []
                if !rows.isEmpty { return .excess(rows) }
            } else {
                let rows = takeRows(&queue)
                if !rows.isEmpty { return .rows(rows) }
                if queue.head < queue.items.count {
                    defer {
                        queue.head += 1
                        WriteQueue.compact(&queue)
                    }
                    switch queue.items[queue.head] {
                    case .control(let work): return .control(work)
                    case .reading(let read): return .reading(read)
                    case .row: break
                    }
                }
            }
            queue.isScheduled = false
            queue.isHurried = false
            return nil
        }
    }

    /// Removes changes from the front, up to the limits of a transaction.
    private func takeRows(_ queue: inout Queue) -> [RowOperation] {
        var rows: [RowOperation] = []
        var bytes: Int64 = 0
        var frames = 0
        while queue.head < queue.items.count, case .row(let operation) = queue.items[queue.head] {
            bytes += operation.bytes
            frames += operation.frames
            let isFull =
                rows.count >= limits.batchEntries || bytes > limits.batchBytes || frames > limits.logFrames / 2
            if isFull, !rows.isEmpty { break }
            rows.append(operation)
            queue.bytes -= operation.bytes
            queue.head += 1
        }
        WriteQueue.compact(&queue)
        return rows
    }

    private static func compact(_ queue: inout Queue) {
        guard queue.head > 256 || queue.head == queue.items.count else { return }
        queue.items.removeFirst(queue.head)
        queue.head = 0
    }

    /// The changes of `rows` are committed or given up.
    func didEnd(_ rows: [RowOperation]) {
        queue.withLock { queue in
            for row in rows {
                if row.isInvalidation { queue.invalidations -= 1 }
                let key = row.uri.bytes
                if let count = queue.pending[key], count > 1 {
                    queue.pending[key] = count - 1
                } else {
                    queue.pending[key] = nil
                }
            }
        }
    }

    // MARK: A locked database

    /// Whether changes wait for another program.
    var isBlocked: Bool { queue.withLock { $0.isBlocked } }

    /// Blocks the queue, with `rows` as its first changes; runs the look-ups that waited for changes.
    func block(_ rows: [RowOperation]) {
        let (readings, hidden) = queue.withLock { queue in
            queue.isBlocked = true
            queue.bytes += rows.reduce(0) { $0 + $1.bytes }
            var readings: [@Sendable (HiddenChanges) -> Void] = []
            var rest = rows.map(Item.row)
            for item in queue.items[queue.head...] {
                if case .reading(let read) = item { readings.append(read) } else { rest.append(item) }
            }
            queue.items = rest
            queue.head = 0
            return (readings, HiddenChanges(pending: queue.pending))
        }
        for read in readings { read(hidden) }
    }

    /// Unblocks the queue: the writer continues with the changes.
    func unblock() { queue.withLock { $0.isBlocked = false } }
}

/// URIs with changes that wait while another program has locked the database: look-ups do not find them.
struct HiddenChanges: Sendable {
    fileprivate var pending: [[UInt8]: Int] = [:]

    func contains(_ uri: [UInt8]) -> Bool { !pending.isEmpty && pending[uri] != nil }
}
