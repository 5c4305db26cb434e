import Glibc
import HTTPCore

/// The directory of a store: its lock, and where things lie in it.
///
/// ```text
/// respite-store                          says that it is a store; made first
/// cache.db, cache.db-wal, cache.db-shm   the index, small bodies
/// bodies/xx/ID                           bodies above 64 KiB that have a row; xx: the low byte of ID
/// spill/ID                               bodies being written, and whole ones whose row is being committed
/// ballast                                room to work in when the disk is full
/// lock, partition-key                    (and what the daemon keeps here)
/// ```
///
/// All is for its owner alone (0700, 0600), whatever the umask. Files are reached from the open directory, never through a
/// link, and nothing is deleted but what has a name that is made here.
final class StoreDirectory: Sendable {
    /// Without links.
    let path: String
    let root: OpenDirectory
    let bodies: OpenDirectory
    let spill: OpenDirectory
    /// What a person should know of how it was found.
    let notices: [StoreNotice]
    /// As it was named; where it leads may change.
    private let givenPath: String
    private let identity: FileIdentity
    private let lock: OpenFile

    static let database = "cache.db"
    static let log = "cache.db-wal"
    static let sharedMemory = "cache.db-shm"
    static let ballast = "ballast"

    /// Makes the directory if need be and takes its lock, which ends with this object.
    ///
    /// - Parameter isHandedOver: a service manager made it for us.
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

    /// Gives the lock back.
    func unlock() { lock.unlock() }

    /// The path still leads to this very directory.
    var isInPlace: Bool { FileSystem.target(givenPath)?.identity == identity }

    /// For SQLite, which opens by path, and for messages.
    var database: String { "\(path)/\(Self.database)" }

    // MARK: Opening

    private static func unusable(_ path: String, _ error: FileError) -> StoreError {
        StoreError(
            .directoryNotUsable,
            "cannot use the storage directory \(path): \(error.text); make it writable or change `storage.directory`",
            underlying: error
        )
    }

    /// Keeps others out of `root`; what a person should know of that.
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
            // Its name is enough: a full disk has room for that.
            try? file.write(ByteChunk(Array(StoreClaim.markerText.utf8)), at: 0)
        } catch {
            if error.code != EEXIST { throw error }
        }
    }

    /// A directory of its own, no link.
    private static func part(_ name: String, of root: OpenDirectory) throws(FileError) -> OpenDirectory {
        try root.makeDirectory(name)
        try secure(name, in: root)
        return try OpenDirectory(name, in: root)
    }

    /// What is called `name`, if anything is, is the store's: no link, no second name of another file, closed to others.
    private static func secure(_ name: String, in root: OpenDirectory) throws(FileError) {
        guard let status = root.status(of: name) else { return }
        let isOwn = status.isOurs && (status.kind == .directory || status.kind == .file && status.names == 1)
        guard isOwn else { throw FileError(code: status.kind == .link ? ELOOP : EPERM, name: name) }
        if status.isOpenToOthers { try root.setMode(of: name, status.mode & 0o700) }
    }
}
