import LibC

/// A file that this process only appends to, such as a log.
///
/// Any thread may use it. It is closed when the last reference is released.
public final class AppendedFile: Sendable {
    public let path: String
    private let descriptor: FileDescriptor

    /// The descriptor's number, which stays the same when the file is opened again.
    public var number: Int32 { descriptor.number }

    /// Opens a file, a pipe or a device, and makes a file if there is none; its group may read it.
    ///
    /// A link is refused, since another user may have put it there. The links `/dev/stdout` and `/dev/stderr` are this
    /// process's own. Errors name the path and the remedy.
    public init(path: String) throws(SystemError) {
        self.path = path
        descriptor = FileDescriptor(adopting: try Self.open(path))
    }

    /// Opens the path again, after its file was renamed; on an error the previous file stays open.
    public func reopen() throws(SystemError) {
        let new = FileDescriptor(adopting: try Self.open(path))
        guard dup2(new.number, number) >= 0 else { throw SystemError(errno, "cannot open \(path)") }
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    }

    /// Why the path could not be opened; nil if nothing seems to prevent it.
    ///
    /// It makes no file.
    public static func fault(at path: String) -> String? {
        guard !isStandard(path) else { return nil }
        var status = stat()
        if unsafe lstat(path, &status) == 0 {
            if let fault = fault(of: status) { return "\(path) \(fault)" }
            return unsafe access(path, W_OK) == 0 ? nil : "cannot write \(path): \(SystemError(errno).reason)"
        }
        let directory = path.lastIndex(of: "/").map { String(path[..<$0]) + "/" } ?? "."
        return unsafe access(directory, W_OK | X_OK) == 0
            ? nil : "cannot make a file in \(directory): \(SystemError(errno).reason)"
    }

    private static func isStandard(_ path: String) -> Bool { path == "/dev/stdout" || path == "/dev/stderr" }

    private static func open(_ path: String) throws(SystemError) -> Int32 {
        if isStandard(path) {
            let number = fcntl(path == "/dev/stdout" ? STDOUT_FILENO : STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
            guard number >= 0 else { throw SystemError(errno, "cannot open \(path)") }
            return number
        }
        // Without O_NONBLOCK a pipe without a reader would block.
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK
        let number = unsafe LibC.open(path, flags, 0o640)
        guard number >= 0 else {
            let code = errno
            throw SystemError(code, "cannot open \(path)\(code == ELOOP ? ", which \(isLink)" : "")")
        }
        var status = stat()
        guard unsafe fstat(number, &status) == 0, let fault = fault(of: status) else { return number }
        close(number)
        throw SystemError(EINVAL, "cannot open \(path), which \(fault)")
    }

    private static let isLink = "is a symbolic link: name the file that it leads to"

    /// Why a file of this kind is not appended to.
    private static func fault(of status: stat) -> String? {
        let isForeign = status.st_uid != geteuid() && status.st_uid != 0
        return switch status.st_mode & S_IFMT {
        case S_IFREG where isForeign, S_IFIFO where isForeign:
            "belongs to another user: change its owner, or remove it"
        case S_IFREG where status.st_nlink > 1: "has another name, too, so that it may be somebody else's file"
        case S_IFREG, S_IFIFO, S_IFCHR: nil
        case S_IFLNK: isLink
        case S_IFDIR: "is a directory: name a file in it"
        default: "is neither a file nor a pipe"
        }
    }
}
