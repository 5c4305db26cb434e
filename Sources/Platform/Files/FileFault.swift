/// Why a file cannot be sent or received.
public enum FileFault: Error, Sendable, Hashable {
    /// A system call failed.
    case system(SystemError)
    /// Text with a NUL is no path.
    case notAPath
    case directory
    /// A device, a pipe or a socket.
    case irregular
    /// It has another size than at the beginning, in bytes.
    case resized(from: Int64, to: Int64)
    /// The incomplete file at this path is not ours to continue or to replace.
    case foreignPart(path: String)
    /// Another process writes the same file.
    case inUse

    /// A clause that follows the file's name and a colon.
    public var reason: String {
        switch self {
        case .system(let error): error.reason
        case .notAPath: "the path contains a NUL byte"
        case .directory: "it is a directory"
        case .irregular: "it is no regular file"
        case .resized(let old, let new): "its size changed from \(old) to \(new) bytes meanwhile"
        case .foreignPart(let path): "\(path) is not a plain file of this user alone; remove it"
        case .inUse: "another process is writing it"
        }
    }

    /// The fault that `errno` reports.
    static func lastError(_ code: Int32) -> FileFault { .system(SystemError(code)) }
}
