import Glibc

/// Asks about file systems.
public enum FileSystem {
    /// The size of the whole file system that has a path, or would have it, in bytes.
    public static func size(at path: String) throws(SystemError) -> Int {
        var path = path
        var status = statvfs()
        while unsafe statvfs(path, &status) != 0 {
            guard errno == ENOENT, let slash = path.lastIndex(of: "/"), path.count > 1 else { throw SystemError(errno) }
            path = slash == path.startIndex ? "/" : String(path[..<slash])
        }
        let (size, overflow) = Int(clamping: status.f_blocks).multipliedReportingOverflow(by: Int(status.f_frsize))
        return overflow ? Int.max : size
    }
}
