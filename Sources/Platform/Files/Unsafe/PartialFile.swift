import CLinux
import LibC
import Locking

/// The part of a file that has been received, beside the file, whose name it gets once it is complete.
///
/// A note beside it names the whole; without a note it is of no use later. While it is open, no other
/// process can open it. One call at a time; calls block.
public final class PartialFile: Sendable {
    /// What is added to the file's name for the part, and for its note.
    public static let suffix = ".respite-part"
    static let noteSuffix = ".respite-note"
    /// The most bytes that a note has.
    private static let noteLimit = 16_384

    /// The file that it will be, without symbolic links.
    public let path: String
    /// What was noted about the bytes that were there when it was opened; nil: they are of no use.
    public let note: String?
    private let part: String
    private let notePath: String
    private let descriptor: FileDescriptor
    private let position: Lock<Int64>

    /// Opens the part that an earlier attempt has left, or makes an empty one.
    ///
    /// What is at `path` stays as it is until `finish()`.
    public init(path given: String) throws(FileFault) {
        let path = try Self.target(of: given)
        self.path = path
        part = path + Self.suffix
        notePath = path + Self.noteSuffix
        let opened = try Self.open(part)
        descriptor = FileDescriptor(adopting: opened.number)
        position = Lock(opened.size)
        note = opened.size > 0 ? Self.readNote(notePath) : nil
    }

    /// The number of bytes.
    public var size: Int64 { position.withLock { $0 } }

    // MARK: Opening

    /// Where a link leads, so that the link stays.
    private static func target(of path: String) throws(FileFault) -> String {
        guard !path.utf8.contains(0) else { throw .notAPath }
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            // The directory may be missing, or closed to this user.
            guard errno == ENOENT else { throw .lastError(errno) }
            return path
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw .directory
        default: throw .irregular
        }
        guard let resolved = unsafe realpath(path, nil) else { throw .lastError(errno) }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// An open part that is ours and locked; repeats while another process takes the name away.
    private static func open(_ part: String) throws(FileFault) -> (number: Int32, size: Int64) {
        for _ in 0..<100 {
            guard let number = try openOrMake(part) else { continue }
            do {
                if let size = try claim(number, part) { return (number, size) }
            } catch {
                close(number)
                throw error
            }
            close(number)
        }
        throw .inUse
    }

    /// Nil if it came or went meanwhile.
    private static func openOrMake(_ part: String) throws(FileFault) -> Int32? {
        let usual = O_RDWR | O_CLOEXEC | O_NOFOLLOW
        // Non-blocking: opening a pipe would block.
        var number = unsafe LibC.open(part, usual | O_NONBLOCK)
        if number >= 0 { return number }
        switch errno {
        case ENOENT: break
        case ELOOP, EISDIR, ENXIO: throw .foreignPart(path: part)
        case let code:
            throw code == EACCES && SmallFile.isNamed(part) ? .foreignPart(path: part) : .lastError(code)
        }
        // As the umask allows, but never for everybody to write: such a part would not be continued.
        number = unsafe LibC.open(part, usual | O_CREAT | O_EXCL, 0o664)
        if number >= 0 { return number }
        if errno == EEXIST { return nil }
        throw .lastError(errno)
    }

    /// Locks an open part; returns its size, or nil if it is no longer what has the name.
    private static func claim(_ number: Int32, _ part: String) throws(FileFault) -> Int64? {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw .lastError(errno) }
        guard status.st_nlink > 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_nlink == 1,
            status.st_mode & 0o002 == 0
        else { throw .foreignPart(path: part) }
        // Some file systems have no locks.
        guard flock(number, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else { throw .inUse }
        var named = stat()
        guard unsafe lstat(part, &named) == 0, named.st_ino == status.st_ino, named.st_dev == status.st_dev else {
            return nil
        }
        guard unsafe fstat(number, &status) == 0 else { throw .lastError(errno) }
        return Int64(status.st_size)
    }

    private static func readNote(_ path: String) -> String? {
        let number = unsafe LibC.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard number >= 0 else { return nil }
        defer { close(number) }
        var status = stat()
        guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_mode & 0o022 == 0, let bytes = try? SmallFile.read(descriptor: number, limit: noteLimit)
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    // MARK: Writing

    /// Empties it; `note` is about what is appended from now on, nil if nothing is known.
    public func restart(note: String?) throws(FileFault) {
        // Nothing notes what the bytes were before they go.
        unsafe _ = unlink(notePath)
        try shorten(to: 0)
        if let note { try write(note) }
    }

    /// Drops what is behind `size` bytes.
    public func shorten(to size: Int64) throws(FileFault) {
        guard ftruncate(descriptor.number, off_t(size)) == 0 else { throw .lastError(errno) }
        position.withLock { $0 = size }
    }

    /// Appends all bytes.
    public func append(_ bytes: [UInt8]) throws(FileFault) {
        var offset = size
        defer { position.withLock { $0 = offset } }
        var written = 0
        while written < bytes.count {
            let result = unsafe bytes[written...].withUnsafeBytes { buffer in
                unsafe pwrite(descriptor.number, buffer.baseAddress, buffer.count, off_t(offset))
            }
            if result > 0 {
                written += result
                offset += Int64(result)
            } else if result == 0 || errno != EINTR {
                throw .lastError(result == 0 ? EIO : errno)
            }
        }
    }

    /// Replaces the note; the former one stays if the new one cannot be written.
    private func write(_ note: String) throws(FileFault) {
        let draft = notePath + "~"
        unsafe _ = unlink(draft)
        do throws(SystemError) {
            try SmallFile.writePrivate(Array(note.utf8), to: draft)
        } catch {
            unsafe _ = unlink(draft)
            throw .system(error)
        }
        guard unsafe rename(draft, notePath) == 0 else { throw .lastError(errno) }
    }

    // MARK: The end

    /// Gives it its name, once it is on the disk, with the permissions of the file that it replaces.
    public func finish() throws(FileFault) {
        var before = stat()
        if unsafe stat(path, &before) == 0 { _ = fchmod(descriptor.number, before.st_mode & 0o777) }
        guard fsync(descriptor.number) == 0, unsafe rename(part, path) == 0 else { throw .lastError(errno) }
        unsafe _ = unlink(notePath)
        unlock()
    }

    /// Keeps it for a later attempt, on the disk; `note` replaces the one that was given before.
    public func keep(note: String) {
        if fsync(descriptor.number) == 0 { try? write(note) }
        unlock()
    }

    /// Removes it, with its note.
    public func discard() {
        unsafe _ = unlink(notePath)
        unsafe _ = unlink(part)
        unlock()
    }

    /// Leaves it as it was found.
    public func leave() { unlock() }

    private func unlock() { _ = flock(descriptor.number, LOCK_UN) }
}
