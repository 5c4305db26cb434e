import HTTPCaching
import HTTPCore
import RecordFormat

/// Removals in progress, each of all URIs that satisfy a condition.
///
/// Each walks over all rows, or over the rows of questions to one target. The writer makes a step between batches. Used
/// on its thread only; other threads see `Removals`.
struct RemovalWalks {
    /// The number of rows in one step.
    private static let page = 500
    /// At most this many walks share a step.
    private static let together = 16

    struct Walk {
        /// Its number in `Removals`.
        let number: Int
        let condition: @Sendable (TargetURI) -> Bool
        let completion: @Sendable (Int) -> Void
        /// The database in which it began.
        let epoch: Int
        /// Rows with this id or a higher one came later.
        let bound: Int64
        /// The keys that may satisfy the condition; nil: all.
        var keys: (low: [UInt8], high: [UInt8])?
        /// The rows with one of these tags; nil: all.
        var tags: TagCursor?
        /// The last row that was checked.
        fileprivate(set) var last: Int64 = 0
        fileprivate(set) var removed = 0

        fileprivate var checksAll: Bool { keys == nil && tags == nil }
    }

    /// In the order of the calls.
    private var walks: [Walk] = []

    var isEmpty: Bool { walks.isEmpty }
    var count: Int { walks.count }
    /// The epoch of the oldest walk's database.
    var epoch: Int? { walks.first?.epoch }

    mutating func add(_ walk: Walk) { walks.append(walk) }

    /// Checks the next page for the oldest walk, and for walks at the same position.
    ///
    /// So removals that were requested meanwhile share one pass. Returns the walks that have ended.
    mutating func step(in database: WritableDatabase) throws(DatabaseError) -> [Walk] {
        guard let first = walks.first else { return [] }
        if first.tags != nil { return try stepByTag(in: database).map { [$0] } ?? [] }
        if let keys = first.keys { return try step(in: database, keys).map { [$0] } ?? [] }
        let last = first.last
        let page = try database.connection.entries.rows(after: last, limit: Self.page)
        var rest = page.map { (row: $0.row, uri: TargetURI(canonical: $0.uri.span)) }
        // They all began after the oldest one, so in the same database.
        for index in walks.indices.filter({ walks[$0].last == last && walks[$0].checksAll }).prefix(Self.together) {
            let walk = walks[index]
            let isMeant = rest.map { $0.row.id < walk.bound && $0.uri.map(walk.condition) ?? true }
            let meant = zip(rest, isMeant).filter(\.1).map(\.0.row)
            rest = zip(rest, isMeant).filter { !$0.1 }.map(\.0)
            walks[index].removed += try database.removeAll(meant)
            walks[index].last = page.last?.row.id ?? .max
        }
        let ended = walks.filter { $0.last >= $0.bound }
        walks.removeAll { $0.last >= $0.bound }
        return ended
    }

    /// The next page of the oldest walk, which has keys; returns it if it has ended.
    private mutating func step(
        in database: WritableDatabase,
        _ keys: (low: [UInt8], high: [UInt8])
    ) throws(DatabaseError) -> Walk? {
        let page = try database.connection.entries.rows(from: keys.low, to: keys.high, limit: Self.page)
        let walk = walks[0]
        let meant = page.filter {
            $0.row.id < walk.bound && TargetURI(canonical: $0.uri.span).map(walk.condition) ?? true
        }
        walks[0].removed += try database.removeAll(meant.map(\.row))
        guard page.count == Self.page, let last = page.last?.row.key else { return endOldest() }
        walks[0].keys?.low = last.successor
        return nil
    }

    /// The next page of the oldest walk, which has tags; returns it if it has ended.
    private mutating func stepByTag(in database: WritableDatabase) throws(DatabaseError) -> Walk? {
        guard let cursor = walks[0].tags, let hash = cursor.hashes.first else { return endOldest() }
        let table = database.connection.tags
        let page = try table.rows(with: hash, after: cursor.last, below: walks[0].bound, limit: Self.page)
        var meant: [RowReference] = []
        for found in page {
            // Another tag may have the same hash.
            guard let uri = TargetURI(canonical: found.uri.span), let fields = RecordCoding.decode(found.fields),
                cursor.tags.contains(anyOf: fields, from: uri)
            else { continue }
            meant.append(found.row)
            let renditions = try database.connection.entries.renditions(of: uri, found.partition, found.selection)
            for rendition in renditions { meant.append(rendition.row) }
        }
        walks[0].removed += try database.removeAll(meant)
        walks[0].tags?.advance(behind: page.count == Self.page ? page.last?.row.id : nil)
        return nil
    }

    /// Removes the oldest walk: it cannot continue.
    mutating func endOldest() -> Walk? { walks.isEmpty ? nil : walks.removeFirst() }
}

extension [UInt8] {
    /// The next larger array of the same length; the same if there is none.
    fileprivate var successor: [UInt8] {
        guard let index = lastIndex(where: { $0 < .max }) else { return self }
        return self[..<index] + [self[index] + 1] + [UInt8](repeating: 0, count: count - index - 1)
    }
}
