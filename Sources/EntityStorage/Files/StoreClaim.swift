import Glibc

/// Whether a directory is a store of ours, or may become one.
///
/// A store replaces and deletes files by name, and what is in it is served: it takes no directory that somebody else
/// could have filled, or whose files could be somebody else's.
struct StoreClaim {
    /// The file that makes a directory a store; written before anything else.
    static let marker = "respite-store"
    /// What it says to people.
    static let markerText = """
        A store of Respite, a caching HTTP proxy. Respite replaces and deletes files in this directory.
        It may be deleted as a whole.

        """

    /// What stands in a store's directory before it is one: files of the daemon's and of `respite run`, and what file
    /// systems have at their root.
    private static let earlyNames = ["lock", "partition-key", "admin-token", "admin.sock", "run", "lost+found"]
    /// As many bytes of a database tell whose it is.
    private static let headerCount = 72

    let path: String
    /// A service manager made the directory for us: whoever it belongs to.
    let isHandedOver: Bool

    /// Why `directory` cannot be a store; nil if it can, or is one.
    ///
    /// Changes nothing.
    func refusal(of directory: OpenDirectory) -> StoreError? {
        if let refusal = refusalOfLink { return refusal }
        guard let status = try? directory.status(), isHandedOver || status.isOurs else {
            return foreign(
                "the storage directory \(path) belongs to user \(owner(of: directory)), and Respite runs as user "
                    + "\(geteuid()): whoever owns it decides what is served; `chown` it, or change `storage.directory`"
            )
        }
        guard !isMarked(directory), !hasOwnDatabase(directory), !hasOwnFiles(directory) else { return nil }
        guard let name = directory.firstName(where: { !Self.isEarly($0) }) else { return nil }
        return foreign(
            "the storage directory \(path) holds what is not Respite's (\(Self.printable(name))): nothing in it was "
                + "changed; name an empty or a new directory in `storage.directory`"
        )
    }

    /// Why what is at `path` cannot be a store, as far as one who must not write can tell; nil if it can, or is not there.
    static func refusal(at path: String, isHandedOver: Bool) -> StoreError? {
        guard FileSystem.status(path) != nil else { return nil }
        let claim = StoreClaim(path: path, isHandedOver: isHandedOver)
        do {
            return claim.refusal(of: try OpenDirectory(path))
        } catch {
            return error.code == ENOTDIR ? claim.foreign("\(path) is no directory; change `storage.directory`") : nil
        }
    }

    /// A link to somewhere else is followed where nobody else can have put it there.
    private var refusalOfLink: StoreError? {
        var plain = path[...]
        while plain.count > 1, plain.last == "/" { plain.removeLast() }
        guard !isHandedOver, let status = FileSystem.status(String(plain)), status.kind == .link, !status.isOurs else {
            return nil
        }
        return foreign(
            "the storage directory \(path) is a link that belongs to user \(status.owner): whoever owns it decides what is "
                + "served; change `storage.directory` to where it leads"
        )
    }

    private func foreign(_ message: String) -> StoreError { StoreError(.foreignDirectory, message) }

    private func owner(of directory: OpenDirectory) -> String {
        (try? directory.status()).map { "\($0.owner)" } ?? "unknown"
    }

    // MARK: What makes it ours

    func isMarked(_ directory: OpenDirectory) -> Bool {
        guard let status = directory.status(of: Self.marker) else { return false }
        return status.kind == .file && (isHandedOver || status.isOurs)
    }

    /// A store of an earlier version, which had no marker.
    private func hasOwnDatabase(_ directory: OpenDirectory) -> Bool {
        guard let file = try? OpenFile("cache.db", in: directory, flags: O_RDONLY | O_NONBLOCK),
            let status = file.status, status.kind == .file, isHandedOver || status.isOurs,
            let header = try? file.read(Self.headerCount, at: 0), header.count == Self.headerCount
        else { return false }
        let owner = header[68...].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return header.starts(with: Array("SQLite format 3\0".utf8)) && owner == Schema.applicationID
    }

    /// A store of an earlier version whose database is damaged: nothing else has all of these.
    private func hasOwnFiles(_ directory: OpenDirectory) -> Bool {
        func status(_ name: String) -> FileStatus? {
            directory.status(of: name).flatMap { isHandedOver || $0.isOurs ? $0 : nil }
        }
        guard let key = status("partition-key"), let lock = status("lock") else { return false }
        return key.kind == .file && key.count == KeyedHash.count && lock.kind == .file && lock.count == 0
            && ["bodies", "spill"].allSatisfy { status($0)?.kind == .directory }
    }

    /// Also the drafts of these files, `NAME.PID`.
    private static func isEarly(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return earlyNames.contains(name)
            || parts.count == 2 && ["partition-key", "admin-token"].contains(parts[0]) && Int32(parts[1]) != nil
    }

    private static func printable(_ name: String) -> String {
        String(name.prefix(80).map { $0.isLetter || $0.isNumber || ".-_ +".contains($0) ? $0 : "?" })
    }
}
