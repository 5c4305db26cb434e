import Glibc
import HTTPCore
public import ResourceCore

/// Names the partitions of credentials: HMAC-SHA-256 under a random key of this store alone (C-20.1).
///
/// The key lies in `partition-key` in the store's directory (mode 0600), so that partitions survive restarts.
public final class CredentialHasher: PartitionHasher {
    private let key: [UInt8]

    /// A key for this process alone, for a daemon without a store.
    public init() { key = KeyedHash.randomOctets(KeyedHash.count) }

    /// The key of the store in `directory`; made at first use, the directory too.
    ///
    /// Two processes that start at once agree on one key.
    public init(directory: String) throws(StoreError) {
        let path = directory + "/partition-key"
        do throws(FileError) {
            try FileSystem.makeDirectories(directory)
            if let known = try CredentialHasher.read(path) {
                key = known
            } else {
                key = try CredentialHasher.make(path)
            }
        } catch {
            throw StoreError(
                .keyNotUsable,
                "cannot read or make the key \(path): \(error.text); make the storage directory writable",
                underlying: error
            )
        }
    }

    public func hash(_ credentials: [UInt8]) -> [UInt8] { KeyedHash.hash(credentials, key: key) }

    /// Nil if there is no key, or none that is whole.
    private static func read(_ path: String) throws(FileError) -> [UInt8]? {
        do {
            let octets = try OpenFile(path, flags: O_RDONLY | O_NOFOLLOW).read(KeyedHash.count + 1, at: 0)
            return octets.count == KeyedHash.count ? octets : nil
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    /// Writes a key beside its place, then gives it its name: whoever is second takes the first one's key.
    private static func make(_ path: String) throws(FileError) -> [UInt8] {
        let fresh = KeyedHash.randomOctets(KeyedHash.count)
        let draft = "\(path).\(getpid())"
        FileSystem.remove(draft)
        defer { FileSystem.remove(draft) }
        try OpenFile(draft, flags: O_WRONLY | O_CREAT | O_EXCL).write(ByteChunk(fresh), at: 0)
        if let count = FileSystem.count(path), count != Int64(KeyedHash.count) { FileSystem.remove(path) }
        do {
            try FileSystem.link(draft, path)
            return fresh
        } catch {
            guard let other = try read(path) else { throw error }
            return other
        }
    }
}
