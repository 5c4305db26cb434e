import Glibc

/// Reads files that are small by nature.
public enum SmallFile {
    /// Why a file could not be read.
    public struct Failure: Error, Sendable {
        /// The system's number for it; EFBIG if the file is larger than allowed.
        public var code: Int32
        /// The system's sentence for it.
        public var reason: String

        init(_ code: Int32) {
            self.code = code
            reason = unsafe String(cString: strerror(code))
        }

        /// A secret that is none, for this reason.
        init(secret reason: String) {
            code = EPERM
            self.reason = reason
        }

        /// There is no such file.
        public var isMissing: Bool { code == ENOENT }
    }

    /// All bytes of a file, a pipe too; blocks.
    ///
    /// - Parameter limit: a larger file is not read to its end.
    public static func read(_ path: String, limit: Int) throws(Failure) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(errno) }
        defer { close(descriptor) }
        return try read(descriptor: descriptor, limit: limit)
    }

    /// All bytes there are to read.
    static func read(descriptor: Int32, limit: Int) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { return bytes }
            if count < 0 {
                if errno == EINTR { continue }
                throw Failure(errno)
            }
            bytes.append(contentsOf: buffer.prefix(count))
            guard bytes.count <= limit else { throw Failure(EFBIG) }
        }
    }

    /// Names in a directory, in no order; none if it cannot be read.
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

    /// Takes a file away; one that is not there is no failure.
    public static func remove(_ path: String) throws(Failure) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw Failure(errno) }
    }

    /// A program this process may run.
    public static func isExecutable(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 }

    /// There is a file or directory, be it behind a link; whether it may be read is not asked.
    public static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Something has this name, be it a link that leads nowhere.
    public static func isNamed(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    /// A socket of this user's that nobody else may use.
    public static func isOwnSocket(_ path: String) -> Bool {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFSOCK && status.st_uid == geteuid() && status.st_mode & 0o077 == 0
    }

    /// Makes a directory for this user alone, below `parent`, under a name nobody had; returns its path.
    public static func makePrivateDirectory(in parent: String) throws(Failure) -> String {
        var path = Array("\(parent)/respite-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&path) != nil else { throw Failure(errno) }
        return String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Takes an empty directory away.
    public static func removeDirectory(_ path: String) { unsafe _ = rmdir(path) }
}
