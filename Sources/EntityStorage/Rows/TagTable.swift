import HTTPCaching
import HTTPCore
import RecordFormat
import Stores

/// The hashes of a row's tags under the store's own seed, eight bytes each: the column `tags`.
struct TagHashes {
    let bytes: [UInt8]

    init(bytes: [UInt8] = []) { self.bytes = bytes }

    init(_ record: StoredRecord, seed: UInt64) {
        self.init(CacheTags.tags(of: record.fields, from: record.uri), seed: seed)
    }

    init(_ tags: some Sequence<CacheTag>, seed: UInt64) {
        bytes = Array(Set(tags.map { Checksum.sum($0.bytes, seed: seed) }).sorted().map(\.bigEndianBytes).joined())
    }

    var count: Int { bytes.count / 8 }

    /// The values of the column `hash`.
    var all: [Int64] { RecordCoding.decodeSums(bytes).map { Int64(bitPattern: $0) } }
}

/// The table `tag`: the rows of originals by the hashes of their tags.
final class TagTable {
    /// A row with what is needed to check its tags.
    struct FoundRow {
        let row: RowReference
        let uri: [UInt8]
        let fields: [UInt8]
        let partition: Partition
        let selection: [UInt8]
    }

    private let seed: UInt64
    private let insert: Statement
    private let delete: Statement
    private let update: Statement
    private let byHash: Statement
    private let untagged: Statement

    init(_ database: Database, seed: UInt64) throws(DatabaseError) {
        self.seed = seed
        insert = try database.prepare("INSERT OR IGNORE INTO tag VALUES(?, ?)")
        delete = try database.prepare("DELETE FROM tag WHERE hash = ? AND id = ?")
        update = try database.prepare("UPDATE entry SET tags = ? WHERE id = ?")
        byHash = try database.prepare(
            """
            SELECT \(RowReference.columns), uri, fields, partition, selection FROM tag CROSS JOIN entry USING(id)
            WHERE hash = ? AND id > ? AND id < ? ORDER BY id LIMIT ?
            """
        )
        untagged = try database.prepare(
            "SELECT id, uri, fields FROM entry WHERE id BETWEEN ? AND ? AND form = 0 AND length(tags) = 0"
        )
    }

    func add(_ tags: TagHashes, of row: Int64) throws(DatabaseError) {
        for hash in tags.all { try insert.bind(1, hash).bind(2, row).run() }
    }

    func remove(_ tags: TagHashes, of row: Int64) throws(DatabaseError) {
        for hash in tags.all { try delete.bind(1, hash).bind(2, row).run() }
    }

    /// Gives a row other tags.
    func replace(_ former: TagHashes, by tags: TagHashes, of row: Int64) throws(DatabaseError) {
        if former.bytes == tags.bytes { return }
        try remove(former, of: row)
        try add(tags, of: row)
        try update.bind(1, blob: tags.bytes).bind(2, row).run()
    }

    /// A page of the rows with this hash, in the order of ids; other tags may have the same.
    func rows(
        with hash: Int64,
        after id: Int64,
        below bound: Int64,
        limit: Int
    ) throws(DatabaseError) -> [FoundRow] {
        var rows: [FoundRow] = []
        let query = byHash.bind(1, hash).bind(2, id).bind(3, bound).bind(4, Int64(limit))
        let first = RowReference.end
        try query.forEachRow {
            rows.append(
                FoundRow(
                    row: RowReference(query),
                    uri: query.bytes(first),
                    fields: query.bytes(first + 1),
                    partition: Partition(bytes: query.bytes(first + 2)),
                    selection: query.bytes(first + 3)
                )
            )
        }
        return rows
    }

    /// Originals without tags in the column `tags` whose fields have some, with these tags.
    func untagged(_ ids: ClosedRange<Int64>) throws(DatabaseError) -> [(id: Int64, tags: TagHashes)] {
        var rows: [(id: Int64, tags: TagHashes)] = []
        let query = untagged.bind(1, ids.lowerBound).bind(2, ids.upperBound)
        try query.forEachRow {
            guard let fields = RecordCoding.decode(query.bytes(2)), CacheTags.areIn(fields),
                let uri = TargetURI(canonical: query.bytes(1).span)
            else { return }
            let tags = TagHashes(CacheTags.tags(of: fields, from: uri), seed: seed)
            if tags.count > 0 { rows.append((query.integer(0), tags)) }
        }
        return rows
    }
}

/// A position in the rows with one of several tags.
struct TagCursor {
    let tags: Set<CacheTag>
    /// The hashes whose rows are not all checked; the first is in progress.
    private(set) var hashes: ArraySlice<Int64>
    /// The last row with the first hash that was checked.
    private(set) var last: Int64 = 0

    init(_ tags: Set<CacheTag>, seed: UInt64) {
        self.tags = tags
        hashes = TagHashes(tags, seed: seed).all[...]
    }

    /// Continues behind this row; nil: with the next hash.
    mutating func advance(behind row: Int64?) {
        last = row ?? 0
        if row == nil { hashes.removeFirst() }
    }
}

extension Set<CacheTag> {
    /// Whether a response to `uri` with these fields has one of the tags.
    func contains(anyOf fields: Fields, from uri: TargetURI) -> Bool {
        !isDisjoint(with: CacheTags.tags(of: fields, from: uri))
    }
}
