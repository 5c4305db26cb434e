import Locking

/// The users of a login file, and the logins that were right since it was read.
///
/// A password is remembered only as a digest under a random key of this object. Any thread may use it.
public final class LoginTable: Sendable {
    /// The most logins to remember; beyond it all are forgotten, and each is hashed once more.
    static let memoryLimit = 4096

    private let file: LoginFile
    private let hashes: [[UInt8]: PasswordHash]
    private let key = CryptCalls.randomKey()
    private let remembered = Lock<Set<[UInt8]>>([])

    /// A table without users: no login is right.
    public init() {
        file = LoginFile()
        hashes = [:]
    }

    /// Checks that the hashes are usable: hashes once for each kind and cost in the file, and blocks meanwhile.
    ///
    /// - Throws: if the system's crypt(3) does not accept a hash.
    public init(_ file: LoginFile) throws(LoginFileFault) {
        self.file = file
        hashes = Dictionary(file.entries.map { ($0.user, $0.hash) }) { first, _ in first }
        var known: Set<[UInt8]> = []
        for entry in file.entries where known.insert(entry.hash.cost).inserted {
            guard entry.hash.isSupported else {
                let message =
                    "the system's crypt(3) does not accept the hash of \(String(decoding: entry.user, as: UTF8.self)); "
                    + "`respite passwd FILE USER` makes one that it accepts"
                throw LoginFileFault(line: nil, userMessage: message)
            }
        }
    }

    /// Whether both have the same users with the same hashes.
    public func hasSameUsers(as other: LoginTable) -> Bool { file == other.file }

    /// Whether a login that was right by `other` is right here, too.
    public func confirms(_ user: [UInt8], of other: LoginTable) -> Bool {
        guard let hash = hashes[user] else { return false }
        return other.hashes[user] == hash
    }

    /// A digest that stands for the login; each table makes another one.
    func digest(_ credentials: BasicCredentials) -> [UInt8] { CryptCalls.digest(credentials.text, key: key) }

    /// Whether the login was right before.
    public func remembers(_ credentials: BasicCredentials) -> Bool {
        let digest = digest(credentials)
        return remembered.withLock { $0.contains(digest) }
    }

    /// Hashes the password, and compares; blocks for some hundredths of a second.
    ///
    /// An unknown user takes as long as a known one: the password is hashed as that of another user, in vain.
    /// The name and a random key decide which user that is, so repeated attempts reveal nothing.
    ///
    /// - Parameter matches: whether a hash is that of a password.
    func check(
        _ credentials: BasicCredentials,
        by matches: (PasswordHash, [UInt8]) -> Bool = { $0.matches($1) }
    ) -> Bool {
        guard let hash = hashes[credentials.user] else {
            if let decoy = decoy(for: credentials.user) { _ = matches(decoy, credentials.password) }
            return false
        }
        guard matches(hash, credentials.password) else { return false }
        let digest = digest(credentials)
        remembered.withLock { remembered in
            if remembered.count >= Self.memoryLimit { remembered = [] }
            remembered.insert(digest)
        }
        return true
    }

    private func decoy(for user: [UInt8]) -> PasswordHash? {
        guard !file.entries.isEmpty else { return nil }
        let number = CryptCalls.digest(user, key: key).prefix(4).reduce(0) { $0 << 8 | Int($1) }
        return file.entries[number % file.entries.count].hash
    }
}
