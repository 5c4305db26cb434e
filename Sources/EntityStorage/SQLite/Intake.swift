import HTTPCore
import Locking
import ResourceCore

/// A change of rows, in the order of the calls.
enum RowOperation: Sendable {
    case commit(StoredRecord, @Sendable (Bool) -> Void)
    case commitForm(StoredForm, of: StoredRecord, @Sendable (Bool) -> Void)
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
        case .commit(let record, _), .freshen(let record, _), .commitForm(_, let record, _): record.uri
        case .invalidate(let uri, _), .removeVariant(let uri, _, _), .remove(let uri, _): uri
        case .dropDamaged(let uri, _), .dropUnreadable(let uri): uri
        }
    }

    /// Octets that go into rows.
    var octets: Int64 {
        switch self {
        case .commit(let record, _):
            if case .octets = record.body { record.headOctets + record.body.count } else { record.headOctets }
        case .commitForm(let form, let original, _):
            if case .octets = form.body { original.headOctets + form.body.count } else { original.headOctets }
        case .freshen(let record, _): record.headOctets
        case .invalidate, .removeVariant, .remove, .dropDamaged, .dropUnreadable: 0
        }
    }

    /// Adds a row, which may be refused.
    var isCommit: Bool {
        switch self {
        case .commit, .commitForm: true
        case .freshen, .invalidate, .removeVariant, .remove, .dropDamaged, .dropUnreadable: false
        }
    }

    /// Pages a transaction may touch for it, from above.
    var frames: Int { Int(octets / 4096) + 10 }
}

extension StoredRecord {
    var headOctets: Int64 {
        Int64(uri.octets.count + selection.count + fields.octets.count + requestFields.octets.count) + 128
    }
}

/// What waits for the writer.
final class Intake: Sendable {
    enum Work {
        case rows([RowOperation])
        /// Something else that runs between transactions, alone.
        case control(@Sendable (Writer) -> Void)
    }

    private enum Item {
        case row(RowOperation)
        case control(@Sendable (Writer) -> Void)
    }

    private struct Queue {
        var items: [Item] = []
        var head = 0
        var octets: Int64 = 0
        /// Changes on their way, by URI; a look-up for one of these goes behind them.
        var pending: [[UInt8]: Int] = [:]
        var isScheduled = false
        var isHurried = false
    }

    /// More than this in the queue means the disk does not keep up: records are refused.
    private static let octetLimit: Int64 = 64 << 20
    private static let countLimit = 50_000

    private let queue = Lock(Queue())
    private let budget: Budget
    /// Has the writer drain the queue, at once or after the time a batch waits for company.
    private let wake: @Sendable (_ atOnce: Bool) -> Void

    init(budget: Budget, wake: @escaping @Sendable (_ atOnce: Bool) -> Void) {
        self.budget = budget
        self.wake = wake
    }

    var count: Int { queue.withLock { $0.items.count - $0.head } }

    /// Queues a change; false if it is a record and the queue is full.
    func add(_ operation: RowOperation, isUrgent: Bool = false) -> Bool {
        let octets = operation.octets
        let isCommit = operation.isCommit
        let wakes: Bool?? = queue.withLock { queue in
            if isCommit, queue.octets + octets > Intake.octetLimit || queue.items.count - queue.head > Intake.countLimit
            {
                return nil
            }
            queue.items.append(.row(operation))
            queue.octets += octets
            queue.pending[operation.uri.octets, default: 0] += 1
            let isDue =
                isUrgent || queue.octets >= budget.batchOctets || queue.items.count - queue.head >= budget.batchEntries
            return .some(Intake.schedule(&queue, atOnce: isDue))
        }
        guard let wakes else { return false }
        if let wakes { wake(wakes) }
        return true
    }

    /// Queues `work` behind everything before it, and hurries that.
    func add(_ work: @escaping @Sendable (Writer) -> Void) {
        let wakes = queue.withLock { queue in
            queue.items.append(.control(work))
            return Intake.schedule(&queue, atOnce: true)
        }
        if let wakes { wake(wakes) }
    }

    /// Runs one of both: `direct` if nothing is on its way that `uri` could show in, else `work` behind what is.
    func afterChanges(of uri: TargetURI?, work: @escaping @Sendable (Writer) -> Void) -> Bool {
        let isQuiet = queue.withLock { queue in
            if let uri { return queue.pending[uri.octets] == nil }
            return queue.pending.isEmpty
        }
        if !isQuiet { add(work) }
        return isQuiet
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

    /// The next batch: changes up to a transaction's limits, or one control; nil when nothing is left.
    func take() -> Work? {
        queue.withLock { queue in
            var rows: [RowOperation] = []
            var octets: Int64 = 0
            var frames = 0
            while queue.head < queue.items.count {
                switch queue.items[queue.head] {
                case .control(let work):
                    if !rows.isEmpty { return .rows(rows) }
                    queue.head += 1
                    return .control(work)
                case .row(let operation):
                    octets += operation.octets
                    frames += operation.frames
                    let isFull =
                        rows.count >= budget.batchEntries || octets > budget.batchOctets
                        || frames > budget.logFrames / 2
                    if isFull, !rows.isEmpty { return .rows(rows) }
                    rows.append(operation)
                    queue.octets -= operation.octets
                    queue.head += 1
                }
                Intake.compact(&queue)
            }
            Intake.compact(&queue)
            if !rows.isEmpty { return .rows(rows) }
            queue.isScheduled = false
            queue.isHurried = false
            return nil
        }
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
                let key = row.uri.octets
                if let count = queue.pending[key], count > 1 {
                    queue.pending[key] = count - 1
                } else {
                    queue.pending[key] = nil
                }
            }
        }
    }
}
