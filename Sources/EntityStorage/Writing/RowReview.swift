import HTTPCaching
import HTTPCore
import RecordFormat
import Stores

/// Reviews rows from an earlier version, or from other settings.
///
/// It replaces values of selecting fields by keyed hashes, and adds tags. If `StoreConfiguration.keepsPrivate` is
/// false, it removes responses that belong to a credential. It overwrites the former bytes in place. Copies in pages
/// that SQLite had freed before remain until those pages are used again.
struct RowReview {
    private static let page = 500
    /// Frames of the log that the change of one row may need.
    private static let framesPerRow = 48

    let database: WritableDatabase
    let parts: StoreParts

    private var connection: WriterConnection { database.connection }
    private var keepsPrivate: Bool { parts.configuration.keepsPrivate }

    private struct Row {
        var reference: RowReference
        var head: RowHead
        var sum: Int64
    }

    /// Whether rows may need a review; read from the table `meta`, since a start scans nothing.
    ///
    /// It notes there that rows with credentials may be added from now on.
    func isNeeded() throws(DatabaseError) -> Bool {
        let mayHavePlainSelections = try connection.meta.number(.plainSelections) != 0
        let mayHavePrivateRows = try connection.meta.number(.privateRows) != 0
        if keepsPrivate, !mayHavePrivateRows { try connection.meta.set(.privateRows, 1) }
        let mayLackTags = try mayLackTags()
        return mayHavePlainSelections || mayHavePrivateRows && !keepsPrivate || mayLackTags
    }

    /// Reviews a page of rows; returns the id of its last one, or nil if there were no more and the review has ended.
    func reviewPage(after last: Int64) throws(DatabaseError) -> Int64? {
        guard let end = try connection.entries.rows(after: last, limit: Self.page).last?.row.id else {
            try end()
            return nil
        }
        try bringUpToDate(try rows("id BETWEEN ? AND ?") { $0.bind(1, last + 1).bind(2, end) })
        if try mayLackTags() { try tagRows(last + 1...end) }
        return end
    }

    /// Reviews the rows of one URI before all others.
    func reviewRows(of uri: TargetURI) throws(DatabaseError) {
        let range = RecordKey.range(uri, seed: connection.seed)
        try bringUpToDate(
            try rows("key BETWEEN ? AND ?") { $0.bind(1, blob: range.low).bind(2, blob: range.high) }
        )
    }

    private func end() throws(DatabaseError) {
        try database.commit { () throws(DatabaseError) in
            try connection.meta.set(.plainSelections, 0)
            try connection.meta.set(.privateRows, keepsPrivate ? 1 : 0)
            try connection.meta.set(.untaggedRows, 0)
        }
        // The log contains the former values, too.
        try connection.database.checkpoint(truncating: true)
    }

    // MARK: Tags

    private func mayLackTags() throws(DatabaseError) -> Bool { try connection.meta.number(.untaggedRows) != 0 }

    /// Adds the tags of rows from a version that kept none.
    private func tagRows(_ ids: ClosedRange<Int64>) throws(DatabaseError) {
        for part in try connection.tags.untagged(ids).chunks(of: database.logFrames / 4, size: \.tags.count) {
            try database.requireHalfOfLog()
            try database.commit { () throws(DatabaseError) in
                for row in part { try connection.tags.replace(TagHashes(), by: row.tags, of: row.id) }
            }
        }
    }

    // MARK: Rows

    private func rows(
        _ condition: String,
        _ bind: (Statement) -> Statement
    ) throws(DatabaseError) -> [Row] {
        let statement = try connection.database.prepare(
            "SELECT \(RowReference.columns), sum, \(RowHead.columns) FROM entry "
                + "WHERE \(condition) AND (length(selection) > 0 OR length(partition) > 0)"
        )
        var rows: [Row] = []
        try bind(statement).forEachRow {
            rows.append(
                Row(
                    reference: RowReference(statement),
                    head: RowHead(statement, from: RowReference.end + 1),
                    sum: statement.integer(RowReference.end)
                )
            )
        }
        return rows
    }

    private func bringUpToDate(_ rows: [Row]) throws(DatabaseError) {
        let credentials = CredentialFields(names: parts.configuration.credentialFields)
        var changes: [(row: RowReference, head: RowHead?)] = []
        for row in rows {
            if !keepsPrivate, !row.head.partition.isEmpty {
                changes.append((row.reference, nil))
            } else if let head = concealed(row, credentials) {
                changes.append((row.reference, head))
            }
        }
        guard !changes.isEmpty else { return }
        try connection.database.execute("PRAGMA secure_delete=ON")
        defer { try? connection.database.execute("PRAGMA secure_delete=OFF") }
        let step = max(1, database.logFrames / 2 / Self.framesPerRow)
        var rest = changes[...]
        while !rest.isEmpty {
            let part = rest.prefix(step)
            try database.requireLogRoom(part.count * Self.framesPerRow + 16)
            try database.commit { () throws(DatabaseError) in
                for (row, head) in part { try apply(head, to: row) }
            }
            rest = rest.dropFirst(part.count)
        }
    }

    /// The head of a row with hashes instead of values; nil if it has no values to hide.
    ///
    /// Nil also for a damaged row, which the reader drops.
    private func concealed(_ row: Row, _ credentials: CredentialFields) -> RowHead? {
        guard row.head.sum == row.sum, row.head.rendition != 0 || RecordCoding.decode(row.head.requestFields) != nil,
            let selection = SelectionPart.concealing(
                row.head.selection,
                credentials: credentials,
                digest: parts.hasher.hash
            )
        else { return nil }
        var head = row.head
        head.selection = selection
        if head.rendition == 0, let fields = RecordCoding.decode(head.requestFields) {
            var kept = Fields()
            for line in fields.lines where VaryNames.isPlain(fields.name(of: line).map(\.asciiLowercased)) {
                kept.append(name: fields.name(of: line), value: fields.value(of: line))
            }
            head.requestFields = RecordCoding.encode(kept)
        }
        return head
    }

    /// Writes `head`, or removes the row if it is nil or a newer row has its key already.
    private func apply(_ head: RowHead?, to row: RowReference) throws(DatabaseError) {
        guard let head else {
            try database.delete(row)
            return
        }
        guard let uri = TargetURI(canonical: head.uri.span) else { return }
        let key = RecordKey(
            uri,
            Partition(bytes: head.partition),
            head.selection,
            rendition: head.rendition,
            seed: connection.seed
        )
        guard try connection.entries.row(key) == nil else {
            try database.delete(row)
            return
        }
        let update = try connection.database.prepare(
            "UPDATE entry SET key = ?, selection = ?, request_fields = ?, sum = ? WHERE id = ?"
        )
        update.bind(1, blob: key.bytes).bind(2, blob: head.selection).bind(3, blob: head.requestFields)
        try update.bind(4, head.sum).bind(5, row.id).run()
    }
}
