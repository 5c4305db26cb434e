/// The tables of the database, the migrations between versions, and the settings of connections.
enum Schema {
    /// The version that this program reads and writes, `user_version` of the database.
    static var version: Int { migrations.count }

    /// Settings that must come before the first table.
    static let beforeTables = """
        PRAGMA page_size=4096;
        PRAGMA auto_vacuum=INCREMENTAL;
        PRAGMA application_id=\(StoreClaim.applicationID);
        """

    /// Settings of the writing connection.
    ///
    /// The writer makes checkpoints itself, since it budgets the log. The page cache is small: written rows are seldom
    /// read again, and the kernel caches the file. With 4 MiB, 100,000 rows used less CPU time than with 16 MiB,
    /// 400,000 rows a tenth more.
    static let writer = """
        PRAGMA journal_mode=WAL;
        PRAGMA synchronous=NORMAL;
        PRAGMA journal_size_limit=4194304;
        PRAGMA cache_size=-4096;
        PRAGMA temp_store=MEMORY;
        PRAGMA secure_delete=OFF;
        PRAGMA foreign_keys=OFF;
        """

    /// Settings of the reading connection.
    ///
    /// The file is not mapped into memory: a file cut short, or a failing disk, would end the process by SIGBUS.
    static let reader = """
        PRAGMA query_only=1;
        PRAGMA cache_size=-4096;
        PRAGMA temp_store=MEMORY;
        """

    /// The statements at `index` migrate from version `index` to `index + 1`.
    ///
    /// Never change released statements; add others.
    static let migrations = [version1, version2, version3, version4, version5, version6, version7]

    /// - `entry`: one row per stored response, by ascending id, the order of eviction. `key`: see `RecordKey`. `form`
    ///   is 0 for the origin's response; `fingerprint` then identifies the pipeline that redacted its content, if one
    ///   did. Another `form` is a transformed response: `fingerprint` names the pipeline, `reason` has the digest, and
    ///   `request_fields` the binding to the original. `file`: the number of the body file, 0 if the content is in
    ///   `body`.
    /// - `usage`: ids of rows that were used since eviction last considered them.
    /// - `doomed`: files without a row, which are about to be removed.
    /// - `meta`: see `MetaTable.Name`.
    /// - `entries`: for people.
    private static let version1 = """
        CREATE TABLE entry(
            id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, uri TEXT NOT NULL, partition BLOB NOT NULL,
            selection BLOB NOT NULL, form INTEGER NOT NULL, fingerprint BLOB, status INTEGER NOT NULL,
            reason BLOB NOT NULL, fields BLOB NOT NULL, request_fields BLOB NOT NULL, vary TEXT NOT NULL,
            request_time INTEGER NOT NULL, response_time INTEGER NOT NULL, invalidated INTEGER NOT NULL,
            size INTEGER NOT NULL, file INTEGER NOT NULL, body_sum INTEGER NOT NULL, block_sums BLOB NOT NULL,
            sum INTEGER NOT NULL, format INTEGER NOT NULL) STRICT;
        CREATE INDEX entry_file ON entry(file) WHERE file <> 0;
        CREATE TABLE body(id INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
        CREATE TABLE usage(id INTEGER PRIMARY KEY, used INTEGER NOT NULL) STRICT;
        CREATE TABLE doomed(file INTEGER PRIMARY KEY, size INTEGER NOT NULL) STRICT;
        CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        INSERT INTO meta VALUES('seed', random()), ('file_bytes', 0), ('entries', 0);
        CREATE VIEW entries AS SELECT id, uri, status, size, datetime(response_time, 'unixepoch') AS stored,
            CASE WHEN length(partition) = 0 THEN 'shared' ELSE 'credential' END AS partition, vary,
            invalidated <> 0 AS invalidated,
            CASE WHEN file <> 0 THEN printf('bodies/%02x/%d', file & 255, file) END AS file
            FROM entry;
        """

    /// The view distinguishes originals from what pipelines made of them.
    private static let version2 = """
        DROP VIEW entries;
        CREATE VIEW entries AS SELECT id, uri, status, size, datetime(response_time, 'unixepoch') AS stored,
            CASE WHEN length(partition) = 0 THEN 'shared' ELSE 'credential' END AS partition, vary,
            invalidated <> 0 AS invalidated,
            CASE WHEN file <> 0 THEN printf('bodies/%02x/%d', file & 255, file) END AS file,
            CASE WHEN form = 0 THEN 'original' ELSE CAST(fingerprint AS TEXT) END AS form
            FROM entry;
        """

    /// `extent`: the bytes of the representation in the content, such as `0-99/1000`, as in Content-Range; empty for
    /// the whole.
    private static let version3 = """
        ALTER TABLE entry ADD COLUMN extent TEXT NOT NULL DEFAULT '';
        DROP VIEW entries;
        CREATE VIEW entries AS SELECT id, uri, status, size, datetime(response_time, 'unixepoch') AS stored,
            CASE WHEN length(partition) = 0 THEN 'shared' ELSE 'credential' END AS partition, vary,
            invalidated <> 0 AS invalidated,
            CASE WHEN file <> 0 THEN printf('bodies/%02x/%d', file & 255, file) END AS file,
            CASE WHEN form = 0 THEN 'original' ELSE CAST(fingerprint AS TEXT) END AS form,
            CASE WHEN extent <> '' THEN extent END AS part
            FROM entry;
        """

    /// Notes what rows of earlier versions may contain; see `RowReview`.
    private static let version4 = """
        INSERT OR REPLACE INTO meta SELECT name, EXISTS(SELECT 1 FROM entry) FROM
            (SELECT 'plain_selections' AS name UNION ALL SELECT 'private_rows');
        """

    /// `pieces`: those of a recorded stream, see `StreamPieces`; empty for all other content.
    private static let version5 = "ALTER TABLE entry ADD COLUMN pieces BLOB NOT NULL DEFAULT x'';"

    /// - `compressed`: the length of the frame of zstd in `body`, which contains `size` bytes; 0 for content as it
    ///   came.
    /// - `content`: see `ContentTable`. It begins empty: nothing is scanned, and earlier files share no bytes.
    private static let version6 = """
        ALTER TABLE entry ADD COLUMN compressed INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE content(file INTEGER PRIMARY KEY, sum INTEGER NOT NULL, base INTEGER NOT NULL) STRICT;
        CREATE INDEX content_sum ON content(sum, base);
        DROP VIEW entries;
        CREATE VIEW entries AS SELECT id, uri, status, size, datetime(response_time, 'unixepoch') AS stored,
            CASE WHEN length(partition) = 0 THEN 'shared' ELSE 'credential' END AS partition, vary,
            invalidated <> 0 AS invalidated,
            CASE WHEN file <> 0 THEN printf('bodies/%02x/%d', file & 255, file) END AS file,
            CASE WHEN form = 0 THEN 'original' ELSE CAST(fingerprint AS TEXT) END AS form,
            CASE WHEN extent <> '' THEN extent END AS part,
            CASE WHEN compressed > 0 THEN compressed END AS compressed
            FROM entry;
        """

    /// The column `tags` has the hashes of an original's tags (see `TagHashes`), and the table `tag` finds rows by
    /// them.
    ///
    /// `RowReview` adds those of earlier rows.
    private static let version7 = """
        ALTER TABLE entry ADD COLUMN tags BLOB NOT NULL DEFAULT x'';
        CREATE TABLE tag(hash INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY(hash, id)) STRICT, WITHOUT ROWID;
        INSERT OR REPLACE INTO meta SELECT 'untagged_rows', EXISTS(SELECT 1 FROM entry);
        """
}

extension Schema {
    /// Makes the tables, or migrates those of an earlier version; returns whether there were none.
    ///
    /// Throws `DatabaseError`, or `StoreError` if the database belongs to another program or a later version.
    /// - Parameter path: for messages.
    static func prepare(_ database: Database, at path: String) throws -> Bool {
        let found = Int(try database.number("PRAGMA user_version"))
        let owner = try database.number("PRAGMA application_id")
        let isNew = try found == 0 && owner == 0 && database.number("SELECT count(*) FROM sqlite_schema") == 0
        guard isNew || owner == StoreClaim.applicationID else {
            throw StoreError(
                .foreignDatabase,
                "\(path) is a database of another program; move it away or change `storage.directory`"
            )
        }
        guard found <= version else {
            throw StoreError(
                .newerVersion(found: found, known: version),
                "the database \(path) has version \(found), this program knows \(version): "
                    + "use the newer program, or another `storage.directory`"
            )
        }
        if isNew { try database.execute(beforeTables) }
        try database.execute(writer)
        for step in found..<version {
            try database.execute("BEGIN IMMEDIATE;\(migrations[step])PRAGMA user_version=\(step + 1);COMMIT")
        }
        return isNew
    }
}
