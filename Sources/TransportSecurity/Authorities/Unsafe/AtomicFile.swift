import LibC

/// A file that is written completely or not at all.
struct AtomicFile {
    struct Owner {
        var user: uid_t
        var group: gid_t
    }

    let path: String
    let mode: mode_t
    /// Nil: this process's user.
    var owner: Owner?

    /// The path of the draft that is written first.
    private var draft: String { "\(path).\(getpid())" }

    /// Writes the file; blocks.
    ///
    /// - Parameter replaces: whether to replace an existing file, which otherwise is an error.
    func put(_ bytes: [UInt8], replaces: Bool) throws(AuthorityError) {
        try write(bytes)
        defer { discard() }
        try publish(replaces: replaces)
    }

    /// Writes the draft to the disk; `discard` removes it again.
    func write(_ bytes: [UInt8]) throws(AuthorityError) {
        unsafe _ = unlink(draft)
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .unwritable(file: path, reason: Self.reason()) }
        defer { close(descriptor) }
        errno = 0
        guard unsafe LibC.write(descriptor, bytes, bytes.count) == bytes.count, fchmod(descriptor, mode) == 0,
            owner.map({ $0.own(descriptor) }) ?? true, fsync(descriptor) == 0
        else {
            let reason = Self.reason()
            discard()
            throw .unwritable(file: path, reason: reason)
        }
    }

    /// Gives the draft its final path.
    func publish(replaces: Bool) throws(AuthorityError) {
        guard unsafe (replaces ? rename(draft, path) : link(draft, path)) == 0 else {
            throw errno == EEXIST ? .exists(file: path) : .unwritable(file: path, reason: Self.reason())
        }
    }

    /// Removes the draft, if it is still there.
    func discard() { unsafe _ = unlink(draft) }

    /// The system's description of the last error.
    static func reason() -> String { unsafe String(cString: strerror(errno == 0 ? EIO : errno)) }
}

extension AtomicFile.Owner {
    /// Makes this the owner of an open file or directory.
    func own(_ descriptor: Int32) -> Bool { fchown(descriptor, user, group) == 0 }

    /// Makes this the owner of a directory; anything that has replaced it at the path, such as a link, stays.
    func own(directory path: String) -> Bool {
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return own(descriptor)
    }
}
