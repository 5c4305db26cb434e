import LibC

/// Asks about file systems.
public enum FileSystem {
    /// The size of the whole file system that has a path, or would have it, in bytes.
    public static func size(at path: String) throws(SystemError) -> Int {
        let status = try status(at: path)
        return bytes(status.f_blocks, status)
    }

    /// The bytes that this user can still write there.
    public static func available(at path: String) throws(SystemError) -> Int {
        let status = try status(at: path)
        return bytes(status.f_bavail, status)
    }

    private static func status(at path: String) throws(SystemError) -> statvfs {
        var path = path
        var status = statvfs()
        while unsafe statvfs(path, &status) != 0 {
            guard errno == ENOENT, let slash = path.lastIndex(of: "/"), path.count > 1 else { throw SystemError(errno) }
            path = slash == path.startIndex ? "/" : String(path[..<slash])
        }
        return status
    }

    private static func bytes(_ blocks: fsblkcnt_t, _ status: statvfs) -> Int {
        let (size, overflow) = Int(clamping: blocks).multipliedReportingOverflow(by: Int(status.f_frsize))
        return overflow ? Int.max : size
    }
}
