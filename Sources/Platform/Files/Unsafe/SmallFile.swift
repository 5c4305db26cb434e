import LibC

/// Reads small files, and looks at names in directories.
public enum SmallFile {
    /// All bytes of a file, or of a pipe; blocks.
    ///
    /// - Parameter limit: the most bytes; a larger file throws EFBIG.
    public static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError(errno) }
        defer { close(descriptor) }
        return try read(descriptor: descriptor, limit: limit)
    }

    /// The first bytes of a file, at most `count`; blocks.
    public static func start(of path: String, count: Int) throws(SystemError) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw SystemError(errno) }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: count)
        let received = unsafe LibC.read(descriptor, &buffer, count)
        guard received >= 0 else { throw SystemError(errno) }
        return Array(buffer.prefix(received))
    }

    /// All bytes up to the end of an open file.
    public static func read(descriptor: Int32, limit: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe LibC.read(descriptor, &buffer, buffer.count)
            if count == 0 { return bytes }
            if count == -1 {
                if errno == EINTR { continue }
                throw SystemError(errno)
            }
            bytes.append(contentsOf: buffer.prefix(count))
            guard bytes.count <= limit else { throw SystemError(EFBIG) }
        }
    }

    /// The names in a directory, in no order; none if it cannot be read.
    public static func names(in directory: String) -> [String] {
        guard let stream = unsafe opendir(directory) else { return [] }
        defer { unsafe _ = closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes a file; without effect if there is none.
    public static func remove(_ path: String) throws(SystemError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw SystemError(errno) }
    }

    /// Gives a file another name, in place of a file that has it.
    public static func rename(_ path: String, to name: String) throws(SystemError) {
        guard unsafe LibC.rename(path, name) == 0 else { throw SystemError(errno) }
    }

    /// Whether the path names a program that this process may run.
    public static func isExecutable(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 }

    /// Whether the path, or the link there, leads to a file or directory; it need not be readable.
    public static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Whether something has this path, even a link that leads nowhere.
    public static func isNamed(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    /// Whether this is a socket of this process's user that no other user may access.
    public static func isOwnSocket(_ path: String) -> Bool {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFSOCK && status.st_uid == geteuid() && status.st_mode & 0o077 == 0
    }

    /// Makes a directory with a new name below `parent`, for this user only; returns its path.
    public static func makePrivateDirectory(in parent: String) throws(SystemError) -> String {
        var path = Array("\(parent)/respite-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&path) != nil else { throw SystemError(errno) }
        return String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Writes a new file that only this user may access; blocks.
    ///
    /// - Parameter isProgram: whether the user may run it.
    public static func writePrivate(
        _ bytes: [UInt8],
        to path: String,
        isProgram: Bool = false
    ) throws(SystemError) {
        let mode: mode_t = isProgram ? 0o700 : 0o600
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { throw SystemError(errno) }
        defer { close(descriptor) }
        // The umask may have removed bits.
        fchmod(descriptor, mode)
        guard SystemOutput.write(bytes[...], to: descriptor) else { throw SystemError(errno) }
    }

    /// Appends a short text to a file that only this user may access, and makes the file if there is none; blocks.
    public static func appendPrivate(_ text: String, to path: String) throws(SystemError) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SystemError(errno) }
        defer { close(descriptor) }
        guard SystemOutput.write(Array(text.utf8)[...], to: descriptor) else { throw SystemError(errno) }
    }

    /// Removes an empty directory.
    public static func removeDirectory(_ path: String) { unsafe _ = rmdir(path) }
}
