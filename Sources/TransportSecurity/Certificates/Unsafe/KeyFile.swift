import LibC

/// The file of a private key of this process's user.
enum KeyFile {
    /// Why other users could know or replace the key, with the remedy; nil if they could not, or if there is no file.
    static func fault(_ path: String) -> String? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFREG else { return "the key \(path) is no regular file" }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            let owner = "user \(status.st_uid), and this is user \(geteuid())"
            return "the key \(path) belongs to \(owner): `chown` it to that user or to root"
        }
        // A group may have access on purpose, but not everybody.
        guard status.st_mode & 0o027 == 0 else {
            return "the key \(path) can be read by everybody, or written by others than its owner; `chmod 600` it"
        }
        return nil
    }
}
