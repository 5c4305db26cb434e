import Locking
import Stores

@testable import EntityStorage

/// A writer on the thread of its test, which also decides when the writer does what it has put off.
final class WriterDesk {
    private struct Plan: Sendable {
        var delay: Duration
        var work: @Sendable (Writer) -> Void
    }

    /// Safe from any thread.
    private final class Plans: Sendable {
        private let plans = Lock<[Plan]>([])
        var delays: [Duration] { plans.withLock { $0.map(\.delay) } }
        func add(_ plan: Plan) { plans.withLock { $0.append(plan) } }
        func take() -> Plan? { plans.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
    }

    let parts: StoreParts
    let writer: Writer
    private let log: NoticeLog
    private let plans: Plans

    init(_ configuration: StoreConfiguration) throws {
        let limits = StoreLimits(limit: configuration.limit, maximumObjectSize: configuration.maximumObjectSize)
        let opened = try StoreDirectory(configuration.directory)
        let (log, plans) = (NoticeLog(), Plans())
        let parts = StoreParts(
            configuration: configuration,
            directory: CurrentDirectory(opened),
            hasher: try CredentialHasher(opened),
            diskBudget: DiskBudget(limits: limits),
            counters: StoreCounters(limit: configuration.limit) { log.add($0) },
            pendingDeletes: PendingDeletes(limit: configuration.pendingDeleteLimit),
            writeQueue: WriteQueue(
                limits: limits,
                byteLimit: configuration.queueBytes,
                countLimit: configuration.queueCount
            ) { _ in },
            filesThread: .init(name: "store-files")
        )
        let hooks = WriterHooks(
            setReader: { _ in },
            schedule: { delay, work in plans.add(Plan(delay: delay, work: work)) },
            didOpen: { _, _ in }
        )
        self.parts = parts
        self.log = log
        self.plans = plans
        writer = Writer(parts, hooks)
    }

    deinit { parts.filesThread.stop() }

    /// After which times the writer goes on, in the order of its wishes.
    var delays: [Duration] { plans.delays }

    /// Does what was put off first.
    func goOn() { plans.take()?.work(writer) }

    /// What was told: `severity: message name=value`.
    var lines: [String] {
        log.all.map { notice in
            let details = notice.details.map { " \($0.name)=\($0.value)" }.joined()
            return "\(notice.severity): \(notice.message)\(details)"
        }
    }

    /// Stores small responses.
    func store(_ records: StoredRecord...) {
        for record in records { _ = parts.writeQueue.add(.commit(record) { _ in }) }
        writer.drain()
    }

    /// The number of rows; -1 if no database is open.
    var entries: Int64 { writer.database?.entries ?? -1 }
}
