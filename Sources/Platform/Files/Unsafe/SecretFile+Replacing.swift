import LibC

extension SecretFile {
    /// Writes a file anew, in one step: readers see the old bytes or the new ones; blocks.
    ///
    /// A new file is its owner's alone. One that exists keeps owner, group and its group's right to read.
    /// - Throws: also if others could replace the file in its directory.
    public static func replace(_ path: String, with bytes: [UInt8]) throws(Failure) {
        let path = target(of: path)
        if let fault = directoryFault(of: path) { throw Failure(fault) }
        var before = stat()
        let exists = unsafe stat(path, &before) == 0
        if exists, before.st_mode & S_IFMT != S_IFREG { throw Failure("it is no regular file") }
        let draft = "\(path).\(getpid())"
        unsafe _ = unlink(draft)
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Failure(SystemError(errno)) }
        defer { unsafe _ = unlink(draft) }
        defer { close(descriptor) }
        if exists, before.st_uid != geteuid() || before.st_gid != getegid() {
            guard fchown(descriptor, before.st_uid, before.st_gid) == 0 else { throw Failure(SystemError(errno)) }
        }
        // The umask may have removed bits.
        fchmod(descriptor, exists ? 0o600 | before.st_mode & 0o040 : 0o600)
        guard SystemOutput.write(bytes[...], to: descriptor), fsync(descriptor) == 0,
            unsafe rename(draft, path) == 0
        else { throw Failure(SystemError(errno)) }
    }

    /// Where a link leads, so that the link stays; the path itself if there is no file.
    private static func target(of path: String) -> String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
