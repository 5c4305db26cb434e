import LibC
import Platform

/// A file of settings with its owner and what its mode permits.
struct SettingsFile {
    let bytes: [UInt8]
    /// The user that owns it; nil if it is no regular file, such as a pipe.
    let owner: UInt32?
    /// Whether every user of this machine can read it: by its mode, and by those of the directories above it.
    let isReadableByAll: Bool
    /// Whether every user of this machine may write to it.
    let isWritableByAll: Bool

    /// The most bytes of a settings file.
    static let limit = 1 << 20

    /// Reads the file that a user names, of whatever kind it is; blocks.
    static func read(_ path: String) throws(SystemError) -> SettingsFile {
        try read(path, isAddition: false)
    }

    /// Reads a file of `conf.d`, which must be a regular one; blocks.
    ///
    /// - Parameter owners: whose files are read, besides this user's and root's.
    static func readAddition(_ path: String, owners: Set<UInt32>) throws(SettingsFileFault) -> SettingsFile {
        let file: SettingsFile
        do throws(SystemError) { file = try read(path, isAddition: true) } catch { throw .unreadable(error) }
        guard let owner = file.owner else { throw .notRegular }
        guard isTrusted(owner, owners) else { throw .foreign(owner: owner) }
        guard !file.isWritableByAll else { throw .writable }
        return file
    }

    private static func read(_ path: String, isAddition: Bool) throws(SystemError) -> SettingsFile {
        // Non-blocking: opening a pipe without a writer would block.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | (isAddition ? O_NONBLOCK : 0))
        guard descriptor >= 0 else { throw SystemError(errno) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw SystemError(errno) }
        let isRegular = status.st_mode & S_IFMT == S_IFREG
        return SettingsFile(
            bytes: isRegular || !isAddition ? try SmallFile.read(descriptor: descriptor, limit: limit) : [],
            owner: isRegular ? status.st_uid : nil,
            isReadableByAll: isRegular && status.st_mode & 0o004 != 0 && isReachable(path),
            isWritableByAll: isRegular && status.st_mode & 0o002 != 0
        )
    }

    /// The files of a directory whose names end with `.toml` and begin with no dot, in the order of their names.
    ///
    /// None if there is no such directory.
    /// - Parameter owners: whose directory is read, besides this user's and root's.
    static func names(in directory: String, owners: Set<UInt32>) throws(SettingsFileFault) -> [String] {
        var status = stat()
        guard unsafe stat(directory, &status) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return [] }
            throw .unreadable(SystemError(errno))
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .noDirectory }
        let names = SmallFile.names(in: directory).filter { $0.hasSuffix(".toml") && !$0.hasPrefix(".") }
        guard unsafe access(directory, R_OK | X_OK) == 0 else { throw .unreadable(SystemError(errno)) }
        guard !names.isEmpty else { return [] }
        guard isTrusted(status.st_uid, owners) else { throw .foreign(owner: status.st_uid) }
        guard status.st_mode & 0o002 == 0 else { throw .writable }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private static func isTrusted(_ owner: UInt32, _ owners: Set<UInt32>) -> Bool {
        owner == 0 || owner == geteuid() || owners.contains(owner)
    }

    /// Whether every user may go through all directories above a path.
    private static func isReachable(_ path: String) -> Bool {
        guard let resolved = unsafe realpath(path, nil) else { return false }
        defer { unsafe free(resolved) }
        var directory = unsafe String(cString: resolved)
        while let slash = directory.lastIndex(of: "/") {
            directory = String(directory[..<slash])
            var status = stat()
            guard unsafe stat(directory.isEmpty ? "/" : directory, &status) == 0, status.st_mode & 0o001 != 0 else {
                return false
            }
        }
        return true
    }
}

/// Why a file of `conf.d`, or the directory, is not read.
enum SettingsFileFault: Error {
    case unreadable(SystemError)
    case notRegular, noDirectory, writable
    case foreign(owner: UInt32)

    /// A sentence for the file at `path`.
    func sentence(_ path: String) -> String {
        switch self {
        case .unreadable(let error): "cannot be read: \(error.reason)"
        case .notRegular: "is no regular file; move it out of the directory, or give it a name without `.toml`"
        case .noDirectory: "is no directory; settings beside the settings file are in a directory of this name"
        case .writable: "may be written by everybody on this machine; `chmod o-w \(path)`"
        case .foreign(let owner):
            "belongs to user \(owner), who could change it; `chown` it to root or to the owner of the settings file"
        }
    }
}
