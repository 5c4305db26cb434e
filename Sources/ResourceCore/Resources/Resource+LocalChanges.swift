import Exchanges
import HTTPCaching
package import HTTPCore
import Locking

/// Changes that do not come from the origin.
extension Resource {
    /// Marks all data as invalid, in memory and in the store: the next `loadIfNeeded` loads (S-201).
    ///
    /// It starts no load and notifies no observer. `completion` receives true once the mark is durable, inside the call
    /// if nothing is stored. It receives false if the store cannot write now; the store then does so as soon as
    /// possible.
    /// Questions to this URI are dropped.
    public func invalidate(_ completion: @escaping @Sendable (Bool) -> Void = { _ in }) {
        guard core.table.mayHaveQuestions(to: uri) else { return perform { $0.invalidate(completion) } }
        let tally = PurgeTally(count: 0, pending: 2) { completion($0 > 0) }
        perform { $0.invalidate { tally.add($0 ? 1 : 0) } }
        core.table.purgeQuestions(to: uri) { _ in tally.add(0) }
    }

    /// Drops what is in memory; stored copies stay and are looked up again (S-193, S-203).
    ///
    /// Cancels all requests of the program; their results change nothing any more. Loads over exchanges serve the
    /// requests that joined, and commit nothing.
    public func wipe() { perform { $0.wipe() } }

    /// Drops everything in memory, store and persistent caches, also questions to this URI; `completion` receives the
    /// number of records removed from the store, once durable.
    public func purge(_ completion: @escaping @Sendable (Int) -> Void = { _ in }) {
        guard core.table.mayHaveQuestions(to: uri) else { return perform { $0.purge(completion) } }
        let tally = PurgeTally(count: 0, pending: 2, completion)
        perform { $0.purge { tally.add($0) } }
        core.table.purgeQuestions(to: uri) { tally.add($0) }
    }

    /// Fields that are wrong for other content (S-249).
    package static let fieldsOfContent = [
        "etag", "last-modified", "content-length", "content-encoding", "content-range", "content-md5", "digest",
        "content-digest", "repr-digest", "date", "age", "expires",
    ]

    /// The fields for replaced content: without fields that describe or validate other content, or forbid reuse (S-200,
    /// S-249).
    package static func fieldsForOtherContent(_ fields: Fields) -> Fields {
        var result = fields
        for name in fieldsOfContent { result.remove(named: Array(name.utf8)) }
        for field in [KnownField.vary, .setCookie] { result.remove(field) }
        let flags = CacheControl(result).flags
        if flags.contains(.noCache) || flags.contains(.noStore) || flags.contains(.isPrivate) {
            result.remove(.cacheControl)
        }
        return result
    }

    /// Replaces the data by local content, up to date for the expiration time (S-199); the store drops its copies.
    ///
    /// - Parameters:
    ///   - content: bytes.
    ///   - fields: those that clients get, without validators, length and dates of a former response.
    ///   - status: the one that clients get.
    package func overrideLocalData(_ content: [UInt8], fields: Fields, status: UInt16 = 200) {
        override(content: content, fields: fields, status: status)
    }

    /// The same for administrators, with more options.
    ///
    /// - Parameters:
    ///   - content: bytes.
    ///   - fields: those that clients get, without validators, length and dates of a former response.
    ///   - status: the one that clients get.
    ///   - lifetime: how long it is up to date; nil: the expiration time.
    ///   - isDurable: whether the store keeps it. A later look-up finds a stored response with that lifetime, without
    ///     validators.
    ///   - completion: called once the store has dropped its former copies, with whether it keeps this one.
    package func override(
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
