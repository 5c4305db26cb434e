import LibC

/// Identifies a file among all others, as long as it is open.
struct FileIdentity: Hashable, Sendable {
    var device: UInt64
    var number: UInt64
}

/// What the system reports of a file or directory.
struct FileStatus: Sendable {
    enum Kind: Sendable { case file, directory, link, other }

    var kind: Kind
    /// The number of its owner.
    var owner: UInt32
    /// The permission bits.
    var mode: UInt32
    /// How many names the file has.
    var names: Int
    /// Its length in bytes.
    var count: Int64
    /// What `du` counts for it, in bytes.
    var usage: Int64
    var identity: FileIdentity

    init(_ status: stat) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: kind = .file
        case S_IFDIR: kind = .directory
        case S_IFLNK: kind = .link
        default: kind = .other
        }
        owner = status.st_uid
        mode = status.st_mode & 0o7777
        names = Int(status.st_nlink)
        count = Int64(status.st_size)
        usage = Int64(status.st_blocks) * 512
        identity = FileIdentity(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
    }

    /// Whether group or others may read, write or enter it.
    var isOpenToOthers: Bool { mode & 0o077 != 0 }
    /// Whether the user of this process owns it, or root, who can change everything anyway.
    var isOurs: Bool { owner == geteuid() || owner == 0 }
}

/// An open directory; names are looked up in this very directory, and no link is followed.
///
/// Renaming or replacing the directory's path changes nothing. Closed with the last reference.
final class OpenDirectory: Sendable {
    let descriptor: Int32

    /// Opens the directory at `path`; follows links.
    init(_ path: String) throws(FileError) {
        descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor < 0 { throw FileError(code: errno) }
    }

    /// Opens a directory in another one.
    init(_ name: String, in parent: OpenDirectory) throws(FileError) {
        descriptor = unsafe openat(parent.descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        if descriptor < 0 { throw FileError(code: errno) }
    }

    deinit { close(descriptor) }

    /// The status of the directory itself.
    func status() throws(FileError) -> FileStatus {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw FileError(code: errno) }
        return FileStatus(status)
    }

    func setMode(_ mode: UInt32) throws(FileError) {
        if fchmod(descriptor, mode_t(mode)) != 0 { throw FileError(code: errno) }
    }

    // MARK: Names

    /// The status of the file or link with this name; nil if there is none.
    func status(of name: String) -> FileStatus? {
        var status = stat()
        let result = unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW)
        return result == 0 ? FileStatus(status) : nil
    }

    /// Sets the permission bits of a file or directory; follows links, so look at its status first.
    func setMode(of name: String, _ mode: UInt32) throws(FileError) {
        if unsafe fchmodat(descriptor, name, mode_t(mode), 0) != 0 { throw FileError(code: errno) }
    }

    /// Makes a directory for its owner alone, whatever the umask; does nothing if there is one.
    func makeDirectory(_ name: String) throws(FileError) {
        if unsafe mkdirat(descriptor, name, 0o700) == 0 { return try setMode(of: name, 0o700) }
        if errno != EEXIST { throw FileError(code: errno) }
    }

    /// Moves a file to another directory, under another name.
    func rename(_ name: String, to directory: OpenDirectory, _ newName: String) throws(FileError) {
        if unsafe renameat(descriptor, name, directory.descriptor, newName) != 0 { throw FileError(code: errno) }
    }

    /// Gives a file a second name, in another directory; fails if that is taken.
    func link(_ name: String, to directory: OpenDirectory, _ newName: String) throws(FileError) {
        if unsafe linkat(descriptor, name, directory.descriptor, newName, 0) != 0 { throw FileError(code: errno) }
    }

    /// Removes the name of a file; returns whether there was one.
    @discardableResult
    func remove(_ name: String) -> Bool { unsafe unlinkat(descriptor, name, 0) == 0 }

    /// All names, without `.` and `..`; none if they cannot be read.
    var names: [String] {
        var names: [String] = []
        _ = firstName { name in
            names.append(name)
            return false
        }
        return names
    }

    /// The first name for which `condition` is true.
    func firstName(where condition: (String) -> Bool) -> String? {
        let copy = unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { return nil }
        guard let stream = unsafe fdopendir(copy) else {
            close(copy)
            return nil
        }
        defer { unsafe _ = closedir(stream) }
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != "..", condition(name) { return name }
        }
        return nil
    }
}
