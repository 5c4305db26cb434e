import LibC
public import Platform

/// Reads the file of a list of hosts.
public enum HostListFile {
    /// The most bytes of a list.
    public static let limit = 128 << 20

    /// Why a file is not read.
    public enum Fault: Error, Sendable, Equatable {
        case unreadable(SystemError)
        case notRegular, tooLarge
        /// Every user of this machine may write to it.
        case writable
        /// It belongs to a user who may change no settings.
        case foreign(owner: UInt32)
    }

    /// All bytes of a regular file of this user, of root or of the owner of the settings file; blocks.
    ///
    /// - Parameter settings: the settings file, if there is one.
    public static func read(_ path: String, for settings: String? = nil) throws(Fault) -> [UInt8] {
        // Non-blocking: opening a pipe without a writer would block.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unreadable(SystemError(errno)) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .unreadable(SystemError(errno)) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
        let owner = status.st_uid
        guard owner == 0 || owner == geteuid() || owner == settings.flatMap(self.owner) else {
            throw .foreign(owner: owner)
        }
        guard status.st_mode & 0o002 == 0 else { throw .writable }
        guard status.st_size <= limit else { throw .tooLarge }
        do throws(SystemError) {
            return try SmallFile.read(descriptor: descriptor, limit: limit)
        } catch {
            throw error.code == EFBIG ? .tooLarge : .unreadable(error)
        }
    }

    /// The owner of a regular file.
    private static func owner(_ path: String) -> UInt32? {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return status.st_uid
    }
}
