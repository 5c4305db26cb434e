public import HTTPCaching
public import HTTPCore
public import Transforms

/// Keeps stored responses beyond memory.
///
/// Asynchronous and safe from any thread. Operations on one URI take effect in the order of the calls. Completions run
/// on any thread, never inside the call. A store that fails acts as if it were empty.
public protocol VariantStore: AnyObject, Sendable {
    /// All records of `uri`; damaged ones are missing.
    func lookUp(_ uri: TargetURI, _ completion: @escaping @Sendable ([StoredRecord]) -> Void)

    /// False only if a look-up that begins now finds no record of `uri`, not even a queued one; true may be wrong.
    ///
    /// Called under locks of the core: it MUST be cheap, and MUST NOT call back.
    func mayHold(_ uri: TargetURI) -> Bool

    /// Whether it keeps responses of a credential's partition; if not, such content gets no body file either.
    var keepsPrivate: Bool { get }

    /// A new body file for content that may grow large; nil if this store keeps none (or not now).
    /// - Parameter expected: the length if it is known; one above the limits gives nil at once.
    func makeBody(expected: Int64?) -> (any BodyWriter)?

    /// Whether a body of this length would get a file now, as far as is known.
    func acceptsBody(of length: Int64) -> Bool

    /// Stores `record`, replacing one of the same URI, partition and selection, or what `otherParts` names.
    ///
    /// `durable` receives true once the transaction is committed, false if it was given up.
    func commit(_ record: StoredRecord, durable: @escaping @Sendable (Bool) -> Void)

    /// Replaces fields, times and mark (`isInvalidated`) of a stored record; its body stays. Without one: no effect.
    func freshen(_ record: StoredRecord, durable: @escaping @Sendable (Bool) -> Void)

    /// Marks every record of `uri`: it is validated before its next use.
    ///
    /// `durable` receives true once that is committed, inside the call if nothing is stored. It receives false if the
    /// store cannot write now; it then does so as soon as possible.
    func invalidate(_ uri: TargetURI, durable: @escaping @Sendable (Bool) -> Void)

    /// Removes one variant.
    func remove(_ uri: TargetURI, partition: Partition, selection: [UInt8])

    /// Removes every record of `uri`; `completion` receives their number once that is committed.
    func remove(_ uri: TargetURI, _ completion: @escaping @Sendable (Int) -> Void)

    /// False only if no record of a question to `uri` is stored or queued; true may be wrong.
    func mayHoldQuestions(to uri: TargetURI) -> Bool

    /// Removes the records of all questions to `uri`; no look-up finds them from now on.
    ///
    /// `completion` receives their number once that is committed.
    func removeQuestions(to uri: TargetURI, _ completion: @escaping @Sendable (Int) -> Void)

    /// Removes records whose URIs `condition` holds for; `completion` receives their number once that is committed.
    func removeAll(
        where condition: @escaping @Sendable (TargetURI) -> Bool,
        _ completion: @escaping @Sendable (Int) -> Void
    )

    /// Removes the records with one of these tags, in all partitions; no look-up finds them from now on.
    ///
    /// Records that come later stay. `completion` receives their number once that is committed.
    func removeAll(taggedBy tags: Set<CacheTag>, _ completion: @escaping @Sendable (Int) -> Void)

    /// The URIs of the records with one of these tags, each once.
    func list(taggedBy tags: Set<CacheTag>, _ then: @escaping @Sendable ([TargetURI]) -> Void)

    /// Stores a rendition of `original`, replacing one of the same name; renditions of other pipelines are removed.
    ///
    /// Has no effect unless the store has that very original: same content, coding, type, tag and status. A rendition
    /// goes when its original is replaced or removed. Freshening and invalidation keep it.
    func commit(_ rendition: StoredRendition, of original: StoredRecord, durable: @escaping @Sendable (Bool) -> Void)

    /// The rendition of `original` with this name; nil if there is none, or only that of another original; may complete
    /// inside the call.
    func lookUp(
        _ name: RenditionName,
        of original: StoredRecord,
        _ completion: @escaping @Sendable (StoredRendition?) -> Void
    )

    /// The stored renditions of all variants of `uri`; may complete inside the call.
    func listRenditions(of uri: TargetURI, _ completion: @escaping @Sendable ([StoredRenditionSummary]) -> Void)

    /// A response of `uri` was used and leaves memory: the store should evict others first.
    func touch(_ uri: TargetURI)

    /// The wanted ones of the next `limit` records after cursor `last` (0: from the first).
    ///
    /// A record that moves meanwhile may come twice.
    func list(after last: Int64, limit: Int, where: any RowTest, _ then: @escaping @Sendable (StoredPage) -> Void)

    /// Announces to other nodes a change that is being made here.
    func announce(_ change: SharedChange)

    /// Waits for everything queued so far.
    func flush(_ completion: @escaping @Sendable () -> Void)
}

extension VariantStore {
    public func mayHold(_ uri: TargetURI) -> Bool { true }
    public func mayHoldQuestions(to uri: TargetURI) -> Bool { true }
    public func removeQuestions(to uri: TargetURI, _ completion: @escaping @Sendable (Int) -> Void) {
        removeAll(where: { $0.isQuestion(of: uri) }, completion)
    }
    public var keepsPrivate: Bool { true }
    public func acceptsBody(of length: Int64) -> Bool { true }
    /// Whether content of this partition may have a body file; nil: the partition is unknown.
    package func mayKeep(_ partition: Partition?) -> Bool { keepsPrivate || partition == .shared }
    public func touch(_ uri: TargetURI) {}
    public func announce(_ change: SharedChange) {}
}

/// A store that keeps no renditions.
extension VariantStore {
    public func commit(
        _ rendition: StoredRendition,
        of original: StoredRecord,
        durable: @escaping @Sendable (Bool) -> Void
    ) {
        durable(false)
    }

    public func lookUp(
        _ name: RenditionName,
        of original: StoredRecord,
        _ completion: @escaping @Sendable (StoredRendition?) -> Void
    ) {
        completion(nil)
    }

    public func listRenditions(of uri: TargetURI, _ completion: @escaping @Sendable ([StoredRenditionSummary]) -> Void)
    {
        completion([])
    }
}
