import HTTPCaching
import HTTPCore

/// What another configuration makes of a stored response.
extension StoredResponse {
    /// Whether `other` is this response, perhaps judged by another configuration.
    func isSame(as other: StoredResponse) -> Bool {
        self === other
            || loadNumber == other.loadNumber && receivedAt == other.receivedAt && partition == other.partition
                && selection == other.selection && isLocal == other.isLocal
    }

    /// Whether it may stay as it is judged: it may be cached, and is selected by what it was stored under.
    func mayStay(_ context: ResourceContext) -> Bool {
        let options = context.configuration.caching
        // What stands in for the shared partition of some request is not to be told from one credential's.
        let mayBeShared = partition == .shared || !context.effective.hasPlainKeys
        return isLocal
            || metadata.mayStay(isShared: mayBeShared, options: options) && metadata.vary.isSelectionKey(selection)
    }

    /// This response as the configuration of `context` judges it; itself if nothing is different.
    func judged(_ context: ResourceContext) -> StoredResponse {
        let options = context.configuration.caching
        var record = record
        let metadata = record.judge(options)
        let expiration = context.configuration.expirationTime + .nanoseconds(1)
        let freezes = !isLocal && context.configuration.mode == .replay
        let isEqual =
            isLocal ? freshUntil == receivedAt + expiration : metadata == self.metadata && freezes == isFrozen
        if isEqual { return self }
        // What comes from the future, by a clock set back, stays stale (S-251).
        let isCredible = responseTime <= context.wallNow
        let judged = StoredResponse(
            record: record,
            metadata: metadata,
            receivedAt: receivedAt,
            age: isCredible ? ageAtReceipt : max(ageAtReceipt, metadata.lifetimeSeconds),
            lifetime: isLocal ? expiration : nil,
            isLocal: isLocal,
            isFrozen: freezes,
            loadNumber: loadNumber,
            renditions: knownRenditions
        )
        judged.takeUses(of: self)
        return judged
    }
}
