import HTTPCore

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
        /// 1 if rows of an earlier version may lack their tags.
        case untaggedRows = "untagged_rows"
        /// Requests and bytes of content that origins did not have to serve; absent until the first hit.
        case savedRequests = "saved_requests"
        case savedBytes = "saved_bytes"
        /// When they began to be counted, in seconds since 1970; absent until the first hit.
        case savedSince = "saved_since"
        /// See `SpaceSavings`; absent until there is something to count.
        case compressedEntries = "compressed_entries"
        case compressedContent = "compressed_content"
        case compressedBytes = "compressed_bytes"
        case sharedBodies = "shared_bodies"
        case sharedBytes = "shared_bytes"
    }

    private let database: Database
    private let update: Statement
    private let increase: Statement

    init(_ database: Database) throws(DatabaseError) {
        self.database = database
        update = try database.prepare("UPDATE meta SET value = ? WHERE name = ?")
        increase = try database.prepare(
            "INSERT INTO meta(value, name) VALUES(?, ?) ON CONFLICT DO UPDATE SET value = value + excluded.value"
        )
    }

    func number(_ name: Name) throws(DatabaseError) -> Int64 {
        try database.number("SELECT value FROM meta WHERE name = '\(name.rawValue)'")
    }

    /// Adds to a number, which counts as 0 if it is absent.
    func add(_ name: Name, _ value: Int64) throws(DatabaseError) {
        try increase.bind(1, value).bind(2, text: Array(name.rawValue.utf8)).run()
    }

    /// The sums of what was saved.
    func savings() throws(DatabaseError) -> Savings {
        let since = try number(.savedSince)
        return Savings(
            requests: try number(.savedRequests),
            bytes: try number(.savedBytes),
            since: since > 0 ? HTTPDate(seconds: since) : nil
        )
    }

    private static let space: [(name: Name, number: any WritableKeyPath<SpaceSavings, Int64> & Sendable)] = [
        (.compressedEntries, \.compressedEntries), (.compressedContent, \.compressedContent),
        (.compressedBytes, \.compressedBytes), (.sharedBodies, \.sharedBodies), (.sharedBytes, \.sharedBytes),
    ]

    /// What compression and shared body files save.
    func spaceSavings() throws(DatabaseError) -> SpaceSavings {
        var savings = SpaceSavings()
        for (name, path) in Self.space { savings[keyPath: path] = try number(name) }
        return savings
    }

    /// Adds to what is saved.
    func add(_ change: SpaceSavings) throws(DatabaseError) {
        for (name, path) in Self.space where change[keyPath: path] != 0 { try add(name, change[keyPath: path]) }
    }

    func set(_ name: Name, _ value: Int64) throws(DatabaseError) {
        try update.bind(1, value).bind(2, text: Array(name.rawValue.utf8)).run()
    }
}
