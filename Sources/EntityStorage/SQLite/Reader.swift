import HTTPCaching
import HTTPCore
import Platform
import ResourceCore
import Transforms

/// Answers look-ups and listings on a thread and a connection of its own, so that they never queue behind a batch.
final class Reader: @unchecked Sendable {
    // The reader's thread makes `@unchecked Sendable` true: everything here is used on it only.
    private struct Statements {
        let database: Database
        /// The database's, and that of its body files.
        let directory: StoreDirectory
        let seed: UInt64
        let lookUp: Statement
        let rendition: Statement
        let renditions: Statement
        let list: Statement
        let keys: Statement
    }

    private enum Phase {
        case waiting([@Sendable () -> Void])
        case open(Statements)
        case closed
    }

    private let uses: UseBits
    private let pendingDeletes: PendingDeletes
    private let removals: Removals
    private let counters: StoreCounters
    private let writeQueue: WriteQueue
    private let filter: KeyFilter
    private let files: WorkerThread
    private let keepsPrivate: Bool
    private var phase = Phase.waiting([])

    init(
        uses: UseBits,
        pendingDeletes: PendingDeletes,
        removals: Removals,
        counters: StoreCounters,
        writeQueue: WriteQueue,
        filter: KeyFilter,
        files: WorkerThread,
        keepsPrivate: Bool
    ) {
        self.uses = uses
        self.pendingDeletes = pendingDeletes
        self.removals = removals
        self.counters = counters
        self.writeQueue = writeQueue
        self.filter = filter
        self.files = files
        self.keepsPrivate = keepsPrivate
    }

    /// Reads from the database in `directory` from now on; nil: from none.
    func use(_ directory: StoreDirectory?) {
        var waiting: [@Sendable () -> Void] = []
        if case .waiting(let jobs) = phase { waiting = jobs }
        phase = .closed
        if let directory, let statements = try? Reader.open(directory) { phase = .open(statements) }
        for job in waiting { job() }
    }

    private static func open(_ directory: StoreDirectory) throws(DatabaseError) -> Statements {
        let database = try Database(StoreDirectory.database, in: directory.root, at: directory.path)
        try database.execute(Schema.reader)
        let row = """
            SELECT id, sum, format, body.data, \(RowHead.columns)
            FROM entry LEFT JOIN body USING(id)
            """
        return Statements(
            database: database,
            directory: directory,
            seed: UInt64(bitPattern: try database.number("SELECT value FROM meta WHERE name = 'seed'")),
            lookUp: try database.prepare("\(row) WHERE key BETWEEN ? AND ? AND form = 0"),
            rendition: try database.prepare("\(row) WHERE key = ?"),
            renditions: try database.prepare(
                """
                SELECT partition, selection, fingerprint, fields, size, response_time, id FROM entry
                WHERE key BETWEEN ? AND ? AND uri = ? AND form <> 0 ORDER BY id
                """
            ),
            list: try database.prepare(
                """
                SELECT key, uri, partition, status, size, response_time, invalidated, fields, request_time, extent,
                    id
                FROM entry
                WHERE key > ? AND form = 0 ORDER BY key LIMIT ?
                """
            ),
            keys: try database.prepare("SELECT key FROM entry WHERE key > ? ORDER BY key LIMIT ?")
        )
    }

    /// Runs `job` now, or once it is known whether there is a database.
    private func whenKnown(_ job: @escaping @Sendable () -> Void) {
        switch phase {
        case .waiting(let jobs): phase = .waiting(jobs + [job])
        case .open, .closed: job()
        }
    }

    // MARK: Look-ups

    func lookUp(_ uri: TargetURI, _ completion: @escaping @Sendable ([StoredRecord]) -> Void) {
        whenKnown {
            let began = ContinuousClock.now
            let records = self.records(of: uri)
            let time = ContinuousClock.now - began
            self.counters.change { statistics in
                statistics.longestLookUp = max(statistics.longestLookUp, time)
                if records.isEmpty { statistics.misses += 1 } else { statistics.hits += 1 }
            }
            completion(records)
        }
    }

    private struct Row {
        var id: Int64
        var head: RowHead
        var sum: Int64
        var format: Int64
        var body: [UInt8]?
    }

    private func records(of uri: TargetURI) -> [StoredRecord] {
        guard case .open(let statements) = phase, !pendingDeletes.contains(uri.bytes) else { return [] }
        let removals = removals.snapshot
        do {
            return try rows(of: uri, statements).compactMap { record($0, of: uri, removals) }
        } catch {
            if error.isDamage { _ = writeQueue.add(.dropUnreadable(uri)) }
            return []
        }
    }

    private func rows(of uri: TargetURI, _ statements: Statements) throws(DatabaseError) -> [Row] {
        let range = RecordKey.range(uri, seed: statements.seed)
        return try rows(statements.lookUp.bind(1, blob: range.low).bind(2, blob: range.high))
    }

    private func rows(_ statement: Statement) throws(DatabaseError) -> [Row] {
        var rows: [Row] = []
        try statement.forEachRow {
            let body = statement.isNull(3) ? nil : statement.bytes(3)
            rows.append(
                Row(
                    id: statement.integer(0),
                    head: RowHead(statement, from: 4),
                    sum: statement.integer(1),
                    format: statement.integer(2),
                    body: body
                )
            )
        }
        return rows
    }

    /// The record of a row, checked whole; a damaged one is dropped.
    private func record(_ row: Row, of uri: TargetURI, _ removals: Removals.Snapshot) -> StoredRecord? {
        guard row.format == RecordCoding.format, row.head.sum == row.sum else { return drop(row, uri) }
        // Another URI of the same hash: not asked for.
        guard row.head.uri == uri.bytes, !removals.cover(uri, row: row.id), mayServe(row.head.partition) else {
            return nil
        }
        guard let body = body(of: row, uri), let record = row.head.record(body) else { return drop(row, uri) }
        uses.touch(row.id)
        return record
    }

    /// Rows of credentials that are still to go are found no more.
    private func mayServe(_ partition: [UInt8]) -> Bool { keepsPrivate || partition.isEmpty }

    private func drop<Found>(_ row: Row, _ uri: TargetURI) -> Found? {
        _ = writeQueue.add(.dropDamaged(uri, row: row.id))
        return nil
    }

    // MARK: Forms

    func lookUp(
        _ name: FormName,
        of original: StoredRecord,
        _ completion: @escaping @Sendable (StoredRendition?) -> Void
    ) {
        whenKnown { completion(self.rendition(name, of: original)) }
    }

    /// A form that is whole, and of this very original.
    private func rendition(_ name: FormName, of original: StoredRecord) -> StoredRendition? {
        let uri = original.uri
        guard case .open(let statements) = phase, !pendingDeletes.contains(uri.bytes) else { return nil }
        let key = RecordKey(name, of: original, seed: statements.seed)
        let removals = removals.snapshot
        guard let row = try? rows(statements.rendition.bind(1, blob: key.bytes)).first else { return nil }
        guard row.format == RecordCoding.format, row.head.sum == row.sum else { return drop(row, uri) }
        guard row.head.uri == uri.bytes, row.head.partition == original.partition.bytes,
            row.head.selection == original.selection, row.head.fingerprint == name.bytes,
            row.head.requestFields == OriginalBinding.bytes(of: original), !removals.cover(uri, row: row.id)
        else { return nil }
        guard let body = body(of: row, uri), let rendition = row.head.storedRendition(body) else {
            return drop(row, uri)
        }
        uses.touch(row.id)
        return rendition
    }

    func listRenditions(of uri: TargetURI, _ completion: @escaping @Sendable ([StoredRenditionSummary]) -> Void) {
        whenKnown { completion(self.renditions(of: uri)) }
    }

    private func renditions(of uri: TargetURI) -> [StoredRenditionSummary] {
        guard case .open(let statements) = phase, !pendingDeletes.contains(uri.bytes) else { return [] }
        let range = RecordKey.range(uri, seed: statements.seed)
        let removals = removals.snapshot
        let list = statements.renditions.bind(1, blob: range.low).bind(2, blob: range.high).bind(3, text: uri.bytes)
        var renditions: [StoredRenditionSummary] = []
        try? list.forEachRow {
            guard !removals.cover(uri, row: list.integer(6)) else { return }
            renditions.append(
                StoredRenditionSummary(
                    partition: Partition(bytes: list.bytes(0)),
                    selection: list.bytes(1),
                    name: FormName(bytes: list.bytes(2)),
                    fields: RecordCoding.decode(list.bytes(3)) ?? Fields(),
                    count: list.integer(4),
                    madeAt: HTTPDate(seconds: list.integer(5))
                )
            )
        }
        return renditions
    }

    // MARK: Bodies

    private func body(of row: Row, _ uri: TargetURI) -> RecordBody? {
        let head = row.head
        guard head.file != 0 else {
            guard let body = row.body, Int64(body.count) == head.size else { return nil }
            guard Checksum.sum(body) == UInt64(bitPattern: head.bodySum) else { return nil }
            return .bytes(body)
        }
        guard case .open(let statements) = phase, let file = try? statements.directory.openBody(head.file),
            file.count == head.size
        else { return nil }
        return .file(
            StoredBodyFile(
                number: head.file,
                file: file,
                count: head.size,
                blockSums: RecordCoding.decodeSums(head.blockSums),
                ticket: nil,
                worker: files,
                onDamage: { [writeQueue, id = row.id] in _ = writeQueue.add(.dropDamaged(uri, row: id)) }
            )
        )
    }

    // MARK: Listings

    func list(
        after cursor: Int64,
        limit: Int,
        without hidden: HiddenChanges,
        _ completion: @escaping @Sendable (StoredPage) -> Void
    ) {
        whenKnown { completion(self.page(after: cursor, limit: limit, without: hidden)) }
    }

    /// Rows in the order of their keys, so that those of one URI stand together and nothing moves them.
    ///
    /// Looks at `limit` rows, so that look-ups never wait for long; those that are about to go are left out.
    private func page(after cursor: Int64, limit: Int, without hidden: HiddenChanges) -> StoredPage {
        var page = StoredPage([], next: nil)
        guard case .open(let statements) = phase else { return page }
        let list = statements.list
        let removals = removals.snapshot
        do {
            try list.bind(1, blob: RecordKey.end(ofListed: cursor)).bind(2, Int64(limit)).forEachRow {
                let place = RecordKey.listed(list.bytes(0))
                page.next = place
                guard place != page.entries.last?.id, let uri = TargetURI(canonical: list.bytes(1)),
                    !pendingDeletes.contains(uri.bytes), !hidden.contains(uri.bytes),
                    !removals.cover(uri, row: list.integer(10)), mayServe(list.bytes(2))
                else { return }
                page.entries.append(
                    StoredSummary(
                        id: place,
                        uri: uri,
                        partition: Partition(bytes: list.bytes(2)),
                        status: UInt16(clamping: list.integer(3)),
                        count: list.integer(4),
                        fields: RecordCoding.decode(list.bytes(7)),
                        requestTime: HTTPDate(seconds: list.integer(8)),
                        responseTime: HTTPDate(seconds: list.integer(5)),
                        isInvalidated: list.integer(6) != 0,
                        extent: ContentExtent(text: list.bytes(9)[...])
                    )
                )
            }
        } catch {
            // What could be read is the page; rows that cannot be read are found when they are looked up.
        }
        return page
    }

    // MARK: Keys

    /// Keys looked at in one step.
    private static let walkStep = 1000

    /// Tells the filter of all keys there are, a page at a time between other work.
    ///
    /// To be called when whatever was queued for the writer before the walk was announced is done.
    /// - Parameter thread: the reader's.
    func walkKeys(_ number: Int, on thread: WorkerThread) {
        thread.submit { self.walkKeys(number, after: [], on: thread) }
    }

    private func walkKeys(_ number: Int, after last: [UInt8], on thread: WorkerThread) {
        guard case .open(let statements) = phase else { return }
        var keys: [UInt64] = []
        var end: [UInt8]?
        do {
            try statements.keys.bind(1, blob: last).bind(2, Int64(Self.walkStep)).forEachRow {
                let key = statements.keys.bytes(0)
                keys.append(UInt64(bigEndian: key.prefix(8)))
                end = key
            }
        } catch {
            return filter.end()
        }
        guard filter.take(keys, of: number) else { return }
        guard let end, keys.count == Self.walkStep else { return filter.finish(number) }
        thread.submit { self.walkKeys(number, after: end, on: thread) }
    }
}
