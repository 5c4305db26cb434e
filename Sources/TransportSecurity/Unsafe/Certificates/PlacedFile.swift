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

    /// Writes it; blocks.
    ///
    /// - Parameter replaces: else it must not be there yet.
    func put(_ octets: [UInt8], replaces: Bool) throws(AuthorityError) {
        let draft = "\(path).\(getpid())"
        unsafe _ = unlink(draft)
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .unwritable(file: path, reason: Self.reason()) }
        defer {
            close(descriptor)
            unsafe _ = unlink(draft)
        }
        errno = 0
        guard unsafe Glibc.write(descriptor, octets, octets.count) == octets.count, fchmod(descriptor, mode) == 0,
            owner.map({ fchown(descriptor, $0.user, $0.group) == 0 }) ?? true, fsync(descriptor) == 0
        else { throw .unwritable(file: path, reason: Self.reason()) }
        guard unsafe (replaces ? rename(draft, path) : link(draft, path)) == 0 else {
            throw errno == EEXIST ? .exists(file: path) : .unwritable(file: path, reason: Self.reason())
        }
    }

    /// The system's sentence for the last error.
    static func reason() -> String { unsafe String(cString: strerror(errno == 0 ? EIO : errno)) }
}
