/// The table `meta`: numbers about the whole database.
final class MetaTable {
    /// The names of the numbers in the table.
    enum Name: String {
        case seed
        /// The bytes of body files with a row.
        case fileBytes = "file_bytes"
        /// The number of rows.
        case entries
        /// 1 if rows of an earlier version may contain unhashed values of selecting fields.
        case plainSelections = "plain_selections"
        /// 1 if there may be rows that belong to a credential.
        case privateRows = "private_rows"
    }

    private let database: Database
    private let update: Statement

    init(_ database: Database) throws(DatabaseError) {
        self.database = database
        update = try database.prepare("UPDATE meta SET value = ? WHERE name = ?")
    }

    func number(_ name: Name) throws(DatabaseError) -> Int64 {
        try database.number("SELECT value FROM meta WHERE name = '\(name.rawValue)'")
    }

    func set(_ name: Name, _ value: Int64) throws(DatabaseError) {
        try update.bind(1, value).bind(2, text: Array(name.rawValue.utf8)).run()
    }
}
