import HTTPCaching
import HTTPCore

/// What a change of the configuration does to a resource.
extension ResourceState {
    /// Nothing is held that a configuration could judge.
    var isEmpty: Bool { variants.isEmpty && retained == nil && held == nil }

    /// What was found out in `generation` or later.
    func configuration(for method: Method, _ generation: UInt64) -> EffectiveConfiguration? {
        if method == .get, self.generation >= generation, let effective { return effective }
        return foundOut.first { $0.method == method && $0.generation >= generation }?.effective
    }

    /// Remembers what is configured for a method; what is held is judged by that for GET with the next event.
    mutating func note(
        _ effective: EffectiveConfiguration,
        for method: Method,
        _ generation: UInt64
    ) {
        if method == .get, isEmpty, generation > self.generation || self.effective == nil {
            return take(effective, generation)
        }
        foundOut.removeAll { $0.method == method }
        if foundOut.count < 8 { foundOut.append((method, generation, effective)) }
    }

    /// Brings what is held to the newest configuration it or `context` know.
    ///
    /// - Returns: the newer one, if `context` are not of that.
    mutating func adopt(_ context: ResourceContext, _ effects: inout Effects) -> EffectiveConfiguration? {
        if context.generation <= generation, let effective {
            return effective === context.effective ? nil : effective
        }
        let old = effective
        take(context.effective, context.generation)
        guard !isEmpty else { return nil }
        if old !== effective { judgeAnew(context, &effects) }
        show(&effects)
        return nil
    }

    /// From now on this is what is configured for GET.
    private mutating func take(_ effective: EffectiveConfiguration, _ generation: UInt64) {
        self.effective = effective
        self.generation = generation
        if !foundOut.isEmpty { foundOut = foundOut.filter { $0.generation >= generation && $0.method != .get } }
    }

    private mutating func judgeAnew(_ context: ResourceContext, _ effects: inout Effects) {
        var kept: [StoredResponse] = []
        for stored in variants {
            let judged = stored.judged(context)
            if judged !== stored { effects.left.append(stored) }
            if judged.mayStay(context) {
                kept.append(judged)
                if judged !== stored { effects.entered.append(judged) }
            } else {
                if judged === stored { effects.left.append(stored) }
                operations.append(.remove(partition: stored.partition, selection: stored.selection))
            }
        }
        variants = StoredVariants(kept)
        retained = retained.map { $0.judged(context) }
        isInvalidated = isInvalidated && (retained != nil || variants.contains { $0.isInvalidated })
        vary = variants.last.map(\.metadata.vary)
    }
}

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
        judged.take(usesOf: self)
        return judged
    }
}
