/// Why a store cannot be used.
public struct StoreError: Error, Sendable {
    public enum Code: Sendable, Equatable {
        /// The directory cannot be made, or cannot be written to.
        case directoryNotUsable
        /// The directory belongs to another user, or contains files that are not ours.
        case foreignDirectory
        /// Another process has the store open.
        case locked
        /// A later version of the program made the database.
        case newerVersion(found: Int, known: Int)
        /// The database belongs to another program.
        case foreignDatabase
        /// The limit leaves no room for a database.
        case limitTooSmall(minimum: Int64)
        /// SQLite cannot open the database.
        case databaseNotUsable
        /// The key of the credential partitions cannot be read or made.
        case keyNotUsable
    }

    public var code: Code
    /// A sentence for a person: the thing, what happened, the remedy.
    public var userMessage: String
    /// What a lower layer reported, if one did.
    public var underlying: (any Error)?

    init(_ code: Code, _ userMessage: String, underlying: (any Error)? = nil) {
        self.code = code
        self.userMessage = userMessage
        self.underlying = underlying
    }
}
