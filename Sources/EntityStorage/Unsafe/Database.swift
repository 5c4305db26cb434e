import CSQLite
import LibC

/// An error that SQLite reports.
struct DatabaseError: Error {
    /// The extended result code.
    var code: Int32
    var message: String

    private var primary: Int32 { code & 0xFF }
    /// Whether the database is damaged, or the file is no database.
    var isDamage: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }
    /// Whether another connection has a lock, or keeps the log from being emptied.
    var isBusy: Bool { primary == SQLITE_BUSY }
    /// Whether the disk refuses to write, or the database would exceed its maximum of pages.
    var isRefusal: Bool {
        [SQLITE_FULL, SQLITE_IOERR, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM].contains(primary)
    }
}

/// A connection to a database; used on one thread at a time.
@safe
final class Database {
    private let handle: OpaquePointer
    /// Frames in the log after the last commit of this connection; the hook writes it.
    private let frames: UnsafeMutablePointer<Int32>

    /// Opens the file `name`, but no link; a file that this makes is for its owner alone, whatever the umask.
    ///
    /// SQLite gives log and shared memory the mode of the database.
    /// - Parameter path: the path of `directory`, without links; SQLite opens files by path.
    init(_ name: String, in directory: OpenDirectory, at path: String) throws(DatabaseError) {
        try Self.make(name, in: directory)
        var handle: OpaquePointer?
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
            | SQLITE_OPEN_NOFOLLOW
        let code = unsafe sqlite3_open_v2("\(path)/\(name)", &handle, flags, nil)
        guard let opened = unsafe handle, code == SQLITE_OK else {
            let message = unsafe String(cString: sqlite3_errstr(code))
            unsafe sqlite3_close_v2(handle)
            throw DatabaseError(code: code, message: message)
        }
        unsafe self.handle = opened
        unsafe frames = .allocate(capacity: 1)
        unsafe frames.initialize(to: 0)
        setPatience(Self.usualPatience)
        unsafe sqlite3_wal_hook(
            opened,
            { context, _, _, count in
                unsafe context?.assumingMemoryBound(to: Int32.self).pointee = count
                return SQLITE_OK
            },
            frames
        )
        guard FileSystem.target(path)?.identity == (try? directory.status())?.identity else {
            throw DatabaseError(code: SQLITE_CANTOPEN, message: "the directory \(path) was replaced meanwhile")
        }
    }

    private static func make(_ name: String, in directory: OpenDirectory) throws(DatabaseError) {
        guard directory.status(of: name) == nil else { return }
        do {
            _ = try OpenFile(name, in: directory, flags: OpenFile.createFlags)
        } catch {
            if error.code == EEXIST { return }
            throw DatabaseError(code: error.isFull ? SQLITE_FULL : SQLITE_CANTOPEN, message: error.text)
        }
    }

    deinit {
        unsafe sqlite3_close_v2(handle)
        unsafe frames.deallocate()
    }

    /// How long a call waits for the locks of other connections, unless `setPatience` changes that.
    static let usualPatience = Duration.seconds(2)

    /// Sets how long a call waits for the locks of other connections.
    func setPatience(_ time: Duration) {
        let (seconds, attoseconds) = time.components
        unsafe sqlite3_busy_timeout(handle, Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000))
    }

    /// Runs statements without parameters and rows.
    func execute(_ sql: String) throws(DatabaseError) {
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw error(code) }
    }

    func prepare(_ sql: String) throws(DatabaseError) -> Statement {
        var statement: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard let prepared = unsafe statement, code == SQLITE_OK else { throw error(code) }
        return unsafe Statement(prepared, of: self)
    }

    /// The first column of the first row of `sql` as a number; 0 without a row.
    func number(_ sql: String) throws(DatabaseError) -> Int64 {
        let statement = try prepare(sql)
        return try statement.step() ? statement.integer(0) : 0
    }

    /// Whether no transaction is open.
    var isIdle: Bool { unsafe sqlite3_get_autocommit(handle) != 0 }

    /// The number of rows that the last statement changed.
    var changes: Int { unsafe Int(sqlite3_changes(handle)) }

    /// Frames in the log after this connection's last commit.
    var logFrames: Int {
        get { unsafe Int(frames.pointee) }
        set { unsafe frames.pointee = Int32(clamping: newValue) }
    }

    /// Copies the log into the database, as far as readers allow; if `truncating`, waits for them and empties the log.
    func checkpoint(truncating: Bool) throws(DatabaseError) {
        let mode = truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
        let code = unsafe sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil)
        if code != SQLITE_OK { throw error(code) }
        if truncating { logFrames = 0 }
    }

    func error(_ code: Int32) -> DatabaseError {
        DatabaseError(code: code, message: unsafe String(cString: sqlite3_errmsg(handle)))
    }
}
