/// The database: tables, versions, settings.
enum Schema {
    /// `RSPT`: whose database this is.
    static let applicationID: Int64 = 0x5253_5054
    /// What this program reads and writes; `user_version` of the database.
    static var version: Int { migrations.count }

    /// Settings that must precede the first table.
    static let beforeTables = """
        PRAGMA page_size=4096;
        PRAGMA auto_vacuum=INCREMENTAL;
        PRAGMA application_id=\(applicationID);
        """

    /// Settings of the writing connection.
    ///
    /// Checkpoints are the writer's own doing, as the log's room is reckoned. Pages: what is written is seldom read again,
    /// and what is not there the kernel has; with 4 MiB 100,000 rows took less CPU than with 16, 400,000 a tenth more.
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
    /// No memory map: a truncated or failing disk would end the process by SIGBUS.
    static let reader = """
        PRAGMA query_only=1;
        PRAGMA cache_size=-4096;
        PRAGMA temp_store=MEMORY;
        """

    /// Statements that lead from version `index` to `index + 1`.
    ///
    /// Never change one that was released; add another.
    static let migrations = [version1, version2, version3, version4]

    /// - `entry`: one row per stored response, by ascending id, the order of eviction. `key`: eight bytes of hash of the
    ///   URI, eight of partition, selection and form. `form` 0 is what the origin sent; its
    ///   `fingerprint` is not empty where the content was redacted before it was stored, and tells by what. Another `form`
    ///   is what a pipeline made of that: `fingerprint` names it, `reason` holds its digest and `request_fields` what binds
    ///   it to its original. `file`: number of the body file, 0 if the content lies in `body`.
    /// - `usage`: ids used since the hand of eviction passed; a row suffices.
    /// - `doomed`: files whose row is gone and that are about to be removed.
    /// - `meta`: `seed` of the hashes, `file_bytes` that body files take, `entries` there are; 1 or 0: whether there may be
    ///   rows of an earlier version with values of selecting fields (`plain_selections`), and rows that belong to a
    ///   credential (`private_rows`).
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

    /// The view tells forms from originals.
    private static let version2 = """
        DROP VIEW entries;
        CREATE VIEW entries AS SELECT id, uri, status, size, datetime(response_time, 'unixepoch') AS stored,
            CASE WHEN length(partition) = 0 THEN 'shared' ELSE 'credential' END AS partition, vary,
            invalidated <> 0 AS invalidated,
            CASE WHEN file <> 0 THEN printf('bodies/%02x/%d', file & 255, file) END AS file,
            CASE WHEN form = 0 THEN 'original' ELSE CAST(fingerprint AS TEXT) END AS form
            FROM entry;
        """

    /// `extent`: which bytes of the representation the content is, as Content-Range has it without the unit, such as
    /// `0-99/1000`; empty: all of them.
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

    /// What rows of earlier versions may hold; see `Writer+Review`.
    private static let version4 = """
        INSERT OR REPLACE INTO meta SELECT name, EXISTS(SELECT 1 FROM entry) FROM
            (SELECT 'plain_selections' AS name UNION ALL SELECT 'private_rows');
        """
}
