import HTTPCore
import LibC
import Locking
public import Stores

/// Names the partitions of credentials by HMAC-SHA-256 under a random key of this store alone (C-20.1).
///
/// The key lies in the file `partition-key` in the store's directory (mode 0600), so that partitions survive restarts.
public final class CredentialHasher: PartitionHasher {
    private static let file = "partition-key"

    private let key: Lock<[UInt8]>

    /// Uses a key that several nodes have, so that they name partitions alike.
    public init(key: [UInt8]) { self.key = Lock(key) }

    /// Makes a key for this process only, for a daemon without a store.
    public init() { key = Lock(KeyedHash.randomBytes(KeyedHash.count)) }

    /// Reads the key of the store in `directory`; makes both at first use.
    ///
    /// Two processes that start at once agree on one key.
    public init(directory: String) throws(StoreError) {
        do throws(FileError) {
            try FileSystem.makeDirectories(directory)
            let opened = try OpenDirectory(directory)
            key = Lock(try Self.readOrMake(in: opened) { KeyedHash.randomBytes(KeyedHash.count) })
        } catch {
            throw Self.notUsable(directory, error)
        }
    }

    /// Reads the key of a store, or makes it.
    init(_ directory: StoreDirectory) throws(StoreError) {
        do throws(FileError) {
            key = Lock(try Self.readOrMake(in: directory.root) { KeyedHash.randomBytes(KeyedHash.count) })
        } catch {
            throw Self.notUsable(directory.path, error)
        }
    }

    public func hash(_ credentials: [UInt8]) -> [UInt8] { KeyedHash.hash(credentials, key: key.withLock { $0 }) }

    /// Changes to the key of another directory, which gets the present key if it has none.
    ///
    /// Responses in partitions under a former key are no longer found.
    func adopt(_ directory: StoreDirectory) throws(StoreError) {
        let former = key.withLock { $0 }
        do throws(FileError) {
            let adopted = try Self.readOrMake(in: directory.root) { former }
            key.withLock { $0 = adopted }
        } catch {
            throw Self.notUsable(directory.path, error)
        }
    }

    private static func notUsable(_ directory: String, _ error: FileError) -> StoreError {
        StoreError(
            .keyNotUsable,
            "cannot read or make the key \(directory)/\(file): \(error.text); make it a file of this user's alone, in a "
                + "directory that can be written",
            underlying: error
        )
    }

    private static func readOrMake(
        in directory: OpenDirectory,
        make: () -> [UInt8]
    ) throws(FileError) -> [UInt8] {
        if let known = try read(in: directory) { return known }
        return try Self.make(in: directory, make())
    }

    /// Nil if there is no key, or an incomplete one.
    private static func read(in directory: OpenDirectory) throws(FileError) -> [UInt8]? {
        do throws(FileError) {
            let opened = try OpenFile(file, in: directory, flags: O_RDONLY | O_NONBLOCK)
            guard let status = opened.status, status.kind == .file, status.isOurs else { throw FileError(code: EPERM) }
            if status.isOpenToOthers { try directory.setMode(of: file, 0o600) }
            let bytes = try opened.read(KeyedHash.count + 1, at: 0)
            return bytes.count == KeyedHash.count ? bytes : nil
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    /// Writes a key to a draft, then gives it the final name; of two processes the second uses the first one's key.
    private static func make(in directory: OpenDirectory, _ fresh: [UInt8]) throws(FileError) -> [UInt8] {
        let draft = "\(file).\(getpid())"
        directory.remove(draft)
        defer { directory.remove(draft) }
        try OpenFile(draft, in: directory, flags: O_WRONLY | O_CREAT | O_EXCL).write(ByteChunk(fresh), at: 0)
        if let status = directory.status(of: file), status.count != Int64(KeyedHash.count) { directory.remove(file) }
        do {
            try directory.link(draft, to: directory, file)
            return fresh
        } catch {
            guard let other = try read(in: directory) else { throw error }
            return other
        }
    }
}
