import HTTPCaching
import HTTPCore
import ResourceCore

/// Brings rows that were stored earlier to what holds now, a page at a time between other work: values of selecting fields
/// become keyed hashes, and what belongs to a credential goes where `StoreConfiguration.keepsPrivate` is false.
///
/// A start scans nothing: `meta` tells whether there may be such rows. What a review replaces is overwritten where it stood;
/// copies in pages that SQLite had freed before stay until those pages are used again.
extension Writer {
    private static let page = 500
    private static let pause = Duration.milliseconds(20)

    /// A row that may have to change.
    private struct Row {
        var place: WriterConnection.RowPlace
        var head: RowHead
        var sum: Int64
    }

    /// Called for a database that was just opened.
    func beginReview(_ connection: WriterConnection) throws(DatabaseError) {
        let concerns = try connection.figure("plain_selections") != 0
        let isPrivate = try connection.figure("private_rows") != 0
        if configuration.keepsPrivate, !isPrivate { try connection.setFigure("private_rows", 1) }
        review.isUnderWay = concerns || isPrivate && !configuration.keepsPrivate
        guard review.isUnderWay else { return }
        let epoch = numbers.epoch
        schedule(Self.pause) { $0.goOnReviewing(after: 0, epoch: epoch) }
    }

    /// Reviews all that is left, now.
    func finishReview() {
        guard review.isUnderWay else { return }
        var last: Int64? = 0
        while let place = last, review.isUnderWay { last = reviewPage(after: place) }
    }

    private func goOnReviewing(after last: Int64, epoch: Int) {
        guard epoch == numbers.epoch, review.isUnderWay, let next = reviewPage(after: last) else { return }
        schedule(Self.pause) { $0.goOnReviewing(after: next, epoch: epoch) }
    }

    /// The last row of the page; nil if that was all, or it must wait for the next start.
    private func reviewPage(after last: Int64) -> Int64? {
        guard let connection else { return nil }
        do {
            guard let end = try connection.rows(after: last, limit: Self.page).last?.place.id else {
                try endReview(connection)
                return nil
            }
            let found = try rows(connection, "id BETWEEN ? AND ?") { $0.bind(1, last + 1).bind(2, end) }
            try bringUpToDate(found, connection)
            return end
        } catch {
            // What is asked for is reviewed all the same.
            didFail(error)
            return nil
        }
    }

    private func endReview(_ connection: WriterConnection) throws(DatabaseError) {
        try commit(connection) { () throws(DatabaseError) in
            try connection.setFigure("plain_selections", 0)
            try connection.setFigure("private_rows", configuration.keepsPrivate ? 1 : 0)
        }
        // The log has the former values, too.
        try connection.database.checkpoint(truncating: true)
        review.isUnderWay = false
        counters.tell(StoreNotice(.info, "what was stored earlier is kept as the version and the settings of now say"))
    }

    /// Brings the rows of one URI to what holds now, ahead of all others.
    func reviewRows(of uri: TargetURI) {
        guard let connection, review.isUnderWay else { return }
        let range = RecordKey.range(uri, seed: connection.seed)
        do {
            let found = try rows(connection, "key BETWEEN ? AND ?") {
                $0.bind(1, blob: range.low).bind(2, blob: range.high)
            }
            try bringUpToDate(found, connection)
        } catch {
            didFail(error)
        }
    }

    private func rows(
        _ connection: WriterConnection,
        _ condition: String,
        _ bind: (Statement) -> Statement
    ) throws(DatabaseError) -> [Row] {
        let statement = try connection.database.prepare(
            "SELECT id, key, size, file, form, sum, \(RowHead.columns) FROM entry "
                + "WHERE \(condition) AND (length(selection) > 0 OR length(partition) > 0)"
        )
        var rows: [Row] = []
        try bind(statement).forEachRow {
            let place = WriterConnection.RowPlace(
                id: statement.integer(0),
                key: statement.bytes(1),
                size: statement.integer(2),
                file: statement.integer(3),
                rendition: statement.integer(4)
            )
            rows.append(Row(place: place, head: RowHead(statement, from: 6), sum: statement.integer(5)))
        }
        return rows
    }

    private func bringUpToDate(_ rows: [Row], _ connection: WriterConnection) throws(DatabaseError) {
        let credentials = CredentialFields(names: credentialFields)
        var changes: [(place: WriterConnection.RowPlace, head: RowHead?)] = []
        for row in rows {
            if !configuration.keepsPrivate, !row.head.partition.isEmpty {
                changes.append((row.place, nil))
            } else if let head = concealed(row, credentials) {
                changes.append((row.place, head))
            }
        }
        guard !changes.isEmpty else { return }
        try connection.database.execute("PRAGMA secure_delete=ON")
        defer { try? connection.database.execute("PRAGMA secure_delete=OFF") }
        let step = max(1, budget.logFrames / 2 / 48)
        var rest = changes[...]
        while !rest.isEmpty {
            let part = rest.prefix(step)
            guard try makeLogRoom(part.count * 48 + 16) else {
                let message = "the log cannot be emptied: another program reads the database"
                throw DatabaseError(code: 0x0D, message: message)
            }
            try commit(connection) { () throws(DatabaseError) in
                for (place, head) in part { try apply(head, to: place, connection) }
            }
            rest = rest.dropFirst(part.count)
        }
    }

    /// The head of a row with hashes in place of values; nil if it has none such, or is damaged: the reader drops it.
    private func concealed(_ row: Row, _ credentials: CredentialFields) -> RowHead? {
        guard row.head.sum == row.sum, row.head.rendition != 0 || RecordCoding.decode(row.head.requestFields) != nil,
            let selection = SelectionPart.concealing(row.head.selection, credentials: credentials, digest: hasher.hash)
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

    /// Writes `head`, or removes the row; also where a newer one has its key already.
    private func apply(
        _ head: RowHead?,
        to place: WriterConnection.RowPlace,
        _ connection: WriterConnection
    ) throws(DatabaseError) {
        guard let head else { return try delete(place, connection) }
        guard let uri = TargetURI(canonical: head.uri) else { return }
        let key = RecordKey(
            uri,
            Partition(bytes: head.partition),
            head.selection,
            rendition: head.rendition,
            seed: connection.seed
        )
        if try connection.row(key) != nil { return try delete(place, connection) }
        let update = try connection.database.prepare(
            "UPDATE entry SET key = ?, selection = ?, request_fields = ?, sum = ? WHERE id = ?"
        )
        update.bind(1, blob: key.bytes).bind(2, blob: head.selection).bind(3, blob: head.requestFields)
        try update.bind(4, head.sum).bind(5, place.id).run()
    }
}
