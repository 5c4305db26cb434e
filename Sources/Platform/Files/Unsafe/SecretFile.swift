import LibC

/// A file with a secret text that only its owner may read.
public enum SecretFile {
    /// Why the secret cannot be read or made.
    public struct Failure: Error, Sendable {
        /// A clause that follows the file's name.
        public var reason: String

        init(_ reason: String) { self.reason = reason }

        init(_ error: SystemError) { reason = error.reason }
    }

    /// Reads the text of a file, or makes the file with what `make` returns; blocks.
    ///
    /// If two processes start at once, both get the same text. Missing directories are made, only for their owner.
    /// - Throws: if the file belongs neither to this user nor to root, if everybody may read it, or if others may write
    ///   it. No file is made in a directory in which others could replace it.
    public static func readOrMake(_ path: String, make: () -> String) throws(Failure) -> String {
        if let known = try readOwn(path) { return known }
        makeDirectories(of: path)
        if let fault = directoryFault(of: path) { throw Failure(fault) }
        let draft = "\(path).\(getpid())"
        let fresh = make()
        try write(fresh, to: draft)
        defer { unsafe _ = unlink(draft) }
        if unsafe link(draft, path) == 0 { return fresh }
        let code = errno
        guard code == EEXIST, let other = try readOwn(path) else { throw Failure(SystemError(code)) }
        return other
    }

    /// The first line of a file that its operator made, whose group may read it; changes nothing, and blocks.
    ///
    /// - Throws: for a symbolic link, and for a directory in which others could replace the file. Also for a file that
    ///   others may read, that its group may write, or that belongs neither to this user nor to root.
    public static func readOfOperator(_ path: String) throws(Failure) -> String {
        if let fault = directoryFault(of: path) { throw Failure(fault) }
        guard let text = try readPrivate(path, mayBeLink: false) else { throw Failure(SystemError(ENOENT)) }
        return text
    }

    /// The first line of a file; blocks.
    public static func read(_ path: String) throws(SystemError) -> String {
        firstLine(try SmallFile.read(path, limit: limit))
    }

    private static let limit = 4096

    private static func firstLine(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
    }

    /// The only line of a file, without its end; blocks.
    ///
    /// Not everybody may read the file, and only its owner may write it.
    ///
    /// - Parameter isValue: whether a text may be the secret.
    public static func readLine(
        _ path: String,
        limit: Int,
        where isValue: (String) -> Bool
    ) throws(SecretFault) -> String {
        var bytes = try readBytes(path, limit: limit)
        if bytes.last == 0x0A { bytes.removeLast() }
        if bytes.last == 0x0D { bytes.removeLast() }
        guard !bytes.isEmpty else { throw .empty }
        guard let text = String(validating: bytes, as: UTF8.self), isValue(text) else {
            throw .notAValue
        }
        return text
    }

    /// All bytes of a file, under the rules of `readLine`; blocks.
    public static func readBytes(_ path: String, limit: Int) throws(SecretFault) -> [UInt8] {
        // Non-blocking: opening a pipe without a writer would block.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unreadable(SystemError(errno)) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .unreadable(SystemError(errno)) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
        guard isOurs(status) else { throw .foreign(owner: status.st_uid, user: geteuid()) }
        guard !isTooOpen(status) else { throw .tooOpen }
        do {
            return try SmallFile.read(descriptor: descriptor, limit: limit)
        } catch {
            throw error.code == EFBIG ? .tooLarge : .unreadable(error)
        }
    }

    /// The secret in a file of ours; nil if there is no file, or an empty one, which is then removed.
    private static func readOwn(_ path: String) throws(Failure) -> String? {
        let text = try readPrivate(path, mayBeLink: true)
        guard text == "" else { return text }
        unsafe _ = unlink(path)
        return nil
    }

    /// The first line of a file that others may neither read nor write; nil if there is no file.
    private static func readPrivate(_ path: String, mayBeLink: Bool) throws(Failure) -> String? {
        // Non-blocking: opening a pipe without a writer would block.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (mayBeLink ? 0 : O_NOFOLLOW))
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            if errno == ELOOP, !mayBeLink { throw Failure("it is a symbolic link; name the file itself") }
            throw Failure(SystemError(errno))
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Failure(SystemError(errno)) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Failure("it is no regular file") }
        guard isOurs(status) else {
            throw Failure("it belongs to user \(status.st_uid), and this is user \(geteuid())")
        }
        guard !isTooOpen(status) else { throw Failure("others may read or write it") }
        let bytes: [UInt8]
        do { bytes = try SmallFile.read(descriptor: descriptor, limit: limit) } catch { throw Failure(error) }
        return firstLine(bytes)
    }

    /// Whether the file belongs to this process's user, or to root.
    private static func isOurs(_ status: stat) -> Bool { status.st_uid == geteuid() || status.st_uid == 0 }

    /// Whether others may access the file; its group may, for users who want that.
    private static func isTooOpen(_ status: stat) -> Bool { status.st_mode & 0o027 != 0 }

    /// Why other users could replace a file at `path`; nil if they could not.
    public static func directoryFault(of path: String) -> String? {
        let directory = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        var status = stat()
        guard unsafe stat(directory, &status) == 0 else { return nil }
        guard isOurs(status) else { return "the directory \(directory) belongs to user \(status.st_uid)" }
        // In a sticky directory nobody can replace the file of another user.
        guard status.st_mode & 0o002 == 0 || status.st_mode & mode_t(S_ISVTX) != 0 else {
            return "everybody may write into the directory \(directory)"
        }
        return nil
    }

    private static func write(_ text: String, to path: String) throws(Failure) {
        unsafe _ = unlink(path)
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Failure(SystemError(errno)) }
        defer { close(descriptor) }
        // The umask may have removed bits.
        fchmod(descriptor, 0o600)
        let bytes = Array((text + "\n").utf8)
        guard unsafe LibC.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
            throw Failure(SystemError(errno == 0 ? EIO : errno))
        }
    }

    /// Makes the missing directories above `path`, only for their owner.
    public static func makeDirectories(of path: String) {
        var end = path.startIndex
        while let slash = path[end...].dropFirst().firstIndex(of: "/") {
            unsafe _ = mkdir(String(path[..<slash]), 0o700)
            end = slash
        }
    }
}

/// Why a file is not accepted as a secret.
public enum SecretFault: Error, Sendable {
    case unreadable(SystemError)
    /// The file belongs neither to this user nor to root.
    case foreign(owner: UInt32, user: UInt32)
    case tooOpen, notRegular, tooLarge, empty, notAValue
}
