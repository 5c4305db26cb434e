import Glibc
import HTTPCore
import Platform
import ResourceCore
import Transforms

/// Writes the database; only ever runs on the writer's thread.
///
/// Changes come in batches, one transaction each. Before a transaction, room in the limit and in the log is made sure of;
/// callbacks, moves and removals of files come after COMMIT.
final class Writer: @unchecked Sendable {
    // The writer's thread makes `@unchecked Sendable` true: everything here is used on it only.
    /// Another one once the directory was replaced; see `current`.
    var directory: StoreDirectory { current.value }
    let current: CurrentDirectory
    let budget: Budget
    let space: DiskBudget
    let uses: UseBits
    let pendingDeletes: PendingDeletes
    let removals: Removals
    let counters: StoreCounters
    let writeQueue: WriteQueue
    let numbers: RowIDs
    let files: WorkerThread
    let credentialFields: [[UInt8]]
    let configuration: StoreConfiguration
    let hasher: CredentialHasher
    let review: Review
    var connection: WriterConnection?
    /// Moves reading to a new database, or ends it; waits until that is done.
    let setReader: @Sendable (StoreDirectory?) -> Void
    /// Has the writer do something later, before what waits then.
    let schedule: @Sendable (Duration, @escaping @Sendable (Writer) -> Void) -> Void
    /// Told of a database that was opened: its seed, and the rows in it.
    let didOpen: @Sendable (_ seed: UInt64, _ entries: Int64) -> Void

    /// What body files with rows take, as `meta` has it after the next transaction.
    var fileBytes: Int64 = 0
    /// Rows there are.
    var entries: Int64 = 0
    /// Files to forget in the next transaction: their removal is done.
    var removedFiles: [(file: Int64, size: Int64)] = []
    /// What the running transaction will do to files after COMMIT.
    var afterCommit = FileChanges()
    var shelves: [Int: Int64] = [:]
    var hasBallast = false
    /// How long to wait before the disk is tried again; doubles as long as it refuses.
    var probeDelay: Duration
    var maximumPages: Int64 = 0
    var openError: StoreError?
    /// Of the database that was opened last: another one may come to stand in its place.
    var databaseIdentity: FileIdentity?
    /// The directory that was open was removed or replaced, and nothing could be opened in its place yet.
    var isAbandoned = false
    /// The database could not be opened, and what is in it was to be removed: it goes before it is opened again.
    var isCondemned = false
    /// Removals under way, one after the other.
    var walks: [RemovalWalk] = []
    /// How often to look whether another program still locks the database.
    let lockRetryDelay: Duration
    /// How long a change waits for a lock at first.
    let lockPatience: Duration
    var isLockRetryDue = false
    /// The store is being closed, and has waited for another program for long enough.
    var isOutOfPatience = false
    /// What happened after a COMMIT; dealt with when the batch has been answered.
    var trouble: DatabaseError?
    /// Forms of one variant.
    private static let formLimit = 16

    struct FileChanges {
        var doomed: [(file: Int64, size: Int64)] = []
        var stored: [(body: StoredBodyFile, size: Int64)] = []
        var addedEntries: Int64 = 0
    }

    init(
        directory: CurrentDirectory,
        hasher: CredentialHasher,
        review: Review,
        space: DiskBudget,
        uses: UseBits,
        pendingDeletes: PendingDeletes,
        removals: Removals,
        counters: StoreCounters,
        writeQueue: WriteQueue,
        numbers: RowIDs,
        files: WorkerThread,
        configuration: StoreConfiguration,
        setReader: @escaping @Sendable (StoreDirectory?) -> Void,
        schedule: @escaping @Sendable (Duration, @escaping @Sendable (Writer) -> Void) -> Void,
        didOpen: @escaping @Sendable (_ seed: UInt64, _ entries: Int64) -> Void
    ) {
        current = directory
        self.hasher = hasher
        self.review = review
        self.configuration = configuration
        self.budget = space.budget
        self.space = space
        self.uses = uses
        self.pendingDeletes = pendingDeletes
        self.removals = removals
        self.counters = counters
        self.writeQueue = writeQueue
        self.numbers = numbers
        self.files = files
        credentialFields = configuration.credentialFields
        probeDelay = configuration.firstRetryDelay
        lockRetryDelay = configuration.lockRetryDelay
        lockPatience = configuration.lockPatience
        self.setReader = setReader
        self.schedule = schedule
        self.didOpen = didOpen
    }

    /// Does all that is queued.
    func drain() {
        while let work = writeQueue.take() {
            let time = ContinuousClock().measure {
                switch work {
                case .control(let run): run(self)
                case .reading(let read): read(HiddenChanges())
                case .rows(let rows): process(rows)
                case .excess(let rows): giveUp(rows)
                }
            }
            counters.change { $0.longestWrite = max($0.longestWrite, time) }
        }
        report()
    }

    // MARK: Batches

    private func process(_ rows: [RowOperation]) {
        var outcomes = [Int?](repeating: nil, count: rows.count)
        if connection != nil {
            guard let made = attempt(rows) else { return waitForLock(with: rows) }
            outcomes = made
        } else {
            suppress(rows)
            if case .disabled = counters.state { outcomes = rows.map(\.outcomeOfLoss) }
        }
        end(rows, outcomes)
        if let error = trouble {
            trouble = nil
            didFail(error)
        }
    }

    func end(_ rows: [RowOperation], _ outcomes: [Int?]) {
        writeQueue.didEnd(rows)
        report()
        for (row, outcome) in zip(rows, outcomes) { answer(row, outcome) }
    }

    /// Tells the caller: nil means given up, else the number of rows changed.
    private func answer(_ row: RowOperation, _ outcome: Int?) {
        switch row {
        case .commit(_, let durable), .freshen(_, let durable), .invalidate(_, let durable),
            .commitRendition(_, _, let durable):
            durable(outcome != nil)
        case .remove(_, let completion): completion(outcome ?? 0)
        case .removeVariant, .dropDamaged, .dropUnreadable: break
        }
    }

    /// Runs the batch; when the disk refuses, once more without records.
    ///
    /// When that fails too, look-ups no longer find what was to change. A removal somebody waits for is a promise: for that
    /// the database goes.
    ///
    /// Nil: another program has locked the database, and the batch is to wait for it.
    private func attempt(_ rows: [RowOperation]) -> [Int?]? {
        do {
            return try run(rows, storing: counters.state == .ok)
        } catch {
            if mayWait(for: error) { return nil }
            if error.isDamage {
                setAside(error)
                return rows.map(\.outcomeOfLoss)
            }
            diskRefused(error.message)
        }
        do {
            return try run(rows, storing: false)
        } catch {
            if mayWait(for: error) { return nil }
            if error.isDamage || pendingDeletes.isFull || rows.contains(where: \.isPromise) {
                setAside(error)
                return rows.map(\.outcomeOfLoss)
            }
            suppress(rows)
            return rows.map { _ in nil }
        }
    }

    /// Hides what these changes would have removed or changed until it can be.
    func suppress(_ rows: [RowOperation]) {
        if case .disabled = counters.state { return }
        for row in rows { pendingDeletes.add(row.uri.bytes, row.isInvalidation ? .mark : .remove) }
    }

    private func run(_ rows: [RowOperation], storing: Bool) throws(DatabaseError) -> [Int?] {
        guard let connection else { return rows.map { _ in nil } }
        let entries = storing ? rows.map(prepare) : rows.map { _ in nil }
        let frames = rows.reduce(16) { $0 + $1.frames }
        let bytes = rows.reduce(Int64(0)) { $0 + $1.pagesNeeded * Budget.pageSize }
        var mayStore = storing
        if storing, try !makeDatabaseRoom(bytes) { mayStore = false }
        guard try makeLogRoom(frames) else {
            throw Self.logIsFull
        }
        if !mayStore, storing { counters.change { $0.refused += Int64(entries.count { $0 != nil }) } }
        do {
            return try commit(connection) { () throws(DatabaseError) -> [Int?] in
                var outcomes: [Int?] = []
                for (row, entry) in zip(rows, entries) {
                    outcomes.append(try apply(row, mayStore ? entry : nil, connection))
                }
                return outcomes
            }
        } catch {
            guard storing, error.isRefusal, try connection.pageCount() >= maximumPages - 8 else { throw error }
            // Not the disk but the cap: more pages were needed than reckoned.
            guard try makeDatabaseRoom(bytes * 4 + 64 * Budget.pageSize) else { return try run(rows, storing: false) }
            return try commit(connection) { () throws(DatabaseError) -> [Int?] in
                var outcomes: [Int?] = []
                for (row, entry) in zip(rows, entries) { outcomes.append(try apply(row, entry, connection)) }
                return outcomes
            }
        }
    }

    /// One transaction with what belongs to it: removed files are forgotten, sums of files kept; files follow COMMIT.
    func commit<R>(
        _ connection: WriterConnection,
        _ body: () throws(DatabaseError) -> R
    ) throws(DatabaseError) -> R {
        afterCommit = FileChanges()
        let forgotten = removedFiles
        let newFileBytes = fileBytes - forgotten.reduce(0) { $0 + Budget.fileCost($1.size) }
        let result = try connection.transaction { () throws(DatabaseError) -> R in
            for removed in forgotten { try connection.forgetDoomed(removed.file) }
            let result = try body()
            let added = afterCommit.stored.reduce(Int64(0)) { $0 + Budget.fileCost($1.size) }
            if added != 0 || newFileBytes != fileBytes {
                try connection.setFigure("file_bytes", newFileBytes + added)
            }
            if afterCommit.addedEntries != 0 {
                try connection.setFigure("entries", entries + afterCommit.addedEntries)
            }
            return result
        }
        entries += afterCommit.addedEntries
        removedFiles.removeFirst(forgotten.count)
        fileBytes = newFileBytes + afterCommit.stored.reduce(0) { $0 + Budget.fileCost($1.size) }
        moveFiles()
        settle(connection)
        return result
    }

    // MARK: Changes

    /// A record ready for its row.
    private struct Entry {
        var head: RowHead
        var body: [UInt8]?
        var file: StoredBodyFile?
    }

    /// What goes into the row of a commit; nil if the record is not to be stored.
    private func prepare(_ row: RowOperation) -> Entry? {
        switch row {
        case .commit(let record, _):
            bearsCredentials(record) ? nil : entry(RowHead(record), record.body)
        case .commitRendition(let rendition, let original, _):
            connection.flatMap { connection in
                bearsCredentials(original)
                    ? nil : entry(RowHead(rendition, of: original, seed: connection.seed), rendition.body)
            }
        case .freshen, .invalidate, .removeVariant, .remove, .dropDamaged, .dropUnreadable:
            nil
        }
    }

    private func entry(_ plain: RowHead, _ body: RecordBody) -> Entry? {
        var head = plain
        head.size = body.count
        guard head.size <= budget.maximumObjectSize else { return nil }
        switch body {
        case .bytes(let bytes):
            if head.size > Int64(Budget.inlineLimit) {
                guard let file = writeWhole(bytes) else { return nil }
                return entry(head, in: file)
            }
            head.bodySum = Int64(bitPattern: Checksum.sum(bytes))
            return Entry(head: head, body: bytes)
        case .file(let file):
            guard let file = file as? StoredBodyFile else { return nil }
            return entry(head, in: file)
        }
    }

    private func entry(_ plain: RowHead, in file: StoredBodyFile) -> Entry {
        var head = plain
        head.file = file.number
        head.blockSums = RecordCoding.encode(file.blockSums)
        return Entry(head: head, file: file)
    }

    /// Whether a part of the record is a credential: such a record stays in memory (H-158).
    private func bearsCredentials(_ record: StoredRecord) -> Bool {
        // What belongs to a credential stays there, too, where it is to.
        if !configuration.keepsPrivate, record.partition != .shared { return true }
        let known: [KnownField] = [.authorization, .proxyAuthorization, .cookie, .setCookie]
        for fields in [record.fields, record.requestFields] {
            if known.contains(where: fields.contains) { return true }
            if credentialFields.contains(where: { !fields.values(named: $0).isEmpty }) { return true }
        }
        return false
    }

    /// The number of rows changed, or nil for a record or freshening that was given up.
    private func apply(
        _ row: RowOperation,
        _ entry: Entry?,
        _ connection: WriterConnection
    ) throws(DatabaseError) -> Int? {
        switch row {
        case .commit(let record, _):
            let key = RecordKey(record.uri, record.partition, record.selection, seed: connection.seed)
            let previous = try connection.row(key)
            guard let entry, isUsable(entry, replacing: previous) else {
                // What is stored under this key is older than what the caller holds.
                if let previous { try delete(previous, connection) }
                try deleteRenditions(of: record, connection)
                return nil
            }
            if let previous {
                try delete(previous, connection, keeping: entry.head.file)
                try deleteRenditions(of: record, connection)
            }
            try insert(entry, key, replacing: previous, vary: record.fields.combined(.vary) ?? [], connection)
            return 1
        case .commitRendition(let rendition, let original, _):
            guard let entry, try connection.binding(of: original) == entry.head.requestFields else { return nil }
            let key = RecordKey(rendition.name, of: original, seed: connection.seed)
            let previous = try connection.row(key)
            guard isUsable(entry, replacing: previous) else { return nil }
            try makeRoom(for: rendition.name, of: original, connection)
            if let previous { try delete(previous, connection, keeping: entry.head.file) }
            try insert(entry, key, replacing: previous, vary: [], connection)
            return 1
        case .freshen(let record, _):
            guard !bearsCredentials(record) else {
                let key = RecordKey(record.uri, record.partition, record.selection, seed: connection.seed)
                if let previous = try connection.row(key) { try delete(previous, connection) }
                try deleteRenditions(of: record, connection)
                return nil
            }
            guard let id = try connection.freshen(record, vary: record.fields.combined(.vary) ?? []) else { return 0 }
            uses.touch(id)
            return 1
        case .invalidate(let uri, _):
            try connection.invalidate(uri)
            return 1
        case .removeVariant(let uri, let partition, let selection):
            for rendition in try connection.renditions(of: uri, partition, selection) {
                try delete(rendition.place, connection)
            }
            guard let row = try connection.row(RecordKey(uri, partition, selection, seed: connection.seed)) else {
                return 0
            }
            try delete(row, connection)
            return 1
        case .remove(let uri, _), .dropUnreadable(let uri):
            let rows = try connection.rows(of: uri)
            for row in rows { try delete(row, connection) }
            return rows.count { $0.rendition == 0 }
        case .dropDamaged(_, let id):
            guard let row = try connection.row(id: id) else { return 0 }
            try delete(row, connection)
            counters.change { $0.damaged += 1 }
            return 1
        }
    }

    private func insert(
        _ entry: Entry,
        _ key: RecordKey,
        replacing previous: WriterConnection.RowPlace?,
        vary: [UInt8],
        _ connection: WriterConnection
    ) throws(DatabaseError) {
        try connection.insert(entry.head, id: numbers.next(), key: key, vary: vary, body: entry.body)
        afterCommit.addedEntries += 1
        if let file = entry.file, previous?.file != file.number { afterCommit.stored.append((file, entry.head.size)) }
    }

    /// What was made of a record goes with it.
    private func deleteRenditions(of record: StoredRecord, _ connection: WriterConnection) throws(DatabaseError) {
        for rendition in try connection.renditions(of: record.uri, record.partition, record.selection) {
            try delete(rendition.place, connection)
        }
    }

    /// Removes forms of other pipelines, and the oldest where there are too many.
    private func makeRoom(
        for name: FormName,
        of original: StoredRecord,
        _ connection: WriterConnection
    ) throws(DatabaseError) {
        let renditions = try connection.renditions(of: original.uri, original.partition, original.selection)
            .filter { $0.name != name }
        let current = renditions.filter { $0.name.pipeline == name.pipeline }
        let excess = current.prefix(max(0, current.count + 1 - Self.formLimit))
        for rendition in renditions.filter({ $0.name.pipeline != name.pipeline }) + excess {
            try delete(rendition.place, connection)
        }
    }

    /// A file may get one row: as a draft of this database, or again in the place it has.
    private func isUsable(_ entry: Entry, replacing previous: WriterConnection.RowPlace?) -> Bool {
        guard let file = entry.file else { return true }
        if previous?.file == file.number { return true }
        guard let ticket = file.ticket, ticket.epoch == numbers.epoch, ticket.reserved > 0 else { return false }
        return !afterCommit.stored.contains { $0.body.number == file.number }
    }

    func delete(
        _ row: WriterConnection.RowPlace,
        _ connection: WriterConnection,
        keeping file: Int64 = 0
    ) throws(DatabaseError) {
        try connection.delete(row)
        afterCommit.addedEntries -= 1
        guard row.file != 0, row.file != file else { return }
        try connection.doom(row.file, size: row.size)
        afterCommit.doomed.append((row.file, row.size))
    }
}

extension RowOperation {
    /// What to answer when the database was lost: nothing is stored, and nothing is left to remove.
    var outcomeOfLoss: Int? {
        switch self {
        case .commit, .commitRendition, .freshen: nil
        case .invalidate, .removeVariant, .remove, .dropDamaged, .dropUnreadable: 0
        }
    }

    /// Whether somebody is told that it has been done.
    var isPromise: Bool {
        if case .remove = self { true } else { false }
    }

    /// Pages the database may grow by.
    fileprivate var pagesNeeded: Int64 {
        switch self {
        case .commit, .commitRendition: bytes / Budget.pageSize + 3
        case .freshen: 1
        case .invalidate, .removeVariant, .remove, .dropDamaged, .dropUnreadable: 0
        }
    }
}
