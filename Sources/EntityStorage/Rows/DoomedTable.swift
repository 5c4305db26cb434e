/// The table `doomed`: body files without a row that may not be removed yet.
final class DoomedTable {
    /// A body file, and the length of its content; 0 if that has other names.
    typealias DoomedFile = (file: Int64, size: Int64)

    private let database: Database
    private let insert: Statement
    private let delete: Statement

    init(_ database: Database) throws(DatabaseError) {
        self.database = database
        insert = try database.prepare("INSERT OR REPLACE INTO doomed VALUES(?, ?)")
        delete = try database.prepare("DELETE FROM doomed WHERE file = ?")
    }

    func add(_ doomed: DoomedFile) throws(DatabaseError) { try insert.bind(1, doomed.file).bind(2, doomed.size).run() }

    /// The file was removed.
    func remove(_ file: Int64) throws(DatabaseError) { try delete.bind(1, file).run() }

    /// All doomed files: an earlier run may have ended before it removed them.
    var all: [DoomedFile] {
        get throws(DatabaseError) {
            let statement = try database.prepare("SELECT file, size FROM doomed")
            var files: [DoomedFile] = []
            try statement.forEachRow { files.append((statement.integer(0), statement.integer(1))) }
            return files
        }
    }
}
