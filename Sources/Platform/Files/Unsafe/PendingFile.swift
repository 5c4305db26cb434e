import CLinux
import LibC

/// A file that gets its name once it is complete: readers see the old content or the whole new one.
///
/// What is no regular file, such as a device or a pipe, is written to directly. Bound to one thread.
public final class PendingFile {
    private let path: String
    /// Where it is written until it is complete; nil: at its path.
    private var draft: String?
    private let descriptor: FileDescriptor

    /// Makes a file beside `path`, with the permissions of the one that it will replace.
    public init(path: String) throws(SystemError) {
        let path = Self.target(of: path)
        self.path = path
        var before = stat()
        let exists = unsafe stat(path, &before) == 0
        guard !exists || before.st_mode & S_IFMT == S_IFREG else {
            let number = unsafe open(path, O_WRONLY | O_CLOEXEC)
            guard number >= 0 else { throw SystemError(errno) }
            descriptor = FileDescriptor(adopting: number)
            return
        }
        let draft = "\(path).\(getpid()).part"
        let number = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
        guard number >= 0 else { throw SystemError(errno) }
        if exists { fchmod(number, before.st_mode & 0o777) }
        descriptor = FileDescriptor(adopting: number)
        self.draft = draft
    }

    deinit { discard() }

    /// Writes all bytes; blocks.
    public func write(_ bytes: [UInt8]) throws(SystemError) {
        guard SystemOutput.write(bytes[...], to: descriptor.number) else { throw SystemError(errno) }
    }

    /// Gives the file its name.
    public func finish() throws(SystemError) {
        guard let draft else { return }
        guard unsafe rename(draft, path) == 0 else { throw SystemError(errno) }
        self.draft = nil
    }

    /// Removes what was written.
    public func discard() {
        if let draft { unsafe _ = unlink(draft) }
        draft = nil
    }

    /// Where a link leads, so that the link stays; the path itself if there is no file.
    private static func target(of path: String) -> String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
