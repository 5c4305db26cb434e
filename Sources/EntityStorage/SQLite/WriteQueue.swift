import HTTPCore
import Locking
import ResourceCore
import Transforms

/// A change of rows, in the order of the calls.
enum RowOperation: Sendable {
    case commit(StoredRecord, @Sendable (Bool) -> Void)
    case commitRendition(StoredRendition, of: StoredRecord, @Sendable (Bool) -> Void)
    case freshen(StoredRecord, @Sendable (Bool) -> Void)
    case invalidate(TargetURI, @Sendable (Bool) -> Void)
    case removeVariant(TargetURI, Partition, [UInt8])
    case remove(TargetURI, @Sendable (Int) -> Void)
    /// A row whose checks failed.
    case dropDamaged(TargetURI, row: Int64)
    /// Rows of a URI that SQLite cannot read.
    case dropUnreadable(TargetURI)

    var uri: TargetURI {
        switch self {
        case .commit(let record, _), .freshen(let record, _), .commitRendition(_, let record, _): record.uri
        case .invalidate(let uri, _), .removeVariant(let uri, _, _), .remove(let uri, _): uri
        case .dropDamaged(let uri, _), .dropUnreadable(let uri): uri
        }
    }

    /// Bytes that go into rows.
    var bytes: Int64 {
        switch self {
        case .commit(let record, _):
            if case .bytes = record.body { record.headBytes + record.body.count } else { record.headBytes }
        case .commitRendition(let rendition, let original, _):
            if case .bytes = rendition.body { original.headBytes + rendition.body.count } else { original.headBytes }
        case .freshen(let record, _): record.headBytes
        case .invalidate, .removeVariant, .remove, .dropDamaged, .dropUnreadable: 0
        }
    }

    /// Adds a row, which may be refused.
    var isCommit: Bool {
        switch self {
        case .commit, .commitRendition: true
        case .freshen, .invalidate, .removeVariant, .remove, .dropDamaged, .dropUnreadable: false
        }
    }

    var isInvalidation: Bool {
        if case .invalidate = self { true } else { false }
    }

    /// Pages a transaction may touch for it, from above.
    var frames: Int { Int(bytes / 4096) + 10 }
}

extension StoredRecord {
    var headBytes: Int64 {
        Int64(uri.bytes.count + selection.count + fields.bytes.count + requestFields.bytes.count) + 128
    }
}

/// Changes that wait while another program has locked the database: what is asked for of their URIs is not found.
struct HiddenChanges: Sendable {
    fileprivate var pending: [[UInt8]: Int] = [:]

    func contains(_ uri: [UInt8]) -> Bool { !pending.isEmpty && pending[uri] != nil }
}

/// What waits for the writer.
///
/// While another program has locked the database the queue is blocked: changes stay in it, in their order, and look-ups no
/// longer go behind them.
final class WriteQueue: Sendable {
    enum Work {
        case rows([RowOperation])
        /// The oldest of more changes than may wait for a lock.
        case excess([RowOperation])
        /// Something else that runs between transactions, alone.
        case control(@Sendable (Writer) -> Void)
        case reading(@Sendable (HiddenChanges) -> Void)
    }

    private enum Item {
        case row(RowOperation)
        case control(@Sendable (Writer) -> Void)
        case reading(@Sendable (HiddenChanges) -> Void)
    }

    private struct Queue {
        /// What needs no order: goes before everything else.
        var ahead: [@Sendable (Writer) -> Void] = []
        var items: [Item] = []
        var head = 0
        var bytes: Int64 = 0
        /// Changes on their way, by URI; a look-up for one of these goes behind them.
        var pending: [[UInt8]: Int] = [:]
        /// Of these, invalidations.
        var invalidations = 0
        var isScheduled = false
        var isHurried = false
        var isBlocked = false

        var count: Int { items.count - head }
    }

    /// More than this in the queue means the disk does not keep up: records are refused.
    private let byteLimit: Int64
    private let countLimit: Int

    private let queue = Lock(Queue())
    private let budget: Budget
    /// Has the writer drain the queue, at once or after the time a batch waits for company.
    private let wake: @Sendable (_ atOnce: Bool) -> Void

    init(
        budget: Budget,
        byteLimit: Int64,
        countLimit: Int,
        wake: @escaping @Sendable (_ atOnce: Bool) -> Void
    ) {
        self.budget = budget
        self.byteLimit = byteLimit
        self.countLimit = countLimit
        self.wake = wake
    }

    var count: Int { queue.withLock { $0.count } }
    /// Invalidations on their way.
    var invalidationCount: Int { queue.withLock { $0.invalidations } }

    /// Queues a change; false if it is a record and the queue is full.
    func add(_ operation: RowOperation, isUrgent: Bool = false) -> Bool {
        let bytes = operation.bytes
        let isCommit = operation.isCommit
        let wakes: Bool?? = queue.withLock { queue in
            if isCommit, queue.bytes + bytes > byteLimit || queue.count > countLimit { return nil }
            queue.items.append(.row(operation))
            queue.bytes += bytes
            queue.pending[operation.uri.bytes, default: 0] += 1
            if operation.isInvalidation { queue.invalidations += 1 }
            let isDue = isUrgent || queue.bytes >= budget.batchBytes || queue.count >= budget.batchEntries
            return .some(WriteQueue.schedule(&queue, atOnce: isDue))
        }
        guard let wakes else { return false }
        if let wakes { wake(wakes) }
        return true
    }

    /// Queues `work` behind everything before it, and hurries that.
    func add(_ work: @escaping @Sendable (Writer) -> Void) {
        let wakes = queue.withLock { queue in
            queue.items.append(.control(work))
            return WriteQueue.schedule(&queue, atOnce: true)
        }
        if let wakes { wake(wakes) }
    }

    /// Has `work` done next, before what waits.
    func addAhead(_ work: @escaping @Sendable (Writer) -> Void) {
        let wakes = queue.withLock { queue in
            queue.ahead.append(work)
            return WriteQueue.schedule(&queue, atOnce: true)
        }
        if let wakes { wake(wakes) }
    }

    /// Runs `read`: inside the call if nothing is on its way that `uri` (nil: any) could show in, else behind what is.
    ///
    /// While the queue is blocked, inside the call, too: then it is told what it may not find.
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

    /// The next batch: changes up to a transaction's limits, or one control; nil when nothing is left, or all else waits.
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

    /// Changes from the front, up to a transaction's limits.
    private func takeRows(_ queue: inout Queue) -> [RowOperation] {
        var rows: [RowOperation] = []
        var bytes: Int64 = 0
        var frames = 0
        while queue.head < queue.items.count, case .row(let operation) = queue.items[queue.head] {
            bytes += operation.bytes
            frames += operation.frames
            let isFull =
                rows.count >= budget.batchEntries || bytes > budget.batchBytes || frames > budget.logFrames / 2
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

    /// Lets changes wait from now on, `rows` as the first of them; look-ups that went behind changes go at once.
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

    /// Changes are taken again.
    func unblock() { queue.withLock { $0.isBlocked = false } }
}
