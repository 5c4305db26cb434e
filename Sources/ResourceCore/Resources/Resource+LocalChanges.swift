import Exchanges
import HTTPCaching
public import HTTPCore
import Locking

/// Changes from our own side.
extension Resource {
    /// Marks what is held, here and in the store: the next `loadIfNeeded` loads (S-201).
    ///
    /// Nothing is loaded by this, and no observer told. `completion` is told true once it is durable, inside the call where
    /// nothing is stored; false if it cannot be made so now: then the store makes it as soon as possible.
    public func invalidate(_ completion: @escaping @Sendable (Bool) -> Void = { _ in }) {
        perform { $0.invalidate(completion) }
    }

    /// Drops what is in memory; persistent copies stay and are looked up again (S-193, S-203).
    ///
    /// Requests of the program's are cancelled, plain ones, too; their results change nothing any more. Loads over exchanges
    /// serve those who have joined and commit nothing.
    public func wipe() { perform { $0.wipe() } }

    /// Drops everything, here and in the store and the persistent caches; `completion` with the number of records removed
    /// from the store, once that is durable.
    public func purge(_ completion: @escaping @Sendable (Int) -> Void = { _ in }) {
        perform { $0.purge(completion) }
    }

    /// What is not true any more of other content (S-249).
    package static let fieldsOfContent = [
        "etag", "last-modified", "content-length", "content-encoding", "content-range", "content-md5", "digest",
        "content-digest", "repr-digest", "date", "age", "expires",
    ]

    /// The fields of a response whose content is replaced for everybody: without those that describe or validate the
    /// former content, or say of it that it may not be reused (S-200, S-249).
    public static func fieldsForOtherContent(_ fields: Fields) -> Fields {
        var result = fields
        for name in fieldsOfContent { result.remove(named: Array(name.utf8)) }
        for field in [KnownField.vary, .setCookie] { result.remove(field) }
        let flags = CacheControl(result).flags
        if flags.contains(.noCache) || flags.contains(.noStore) || flags.contains(.isPrivate) {
            result.remove(.cacheControl)
        }
        return result
    }

    /// Replaces the data by content of our own, up to date for the expiration time (S-199); the store's copies go.
    ///
    /// - Parameters:
    ///   - content: bytes.
    ///   - fields: what clients get; validators, length and dates of a former response do not belong there.
    ///   - status: what clients get.
    public func overrideLocalData(_ content: [UInt8], fields: Fields, status: UInt16 = 200) {
        override(content: content, fields: fields, status: status)
    }

    /// The same for administrators.
    ///
    /// - Parameters:
    ///   - content: bytes.
    ///   - fields: what clients get, without validators, length and dates of a former response.
    ///   - status: what clients get.
    ///   - lifetime: how long it is up to date; nil: the expiration time.
    ///   - isDurable: whether the store keeps it; found there later it is a stored response with that lifetime, without
    ///     validators.
    ///   - completion: once the store's former copies are gone; with whether the store has this one.
    public func override(
        content: [UInt8],
        fields: Fields,
        status: UInt16 = 200,
        lifetime: Duration? = nil,
        isDurable: Bool = false,
        _ completion: @escaping @Sendable (Bool) -> Void = { _ in }
    ) {
        perform { transition in
            let context = transition.context
            var fields = fields
            let lifetime = lifetime ?? context.configuration.expirationTime
            if isDurable, !fields.contains(.cacheControl) {
                fields.append(.cacheControl, "max-age=\(max(0, lifetime.components.seconds))")
            }
            let stored = StoredResponse.local(content, fields, status, lifetime: lifetime, context)
            transition.override(with: stored, isDurable: isDurable, completion)
        }
    }
}
