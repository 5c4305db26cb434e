public import Stores
public import HTTPCaching
public import HTTPCore
import ResourceCore
public import Transforms

/// The store of this node, wrapped: the shared tier learns what is stored and purged.
public final class SharedStore: VariantStore {
    private let base: (any VariantStore)?
    private let tier: SharedTier

    /// - Parameter base: the store of this node; nil: responses are in memory only.
    public init(_ base: (any VariantStore)?, _ tier: SharedTier) { (self.base, self.tier) = (base, tier) }

    public func lookUp(_ uri: TargetURI, _ completion: @escaping @Sendable ([StoredRecord]) -> Void) {
        guard let base else { return completion([]) }
        let purges = tier.purges
        // A purge that the node catches up with meanwhile may concern what is being read.
        let wasCaughtUp = purges.isCaughtUp
        base.lookUp(uri) { records in completion(records.map { purges.judged($0, wasCaughtUp: wasCaughtUp) }) }
    }

    public func mayHold(_ uri: TargetURI) -> Bool { base?.mayHold(uri) ?? false }
    public var keepsPrivate: Bool { base?.keepsPrivate ?? false }
    public func makeBody(expected: Int64?) -> (any BodyWriter)? { base?.makeBody(expected: expected) }
    public func acceptsBody(of length: Int64) -> Bool { base?.acceptsBody(of: length) ?? false }

    // MARK: What the tier sees

    public func commit(_ record: StoredRecord, durable: @escaping @Sendable (Bool) -> Void) {
        if let base { base.commit(record, durable: durable) } else { durable(false) }
        tier.fill(record)
    }

    public func freshen(_ record: StoredRecord, durable: @escaping @Sendable (Bool) -> Void) {
        if let base { base.freshen(record, durable: durable) } else { durable(false) }
        tier.fill(record)
    }

    public func announce(_ change: SharedChange) { tier.announce(change) }

    // MARK: All else

    public func invalidate(_ uri: TargetURI, durable: @escaping @Sendable (Bool) -> Void) {
        if let base { base.invalidate(uri, durable: durable) } else { durable(true) }
    }

    public func remove(_ uri: TargetURI, _ completion: @escaping @Sendable (Int) -> Void) {
        if let base { base.remove(uri, completion) } else { completion(0) }
    }

    public func remove(_ uri: TargetURI, partition: Partition, selection: [UInt8]) {
        base?.remove(uri, partition: partition, selection: selection)
    }

    public func mayHoldQuestions(to uri: TargetURI) -> Bool { base?.mayHoldQuestions(to: uri) ?? false }

    public func removeQuestions(to uri: TargetURI, _ completion: @escaping @Sendable (Int) -> Void) {
        // No question is shared.
        if let base { base.removeQuestions(to: uri, completion) } else { completion(0) }
    }

    public func removeAll(
        where condition: @escaping @Sendable (TargetURI) -> Bool,
        _ completion: @escaping @Sendable (Int) -> Void
    ) {
        if let base { base.removeAll(where: condition, completion) } else { completion(0) }
    }

    public func removeAll(taggedBy tags: Set<CacheTag>, _ completion: @escaping @Sendable (Int) -> Void) {
        if let base { base.removeAll(taggedBy: tags, completion) } else { completion(0) }
    }

    public func list(taggedBy tags: Set<CacheTag>, _ then: @escaping @Sendable ([TargetURI]) -> Void) {
        if let base { base.list(taggedBy: tags, then) } else { then([]) }
    }

    public func commit(
        _ rendition: StoredRendition,
        of original: StoredRecord,
        durable: @escaping @Sendable (Bool) -> Void
    ) {
        if let base { base.commit(rendition, of: original, durable: durable) } else { durable(false) }
    }

    public func lookUp(
        _ name: RenditionName,
        of original: StoredRecord,
        _ completion: @escaping @Sendable (StoredRendition?) -> Void
    ) {
        if let base { base.lookUp(name, of: original, completion) } else { completion(nil) }
    }

    public func listRenditions(
        of uri: TargetURI,
        _ completion: @escaping @Sendable ([StoredRenditionSummary]) -> Void
    ) {
        if let base { base.listRenditions(of: uri, completion) } else { completion([]) }
    }

    public func touch(_ uri: TargetURI) { base?.touch(uri) }

    public func list(
        after last: Int64,
        limit: Int,
        where test: any RowTest,
        _ then: @escaping @Sendable (StoredPage) -> Void
    ) {
        if let base { base.list(after: last, limit: limit, where: test, then) } else { then(StoredPage([], next: nil)) }
    }

    public func flush(_ completion: @escaping @Sendable () -> Void) {
        if let base { base.flush(completion) } else { completion() }
    }
}
