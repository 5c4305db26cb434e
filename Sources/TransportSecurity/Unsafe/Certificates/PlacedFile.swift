import Glibc

/// A file that is there whole or not at all.
struct PlacedFile {
    struct Owner {
        var user: uid_t
        var group: gid_t
    }

    let path: String
    let mode: mode_t
    /// Nil: this process's user.
    var owner: Owner?

    /// What it is written as first.
    private var draft: String { "\(path).\(getpid())" }

    /// Writes it; blocks.
    ///
    /// - Parameter replaces: else it must not be there yet.
    func put(_ bytes: [UInt8], replaces: Bool) throws(AuthorityError) {
        try write(bytes)
        defer { discard() }
        try place(replaces: replaces)
    }

    /// Writes its draft, which lasts from here on; `discard` takes it away again.
    func write(_ bytes: [UInt8]) throws(AuthorityError) {
        unsafe _ = unlink(draft)
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .unwritable(file: path, reason: Self.reason()) }
        defer { close(descriptor) }
        errno = 0
        guard unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fchmod(descriptor, mode) == 0,
            owner.map({ $0.take(descriptor) }) ?? true, fsync(descriptor) == 0
        else {
            let reason = Self.reason()
            discard()
            throw .unwritable(file: path, reason: reason)
        }
    }

    /// Puts the draft in its place.
    func place(replaces: Bool) throws(AuthorityError) {
        guard unsafe (replaces ? rename(draft, path) : link(draft, path)) == 0 else {
            throw errno == EEXIST ? .exists(file: path) : .unwritable(file: path, reason: Self.reason())
        }
    }

    /// Takes away what is left of the draft.
    func discard() { unsafe _ = unlink(draft) }

    /// The system's sentence for the last error.
    static func reason() -> String { unsafe String(cString: strerror(errno == 0 ? EIO : errno)) }
}

extension PlacedFile.Owner {
    /// Has an open file or directory belong to it.
    func take(_ descriptor: Int32) -> Bool { fchown(descriptor, user, group) == 0 }

    /// Has a directory belong to it; what else stands at the path by now, a link for one, is left alone.
    func take(directory path: String) -> Bool {
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return take(descriptor)
    }
}
