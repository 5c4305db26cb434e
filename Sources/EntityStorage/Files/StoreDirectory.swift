import Glibc

/// The directory of a store: its lock, and where things lie in it.
///
/// ```text
/// cache.db, cache.db-wal, cache.db-shm   the index, small bodies
/// bodies/xx/ID                           bodies above 64 KiB that have a row; xx: the low octet of ID
/// spill/ID                               bodies being written, and whole ones whose row is being committed
/// ballast                                room to work in when the disk is full
/// lock, partition-key                    (and what the daemon keeps here)
/// ```
final class StoreDirectory: Sendable {
    let path: String
    private let lock: OpenFile

    /// Makes the directory if need be and takes its lock, which ends with this object.
    init(_ path: String) throws(StoreError) {
        self.path = path
        do {
            try FileSystem.makeDirectories(path)
            try FileSystem.makeDirectory(path + "/bodies")
            try FileSystem.makeDirectory(path + "/spill")
            lock = try OpenFile(path + "/lock", flags: O_RDWR | O_CREAT)
        } catch {
            throw StoreError(
                .directoryNotUsable,
                "cannot use the storage directory \(path): \(error.text); make it writable or change `storage.directory`",
                underlying: error
            )
        }
        guard lock.lock() else {
            throw StoreError(
                .locked,
                "another process uses the storage directory \(path): stop it or change `storage.directory`"
            )
        }
    }

    /// Gives the lock back.
    func unlock() { lock.unlock() }

    var database: String { path + "/cache.db" }
    var log: String { path + "/cache.db-wal" }
    var sharedMemory: String { path + "/cache.db-shm" }
    var ballast: String { path + "/ballast" }
    var bodies: String { path + "/bodies" }
    var spill: String { path + "/spill" }

    /// The directory of the body files whose number has this low octet.
    func shelf(_ octet: Int) -> String {
        bodies + (octet < 16 ? "/0" : "/") + String(octet, radix: 16)
    }

    func body(_ file: Int64) -> String { shelf(Int(file & 0xFF)) + "/\(file)" }
    func spill(_ file: Int64) -> String { spill + "/\(file)" }

    /// Opens a body that has a row: it lies on its shelf, or is just being moved there.
    func openBody(_ file: Int64) throws(FileError) -> OpenFile {
        for path in [body(file), spill(file)] {
            do {
                return try OpenFile(path, flags: O_RDONLY)
            } catch {
                if !error.isMissing { throw error }
            }
        }
        return try OpenFile(body(file), flags: O_RDONLY)
    }
}
