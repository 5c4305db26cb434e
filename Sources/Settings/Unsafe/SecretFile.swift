import Glibc

/// A file with a secret text that its owner alone may read.
public enum SecretFile {
    /// The text of an existing file, or of the one made here with what `make` returns; blocks.
    ///
    /// Two processes that start at once agree on one text. Missing directories are made, for their owner alone.
    /// Throws EPERM if the file is neither this user's nor root's, everybody may read it, or others than its owner may write
    /// it; a file is made in no directory in which others could replace it.
    public static func readOrMake(_ path: String, make: () -> String) throws(SmallFile.Failure) -> String {
        if let known = try readPrivate(path) { return known }
        makeDirectories(of: path)
        if let fault = directoryFault(of: path) { throw SmallFile.Failure(secret: fault) }
        let draft = "\(path).\(getpid())"
        let fresh = make()
        try write(fresh, to: draft)
        defer { unsafe _ = unlink(draft) }
        if unsafe link(draft, path) == 0 { return fresh }
        let code = errno
        guard code == EEXIST, let other = try readPrivate(path) else { throw SmallFile.Failure(code) }
        return other
    }

    /// The first line of a file; blocks.
    public static func read(_ path: String) throws(SmallFile.Failure) -> String {
        firstLine(try SmallFile.read(path, limit: limit))
    }

    private static let limit = 4096

    private static func firstLine(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
    }

    /// The one line of a file that its owner wrote and not everybody may read, without its end; blocks.
    static func readLine(_ path: String, limit: Int) throws(SecretFault) -> String {
        // A pipe without a writer would block.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unreadable(SmallFile.Failure(errno)) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .unreadable(SmallFile.Failure(errno)) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
        guard isOurs(status) else { throw .foreign(owner: status.st_uid, user: geteuid()) }
        guard !isTooOpen(status) else { throw .tooOpen }
        var bytes: [UInt8]
        do {
            bytes = try SmallFile.read(descriptor: descriptor, limit: limit)
        } catch {
            if error.code == EFBIG { throw .tooLarge }
            throw .unreadable(error)
        }
        if bytes.last == 0x0A { bytes.removeLast() }
        if bytes.last == 0x0D { bytes.removeLast() }
        guard !bytes.isEmpty else { throw .empty }
        guard let text = String(validating: bytes, as: UTF8.self), FieldText.isValue(text) else {
            throw .notAFieldValue
        }
        return text
    }

    /// Nil if there is no file, or an empty one.
    private static func readPrivate(_ path: String) throws(SmallFile.Failure) -> String? {
        // A pipe without a writer would block.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw SmallFile.Failure(errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw SmallFile.Failure(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SmallFile.Failure(secret: "it is no regular file") }
        guard isOurs(status) else {
            throw SmallFile.Failure(secret: "it belongs to user \(status.st_uid), and this is user \(geteuid())")
        }
        guard !isTooOpen(status) else { throw SmallFile.Failure(secret: "others may read or write it") }
        let text = firstLine(try SmallFile.read(descriptor: descriptor, limit: limit))
        if text.isEmpty {
            unsafe _ = unlink(path)
            return nil
        }
        return text
    }

    /// It belongs to this process's user, or to root.
    private static func isOurs(_ status: stat) -> Bool { status.st_uid == geteuid() || status.st_uid == 0 }

    /// A group may be let in on purpose; everybody never.
    private static func isTooOpen(_ status: stat) -> Bool { status.st_mode & 0o027 != 0 }

    /// Why a file at `path` could be replaced by others; nil if it could not.
    public static func directoryFault(of path: String) -> String? {
        let directory = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        var status = stat()
        guard unsafe stat(directory, &status) == 0 else { return nil }
        guard isOurs(status) else { return "the directory \(directory) belongs to user \(status.st_uid)" }
        // In a sticky directory nobody replaces what is another's.
        guard status.st_mode & 0o002 == 0 || status.st_mode & S_ISVTX != 0 else {
            return "everybody may write into the directory \(directory)"
        }
        return nil
    }

    private static func write(_ text: String, to path: String) throws(SmallFile.Failure) {
        unsafe _ = unlink(path)
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SmallFile.Failure(errno) }
        defer { close(descriptor) }
        // Whatever the umask.
        fchmod(descriptor, 0o600)
        let bytes = Array((text + "\n").utf8)
        guard unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
            throw SmallFile.Failure(errno == 0 ? EIO : errno)
        }
    }

    public static func makeDirectories(of path: String) {
        var place = path.startIndex
        while let slash = path[place...].dropFirst().firstIndex(of: "/") {
            unsafe _ = mkdir(String(path[..<slash]), 0o700)
            place = slash
        }
    }
}
