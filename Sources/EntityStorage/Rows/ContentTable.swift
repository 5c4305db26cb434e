/// The table `content`: the body files of responses that belong to everybody, by their bytes.
///
/// Files with one `base` are names of one file. Files with one `sum` may have the same bytes.
final class ContentTable {
    private let insert: Statement
    private let delete: Statement
    private let find: Statement
    private let findAlike: Statement
    private let findName: Statement
    private let setBase: Statement

    init(_ database: Database) throws(DatabaseError) {
        insert = try database.prepare("INSERT OR REPLACE INTO content VALUES(?1, ?2, ?1)")
        delete = try database.prepare("DELETE FROM content WHERE file = ?")
        find = try database.prepare("SELECT sum, base FROM content WHERE file = ?")
        // The newest first: an older one may have as many names as its file system allows.
        findAlike = try database.prepare(
            "SELECT file FROM content WHERE sum = ? AND file <> ? ORDER BY base DESC, file DESC LIMIT 1"
        )
        findName = try database.prepare("SELECT 1 FROM content WHERE sum = ? AND base = ? AND file <> ? LIMIT 1")
        setBase = try database.prepare("UPDATE content SET base = ? WHERE file = ?")
    }

    /// Adds a file that shares its bytes with no other; returns one that may have the same bytes.
    func add(_ file: Int64, sum: Int64) throws(DatabaseError) -> Int64? {
        try insert.bind(1, file).bind(2, sum).run()
        return try number(findAlike.bind(1, sum).bind(2, file))
    }

    /// Removes a file from the table; returns whether its bytes stay, under another name.
    func remove(_ file: Int64) throws(DatabaseError) -> Bool {
        guard let (sum, base) = try row(file) else { return false }
        try delete.bind(1, file).run()
        return try hasName(sum, base, besides: file)
    }

    /// The base of `other`, if `file` may become a name of it: both have rows, and `file` still is a file of its own.
    func base(of other: Int64, for file: Int64) throws(DatabaseError) -> Int64? {
        guard let (sum, base) = try row(other), let own = try row(file), own == (sum, file),
            try !hasName(sum, file, besides: file)
        else { return nil }
        return base
    }

    /// `file` is a name of `base` now.
    func share(_ file: Int64, _ base: Int64) throws(DatabaseError) { try setBase.bind(1, base).bind(2, file).run() }

    /// Whether a file is a further name of another one.
    func isName(_ file: Int64) throws(DatabaseError) -> Bool { try row(file).map { $0.base != file } ?? false }

    /// `file` is a file of its own; returns whether the base has other names.
    func separate(_ file: Int64) throws(DatabaseError) -> Bool {
        guard let (sum, base) = try row(file) else { return false }
        try share(file, file)
        return try hasName(sum, base, besides: file)
    }

    private func hasName(_ sum: Int64, _ base: Int64, besides file: Int64) throws(DatabaseError) -> Bool {
        try number(findName.bind(1, sum).bind(2, base).bind(3, file)) != nil
    }

    private func row(_ file: Int64) throws(DatabaseError) -> (sum: Int64, base: Int64)? {
        var found: (sum: Int64, base: Int64)?
        let row = find.bind(1, file)
        try row.forEachRow { found = (row.integer(0), row.integer(1)) }
        return found
    }

    private func number(_ statement: Statement) throws(DatabaseError) -> Int64? {
        var found: Int64?
        try statement.forEachRow { found = statement.integer(0) }
        return found
    }
}
