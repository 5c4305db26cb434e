import Glibc

/// A file with a secret text that its owner alone may read.
public enum SecretFile {
    /// The text of an existing file, or of the one made here with what `make` returns; blocks.
    ///
    /// Two processes that start at once agree on one text. Missing directories are made, for their owner alone.
    /// Throws EPERM if everybody may read the file, or others than its owner may write it.
    public static func readOrMake(_ path: String, make: () -> String) throws(SmallFile.Failure) -> String {
        if let known = try readPrivate(path) { return known }
        makeDirectories(of: path)
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
        let octets = try SmallFile.read(path, limit: 4096)
        return String(decoding: octets.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
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
        guard status.st_mode & 0o027 == 0 else { throw .tooOpen }
        var octets: [UInt8]
        do {
            octets = try SmallFile.read(descriptor: descriptor, limit: limit)
        } catch {
            if error.code == EFBIG { throw .tooLarge }
            throw .unreadable(error)
        }
        if octets.last == 0x0A { octets.removeLast() }
        if octets.last == 0x0D { octets.removeLast() }
        guard !octets.isEmpty else { throw .empty }
        guard let text = String(validating: octets, as: UTF8.self), FieldText.isValue(text) else {
            throw .notAFieldValue
        }
        return text
    }

    /// Nil if there is no file, or an empty one.
    private static func readPrivate(_ path: String) throws(SmallFile.Failure) -> String? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw SmallFile.Failure(errno)
        }
        // A group may be let in on purpose; everybody never.
        guard status.st_mode & 0o027 == 0 else { throw SmallFile.Failure(EPERM) }
        let text = try read(path)
        if text.isEmpty {
            unsafe _ = unlink(path)
            return nil
        }
        return text
    }

    private static func write(_ text: String, to path: String) throws(SmallFile.Failure) {
        unsafe _ = unlink(path)
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SmallFile.Failure(errno) }
        defer { close(descriptor) }
        let octets = Array((text + "\n").utf8)
        guard unsafe Glibc.write(descriptor, octets, octets.count) == octets.count, fsync(descriptor) == 0 else {
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
