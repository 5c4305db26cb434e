import Glibc

/// A file with a private key, as whoever runs this process keeps it.
enum KeyFile {
    /// Why the key could be known or replaced by others, with the remedy; nil if it could not, or is not there.
    static func fault(_ path: String) -> String? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFREG else { return "the key \(path) is no regular file" }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            let owner = "user \(status.st_uid), and this is user \(geteuid())"
            return "the key \(path) belongs to \(owner): `chown` it to that user or to root"
        }
        // A group may be let in on purpose; everybody never.
        guard status.st_mode & 0o027 == 0 else {
            return "the key \(path) can be read by everybody, or written by others than its owner; `chmod 600` it"
        }
        return nil
    }
}
