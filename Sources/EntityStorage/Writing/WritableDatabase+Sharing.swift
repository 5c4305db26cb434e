import HTTPCore
import RecordFormat

/// Body files with the same bytes become names of one file.
extension WritableDatabase {
    /// Makes `body` a name of the body file `other`, which has the same bytes; does nothing if one of them is gone.
    ///
    /// The link comes before the row: after a crash between them the store counts too many bytes, never too few.
    func share(_ body: StoredBodyFile, with other: Int64) throws(DatabaseError) {
        try requireLogRoom(16)
        guard let base = try connection.contents.base(of: other, for: body.number),
            (try? directory.replaceBody(body.number, byLinkTo: other)) != nil
        else { return }
        if let linked = try? directory.openBody(body.number) { body.refer(to: linked) }
        try commit { () throws(DatabaseError) in
            try connection.contents.share(body.number, base)
            changes.space.countShared(1, size: body.count)
            changes.releasedBytes += StoreLimits.contentCost(body.count)
        }
    }

    /// Counts a body file alone if its row claims wrongly that it is a name of another one.
    ///
    /// So it is after a backup without hard links was restored. Returns whether it was such a file.
    func separate(_ file: Int64) throws(DatabaseError) -> Bool {
        guard try connection.contents.isName(file), directory.names(ofBody: file) == 1,
            let size = try connection.entries.size(ofFile: file)
        else { return false }
        try requireLogRoom(16)
        try commit { () throws(DatabaseError) in
            guard try connection.contents.separate(file) else { return }
            changes.space.countShared(-1, size: size)
            changes.releasedBytes -= StoreLimits.contentCost(size)
        }
        return true
    }

    /// Notes a body file that just got a row, to be compared with one that may have the same bytes.
    ///
    /// Files of a credential take no part: nobody can find out from the disk what another user has.
    func noteContent(of row: PreparedRow) throws(DatabaseError) {
        guard let file = row.file, row.head.partition.isEmpty else { return }
        let sum = Checksum.sum(UInt64(bitPattern: row.head.size).bigEndianBytes + row.head.blockSums)
        guard let other = try connection.contents.add(file.number, sum: Int64(bitPattern: sum)) else { return }
        changes.alike.append((file, other))
    }
}
