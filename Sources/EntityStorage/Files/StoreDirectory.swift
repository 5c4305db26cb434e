import LibC
import HTTPCore

/// The directory of a store: its lock, and its files.
///
/// ```text
/// respite-store                          marks the directory as a store; made first
/// cache.db, cache.db-wal, cache.db-shm   the index, small bodies
/// bodies/xx/ID                           bodies above 64 KiB that have a row; xx: the low byte of ID
/// spill/ID                               drafts: bodies that are being written, or whose row is being committed
/// ballast                                room to work in when the disk is full
/// lock, partition-key                    (and files of the daemon)
/// ```
///
/// All files are for their owner only (0700, 0600), whatever the umask. A store opens them relative to the open
/// directory and never through a link. It deletes only files with names that it gives itself.
final class StoreDirectory: Sendable {
    /// The path without links.
    let path: String
    let root: OpenDirectory
    let bodies: OpenDirectory
    let spill: OpenDirectory
    /// Messages for the log about the state in which the directory was found.
    let notices: [StoreNotice]
    /// The path as configured; it may lead elsewhere later.
    private let givenPath: String
    private let identity: FileIdentity
    private let lock: OpenFile

    static let database = "cache.db"
    static let log = "cache.db-wal"
    static let sharedMemory = "cache.db-shm"
    static let ballast = "ballast"

    /// Makes the directory if it is missing, and locks it; the lock ends with this object.
    ///
    /// - Parameter isHandedOver: a service manager made the directory for this process.
    init(_ path: String, isHandedOver: Bool = false) throws(StoreError) {
        givenPath = path
        do throws(FileError) {
            try FileSystem.makeDirectories(path)
            root = try OpenDirectory(path)
        } catch {
            throw Self.unusable(path, error)
        }
        let claim = StoreClaim(path: path, isHandedOver: isHandedOver)
        if let refusal = claim.refusal(of: root) { throw refusal }
        notices = try Self.close(root, path, isKnown: claim.isMarked(root))
        do throws(FileError) {
            try Self.mark(root)
            bodies = try Self.part("bodies", of: root)
            spill = try Self.part("spill", of: root)
            for name in [Self.database, Self.log, Self.sharedMemory, "cache.db-journal", "lock"] {
                try Self.secure(name, in: root)
            }
            lock = try OpenFile("lock", in: root, flags: O_RDWR | O_CREAT)
            identity = try root.status().identity
        } catch {
            throw Self.unusable(path, error)
        }
        guard let canonical = FileSystem.canonicalPath(path), FileSystem.target(canonical)?.identity == identity else {
            throw Self.unusable(path, FileError(code: ENOENT))
        }
        self.path = canonical
        guard lock.lock() else {
            throw StoreError(
                .locked,
                "another process uses the storage directory \(path): stop it or change `storage.directory`"
            )
        }
    }

    /// Releases the lock.
    func unlock() { lock.unlock() }

    /// Whether the path still leads to this very directory.
    var isInPlace: Bool { FileSystem.target(givenPath)?.identity == identity }

    /// The path of the database, for messages.
    var databasePath: String { "\(path)/\(Self.database)" }

    // MARK: Opening

    private static func unusable(_ path: String, _ error: FileError) -> StoreError {
        StoreError(
            .directoryNotUsable,
            "cannot use the storage directory \(path): \(error.text); make it writable or change `storage.directory`",
            underlying: error
        )
    }

    /// Removes other users' access to `root`; returns messages for the log.
    private static func close(
        _ root: OpenDirectory,
        _ path: String,
        isKnown: Bool
    ) throws(StoreError) -> [StoreNotice] {
        do throws(FileError) {
            let before = try root.status()
            guard before.isOpenToOthers else { return [] }
            try root.setMode(0o700)
            if try root.status().isOpenToOthers { throw FileError(code: EOPNOTSUPP) }
            return [
                StoreNotice(
                    isKnown ? .warning : .info,
                    "the store's directory was open to other users; it is now for its owner alone",
                    [("directory", path), ("mode", String(before.mode, radix: 8))]
                )
            ]
        } catch {
            throw StoreError(
                .foreignDirectory,
                "other users may look into the storage directory \(path), and that cannot be changed (\(error.text)): "
                    + "`chmod 700` it as its owner, or change `storage.directory`",
                underlying: error
            )
        }
    }

    private static func mark(_ root: OpenDirectory) throws(FileError) {
        guard root.status(of: StoreClaim.marker) == nil else { return }
        do {
            let file = try OpenFile(StoreClaim.marker, in: root, flags: OpenFile.createFlags)
            // The name is enough, and a full disk has room for that.
            try? file.write(ByteChunk(Array(StoreClaim.markerText.utf8)), at: 0)
        } catch {
            if error.code != EEXIST { throw error }
        }
    }

    /// Opens a directory in `root`, or makes it; it must not be a link.
    private static func part(_ name: String, of root: OpenDirectory) throws(FileError) -> OpenDirectory {
        try root.makeDirectory(name)
        try secure(name, in: root)
        return try OpenDirectory(name, in: root)
    }

    /// Ensures that an existing file of this name is the store's own: no link, one name, closed to other users.
    private static func secure(_ name: String, in root: OpenDirectory) throws(FileError) {
        guard let status = root.status(of: name) else { return }
        let isOwn = status.isOurs && (status.kind == .directory || status.kind == .file && status.names == 1)
        guard isOwn else { throw FileError(code: status.kind == .link ? ELOOP : EPERM, name: name) }
        if status.isOpenToOthers { try root.setMode(of: name, status.mode & 0o700) }
    }
}
