import HTTPCaching
import HTTPCore
import Platform
import RecordFormat
import Stores
import Transforms

/// Looks up and lists records on a thread and a connection of its own, so no look-up waits for a batch.
final class Reader: @unchecked Sendable {
    // The reader's thread makes `@unchecked Sendable` true: everything here is used on it only.
    private enum Phase {
        /// It is not known yet whether there is a database; the jobs wait for that.
        case waiting([@Sendable () -> Void])
        case open(ReaderConnection)
        case closed
    }

    private let parts: StoreParts
    private var phase = Phase.waiting([])
    private let restorer = ContentRestorer()

    init(_ parts: StoreParts) { self.parts = parts }

    /// Reads from the database in `directory` from now on; from none if it is nil.
    func use(_ directory: StoreDirectory?) {
        var waiting: [@Sendable () -> Void] = []
        if case .waiting(let jobs) = phase { waiting = jobs }
        phase = .closed
        if let directory, let connection = try? ReaderConnection(in: directory) { phase = .open(connection) }
        for job in waiting { job() }
    }

    /// Runs `job` now, or once it is known whether there is a database.
    private func whenKnown(_ job: @escaping @Sendable () -> Void) {
        switch phase {
        case .waiting(let jobs): phase = .waiting(jobs + [job])
        case .open, .closed: job()
        }
    }

    private var connection: ReaderConnection? {
        if case .open(let connection) = phase { connection } else { nil }
    }

    /// The connection; nil if the rows of `uri` are pending deletes.
    private func connection(for uri: TargetURI) -> ReaderConnection? {
        parts.pendingDeletes.contains(uri.bytes) ? nil : connection
    }

    /// Whether rows of this partition are found; those of credentials may still wait for the review that removes them.
    private func mayServe(_ partition: [UInt8]) -> Bool { parts.configuration.keepsPrivate || partition.isEmpty }

    // MARK: Records

    func lookUp(_ uri: TargetURI, _ completion: @escaping @Sendable ([StoredRecord]) -> Void) {
        whenKnown {
            let began = ContinuousClock.now
            let records = self.records(of: uri)
            let time = ContinuousClock.now - began
            self.parts.counters.change { statistics in
                statistics.longestLookUp = max(statistics.longestLookUp, time)
                if records.isEmpty { statistics.misses += 1 } else { statistics.hits += 1 }
            }
            completion(records)
        }
    }

    private func records(of uri: TargetURI) -> [StoredRecord] {
        guard let connection = connection(for: uri) else { return [] }
        let removals = parts.removals.snapshot
        do {
            return try connection.originals(of: uri).compactMap { record($0, of: uri, removals, connection) }
        } catch {
            if error.isDamage { _ = parts.writeQueue.add(.dropUnreadable(uri)) }
            return []
        }
    }

    /// Makes the record of a row; drops a damaged one.
    private func record(
        _ row: ReaderConnection.Row,
        of uri: TargetURI,
        _ removals: Removals.Snapshot,
        _ connection: ReaderConnection
    ) -> StoredRecord? {
        guard row.isSound else { return drop(row, uri) }
        // Another URI may have the same hash.
        guard row.head.uri == uri.bytes, mayServe(row.head.partition),
            !removals.cover(uri, row: row.id, RecordCoding.decode(row.head.fields))
        else { return nil }
        guard let body = body(of: row, uri, connection), let record = row.head.record(body) else {
            return drop(row, uri)
        }
        parts.uses.touch(row.id)
        return record
    }

    private func drop<Found>(_ row: ReaderConnection.Row, _ uri: TargetURI) -> Found? {
        _ = parts.writeQueue.add(.dropDamaged(uri, row: row.id))
        return nil
    }

    private func body(of row: ReaderConnection.Row, _ uri: TargetURI, _ connection: ReaderConnection) -> RecordBody? {
        let head = row.head
        guard head.file != 0 else {
            guard let content = row.content(restorer), Int64(content.count) == head.size else { return nil }
            return Checksum.sum(content) == UInt64(bitPattern: head.bodySum) ? .bytes(content) : nil
        }
        guard let file = try? connection.directory.openBody(head.file), file.count == head.size else { return nil }
        return .file(
            StoredBodyFile(
                number: head.file,
                file: file,
                count: head.size,
                blockSums: RecordCoding.decodeSums(head.blockSums),
                ticket: nil,
                worker: parts.filesThread,
                onDamage: { [queue = parts.writeQueue, id = row.id] in _ = queue.add(.dropDamaged(uri, row: id)) }
            )
        )
    }

    // MARK: Transformed responses

    func lookUp(
        _ name: RenditionName,
        of original: StoredRecord,
        _ completion: @escaping @Sendable (StoredRendition?) -> Void
    ) {
        whenKnown { completion(self.rendition(name, of: original)) }
    }

    /// The transformed response with this name, if it is undamaged and bound to this original.
    private func rendition(_ name: RenditionName, of original: StoredRecord) -> StoredRendition? {
        let uri = original.uri
        guard let connection = connection(for: uri) else { return nil }
        let removals = parts.removals.snapshot
        guard let row = try? connection.rendition(name, of: original) else { return nil }
        guard row.isSound else { return drop(row, uri) }
        guard row.head.uri == uri.bytes, row.head.partition == original.partition.bytes,
            row.head.selection == original.selection, row.head.fingerprint == name.bytes,
            row.head.requestFields == OriginalBinding.bytes(of: original),
            !removals.cover(uri, row: row.id, original.fields)
        else { return nil }
        guard let body = body(of: row, uri, connection), let rendition = row.head.storedRendition(body) else {
            return drop(row, uri)
        }
        parts.uses.touch(row.id)
        return rendition
    }

    func listRenditions(of uri: TargetURI, _ completion: @escaping @Sendable ([StoredRenditionSummary]) -> Void) {
        whenKnown { completion(self.renditions(of: uri)) }
    }

    private func renditions(of uri: TargetURI) -> [StoredRenditionSummary] {
        guard let connection = connection(for: uri) else { return [] }
        let removals = parts.removals.snapshot
        let renditions = (try? connection.renditions(of: uri)) ?? []
        return renditions.filter { !removals.cover(uri, row: $0.id, nil) }.map(\.summary)
    }

    // MARK: Listings

    /// After how many rows a listing looks at the clock.
    private static let listingRows = 32

    /// Lists records in the order of their ids, which is that of the table: one page of the file after the other.
    ///
    /// Reads `limit` rows, in steps, so that no look-up waits long. Leaves out rows that are about to be removed.
    /// - Parameter thread: the reader's thread.
    func list(
        _ listing: RowListing,
        on thread: WorkerThread,
        _ completion: @escaping @Sendable (StoredPage) -> Void
    ) {
        whenKnown { self.goOn(listing, on: thread, completion) }
    }

    private func goOn(
        _ listing: RowListing,
        on thread: WorkerThread,
        _ completion: @escaping @Sendable (StoredPage) -> Void
    ) {
        var listing = listing
        read(&listing)
        let isSubmitted =
            listing.rest > 0 && thread.submit { [listing] in self.goOn(listing, on: thread, completion) }
        if !isSubmitted { completion(listing.page) }
    }

    /// Reads rows for a while.
    private func read(_ listing: inout RowListing) {
        guard let connection else { return listing.end() }
        let removals = parts.removals.snapshot
        let end = ContinuousClock.now + parts.configuration.listingTime
        var count = 0
        var isInTime = true
        do throws(DatabaseError) {
            try connection.forEachOriginal(after: listing.last, limit: listing.rest) { row in
                listing.pass(row.id)
                if let entry = entry(row, of: listing, removals, connection) { listing.add(entry) }
                count += 1
                if count % Self.listingRows == 0 { isInTime = ContinuousClock.now < end }
                return isInTime
            }
            if isInTime, listing.rest > 0 { listing.end() }
        } catch {
            // The page has the rows that could be read. A look-up detects the others.
            listing.stop()
        }
    }

    /// The entry of a row; nil if the listing does not want it, or an earlier row stands for its URI.
    private func entry(
        _ row: ReaderConnection.ListedRow,
        of listing: RowListing,
        _ removals: Removals.Snapshot,
        _ connection: ReaderConnection
    ) -> StoredSummary? {
        let test = listing.test
        let candidate = row.withURI { test.uri(of: $0, status: row.status, contentBytes: row.count) }
        guard let uri = candidate, !parts.pendingDeletes.contains(uri.bytes), !listing.hidden.contains(uri.bytes)
        else { return nil }
        func isFound(_ id: Int64, _ partition: [UInt8], _ fields: [UInt8]) -> Bool {
            mayServe(partition) && !removals.cover(uri, row: id, RecordCoding.decode(fields))
        }
        guard isFound(row.id, row.partition, row.fields) else { return nil }
        let summary = row.summary(of: uri)
        // The search for earlier rows costs most, so it comes last.
        guard test.wants(summary) else { return nil }
        // If it fails, the URI is listed again: better twice than never.
        let earlier = (try? connection.originals(of: uri, before: row.id)) ?? []
        return earlier.contains(where: isFound) ? nil : summary
    }

    // MARK: Tags

    /// The number of rows in one step.
    private static let tagStep = 100

    /// Lists the URIs of originals with one of these tags, in steps, so that no look-up waits long.
    func list(
        taggedBy tags: Set<CacheTag>,
        without hidden: HiddenChanges,
        on thread: WorkerThread,
        _ then: @escaping @Sendable ([TargetURI]) -> Void
    ) {
        whenKnown {
            guard let connection = self.connection else { return then([]) }
            self.goOn(TagListing(TagCursor(tags, seed: connection.seed), hidden), on: thread, then)
        }
    }

    private func goOn(
        _ listing: TagListing,
        on thread: WorkerThread,
        _ then: @escaping @Sendable ([TargetURI]) -> Void
    ) {
        var listing = listing
        let hasMore = read(&listing)
        let isSubmitted = hasMore && thread.submit { [listing] in self.goOn(listing, on: thread, then) }
        if !isSubmitted { then(listing.uris) }
    }

    /// Reads a page; returns whether there may be more.
    private func read(_ listing: inout TagListing) -> Bool {
        let cursor = listing.cursor
        guard let hash = cursor.hashes.first, let connection,
            let page = try? connection.tags.rows(with: hash, after: cursor.last, below: .max, limit: Self.tagStep)
        else { return false }
        let removals = parts.removals.snapshot
        for found in page {
            guard let uri = TargetURI(canonical: found.uri.span), let fields = RecordCoding.decode(found.fields),
                cursor.tags.contains(anyOf: fields, from: uri), mayServe(found.partition.bytes),
                !parts.pendingDeletes.contains(uri.bytes), !listing.hidden.contains(uri.bytes),
                !removals.cover(uri, row: found.row.id, fields)
            else { continue }
            listing.add(uri)
        }
        listing.cursor.advance(behind: page.count == Self.tagStep ? page.last?.row.id : nil)
        return true
    }

    // MARK: Keys

    /// The number of keys in one step.
    private static let walkStep = 1000

    /// Adds all existing keys to the filter, a page at a time between other work.
    ///
    /// Call it when all work is done that was queued for the writer before the walk was announced.
    ///   - number: the number of the walk in the filter.
    ///   - thread: the reader's thread.
    ///   - thread: the reader's.
    func walkKeys(_ number: Int, on thread: WorkerThread) {
        thread.submit { self.walkKeys(number, after: [], on: thread) }
    }

    private func walkKeys(_ number: Int, after last: [UInt8], on thread: WorkerThread) {
        guard let connection else { return }
        let filter = parts.filter
        guard let keys = try? connection.keys(after: last, limit: Self.walkStep) else { return filter.end() }
        guard filter.add(keys.map { UInt64(bigEndian: $0.prefix(8)) }, of: number) else { return }
        guard let end = keys.last, keys.count == Self.walkStep else { return filter.finish(number) }
        thread.submit { self.walkKeys(number, after: end, on: thread) }
    }
}
