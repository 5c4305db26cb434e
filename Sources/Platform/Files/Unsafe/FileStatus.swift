import CLinux
import LibC

/// What the system reports about a file or directory.
public struct FileStatus: Sendable, Equatable {
    /// The number of the user who owns it.
    public let owner: UInt32
    /// Whether that is the user of this process.
    public let isOwn: Bool
    public let isDirectory: Bool
    /// The nine bits that say who may read, write and run it.
    public let permissions: UInt32
    /// When the content changed last, in seconds since 1970.
    public let modified: Int64

    /// - Parameter path: a link stands for what it leads to.
    public init(of path: String) throws(SystemError) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw SystemError(errno) }
        owner = status.st_uid
        isOwn = status.st_uid == geteuid()
        isDirectory = status.st_mode & S_IFMT == S_IFDIR
        permissions = status.st_mode & 0o777
        modified = Int64(status.st_mtim.tv_sec)
    }

    /// Whether this process may write into a directory, and look into it.
    public static func isWritable(_ directory: String) -> Bool { unsafe access(directory, R_OK | W_OK | X_OK) == 0 }

    /// What a symbolic link leads to; nil if the path is no link that may be read.
    public static func target(ofLink path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = unsafe readlink(path, &buffer, buffer.count)
        guard count >= 0 else { return nil }
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
