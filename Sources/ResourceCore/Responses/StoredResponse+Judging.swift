import HTTPCaching
import HTTPCore

/// How another configuration judges a stored response.
extension StoredResponse {
    /// Whether `other` is the same response, perhaps judged by another configuration.
    func isSame(as other: StoredResponse) -> Bool {
        self === other
            || loadNumber == other.loadNumber && receivedAt == other.receivedAt && partition == other.partition
                && selection == other.selection && isLocal == other.isLocal
    }

    /// Whether the response may stay stored: it is cacheable, and its selection key is still valid.
    func mayStay(_ context: ResourceContext) -> Bool {
        let options = context.configuration.caching
        // A partition that some requests use as the shared one looks like that of a credential.
        let mayBeShared = partition == .shared || !context.effective.keysAreURIs
        return isLocal
            || metadata.mayStay(isShared: mayBeShared, options: options) && metadata.vary.isSelectionKey(selection)
    }

    /// The response as the configuration of `context` judges it; itself if nothing differs.
    func judged(_ context: ResourceContext) -> StoredResponse {
        let options = context.configuration.caching
        var record = record
        let metadata = record.judge(options)
        let expiration = context.configuration.expirationTime + .nanoseconds(1)
        let freezes = !isLocal && context.configuration.mode == .replay
        let isEqual =
            isLocal ? freshUntil == receivedAt + expiration : metadata == self.metadata && freezes == isFrozen
        if isEqual { return self }
        // A response from the future, after the clock was set back, stays stale (S-251).
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
        judged.takeHits(of: self, isSame: true)
        return judged
    }
}
