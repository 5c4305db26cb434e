import Glibc

/// Where the entities of a program are kept: a file for its owner alone, in a directory like that.
struct EntityFile {
    static let name = "entities.db"

    let directory: OpenDirectory
    /// Without links.
    let directoryPath: String

    var path: String { "\(directoryPath)/\(Self.name)" }

    /// Makes the directory if need be, and closes a file that others may read.
    init(in path: String) throws(FileError) {
        try FileSystem.makeDirectories(path)
        directory = try OpenDirectory(path)
        guard let canonical = FileSystem.canonicalPath(path) else { throw FileError(code: ENOENT) }
        directoryPath = canonical
        if let status = directory.status(of: Self.name), status.kind == .file, status.isOpenToOthers, status.isOurs {
            try directory.setMode(of: Self.name, 0o600)
        }
    }

    /// Removes the file, which is no longer open, with what belongs to it.
    func discard() { for suffix in ["", "-wal", "-shm"] { directory.remove(Self.name + suffix) } }
}
