import LibC

/// Decides whether a directory is a store, or may become one.
///
/// A store replaces and deletes files by name, and serves their content. So it accepts no directory that another user
/// could have filled, or that may contain files of others.
struct StoreClaim {
    /// The file that makes a directory a store; written before anything else.
    static let marker = "respite-store"
    /// The content of that file, for people.
    static let markerText = """
        A store of Respite, a caching HTTP proxy. Respite replaces and deletes files in this directory.
        It may be deleted as a whole.

        """

    /// Names that a directory may have before it is a store.
    ///
    /// These are files of the daemon and of `respite run`, and names at the root of file systems.
    private static let earlyNames = ["lock", "partition-key", "admin-token", "admin.sock", "run", "lost+found"]
    /// `RSPT`, the `application_id` of a store's database.
    static let applicationID: Int64 = 0x5253_5054
    /// The number of bytes of a database that show which program made it.
    private static let headerCount = 72

    let path: String
    /// Whether a service manager made the directory for this process: then any owner is accepted.
    let isHandedOver: Bool

    /// Why `directory` cannot be a store; nil if it can become one, or is one.
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

    /// Why the directory at `path` cannot be a store, as far as reading shows; nil if it can, or is missing.
    static func refusal(at path: String, isHandedOver: Bool) -> StoreError? {
        guard FileSystem.status(path) != nil else { return nil }
        let claim = StoreClaim(path: path, isHandedOver: isHandedOver)
        do {
            return claim.refusal(of: try OpenDirectory(path))
        } catch {
            return error.code == ENOTDIR ? claim.foreign("\(path) is no directory; change `storage.directory`") : nil
        }
    }

    /// Why a path that is a link is refused: another user may have made it.
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

    // MARK: Signs of a store

    func isMarked(_ directory: OpenDirectory) -> Bool {
        guard let status = directory.status(of: Self.marker) else { return false }
        return status.kind == .file && (isHandedOver || status.isOurs)
    }

    /// Whether it is a store of an earlier version, which had no marker.
    private func hasOwnDatabase(_ directory: OpenDirectory) -> Bool {
        guard let file = try? OpenFile("cache.db", in: directory, flags: O_RDONLY | O_NONBLOCK),
            let status = file.status, status.kind == .file, isHandedOver || status.isOurs,
            let header = try? file.read(Self.headerCount, at: 0), header.count == Self.headerCount
        else { return false }
        let owner = header[68...].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return header.starts(with: Array("SQLite format 3\0".utf8)) && owner == Self.applicationID
    }

    /// Whether it is a store of an earlier version with a damaged database: nothing else has all of these files.
    private func hasOwnFiles(_ directory: OpenDirectory) -> Bool {
        func status(_ name: String) -> FileStatus? {
            directory.status(of: name).flatMap { isHandedOver || $0.isOurs ? $0 : nil }
        }
        guard let key = status("partition-key"), let lock = status("lock") else { return false }
        return key.kind == .file && key.count == KeyedHash.count && lock.kind == .file && lock.count == 0
            && ["bodies", "spill"].allSatisfy { status($0)?.kind == .directory }
    }

    /// Whether a directory may have this name before it is a store; includes drafts of such files, `NAME.PID`.
    private static func isEarly(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return earlyNames.contains(name)
            || parts.count == 2 && ["partition-key", "admin-token"].contains(parts[0]) && Int32(parts[1]) != nil
    }

    private static func printable(_ name: String) -> String {
        String(name.prefix(80).map { $0.isLetter || $0.isNumber || ".-_ +".contains($0) ? $0 : "?" })
    }
}
