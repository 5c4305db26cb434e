import LibC

/// The file with the entities of a program; file and directory are for their owner alone.
struct EntityFile {
    static let name = "entities.db"

    let directory: OpenDirectory
    /// The path of the directory, without links.
    let directoryPath: String

    var path: String { "\(directoryPath)/\(Self.name)" }

    /// Makes the directory if it is missing; removes other users' access.
    init(in path: String) throws(FileError) {
        try FileSystem.makeDirectories(path)
        directory = try OpenDirectory(path)
        guard let canonical = FileSystem.canonicalPath(path) else { throw FileError(code: ENOENT) }
        directoryPath = canonical
        if let status = directory.status(of: Self.name), status.kind == .file, status.isOpenToOthers, status.isOurs {
            try directory.setMode(of: Self.name, 0o600)
        }
    }

    /// Removes the file, which must not be open, with its log.
    func discard() { for suffix in ["", "-wal", "-shm"] { directory.remove(Self.name + suffix) } }
}
