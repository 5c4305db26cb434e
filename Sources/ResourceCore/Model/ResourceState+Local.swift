import HTTPCaching
import HTTPCore

/// What happens to a resource from our own side.
extension ResourceState {
    /// Loads over exchanges serve those who have joined them and commit nothing (S-203, S-243).
    private mutating func detachExchanges(_ effects: inout Effects) {
        for record in loads where record.sourceRequest == nil {
            // For observers it is over.
            if record.reportsProgress { reportEnd(of: record, &effects) }
            record.isDetached = true
        }
        vary = nil
        soloUntil = nil
        noteChange()
    }

    private mutating func clear(_ effects: inout Effects) {
        effects.left += variants
        variants = []
        retained = nil
        held = nil
        clearError()
        isInvalidated = false
        detachExchanges(&effects)
    }

    /// Every request of the program's ends as cancelled once the lock is let go, and can change nothing any more (S-203).
    private mutating func cancelRequests(_ effects: inout Effects) {
        effects.cancelledRequests += tracked + loads.compactMap(\.sourceRequest)
        for record in loads { record.isDetached = true }
        lookUpRequest = nil
    }

    /// Drops what is in memory; the store's copies are looked up again (S-193).
    mutating func wipe(looksUp: Bool, _ context: ResourceContext, _ effects: inout Effects) {
        clear(&effects)
        restartLookUp(as: looksUp ? .unknown : .known)
        if loadsByRequests(context) {
            // At this event they still load; their own follow (S-204).
            emit(.newData(.wipe), context, &effects)
            cancelRequests(&effects)
            return beginLookUp(&effects)
        }
        emit(.newData(.wipe), context, &effects)
        if lookUp == .known {
            resumeAfterLookUp(context, &effects)
        } else if !lookUpWaiters.isEmpty || lookUpRequest != nil {
            beginLookUp(&effects)
        }
    }

    /// Drops everything everywhere; `completion` once the store has committed that, with the number of its records.
    mutating func purge(
        _ completion: @escaping @Sendable (Int) -> Void,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) {
        clear(&effects)
        restartLookUp(as: .known)
        removeCopies(completion, context)
        emit(.newData(.wipe), context, &effects)
        if loadsByRequests(context) { cancelRequests(&effects) }
        resumeAfterLookUp(context, &effects)
    }

    /// Removes what outlives memory.
    private mutating func removeCopies(
        _ completion: @escaping @Sendable (Int) -> Void,
        _ context: ResourceContext
    ) {
        operations.append(loadsByRequests(context) ? .removeEntities { completion(0) } : .removeAll(completion))
    }

    /// Marks everything held: validate before use, here and in the store (S-201).
    ///
    /// Loads over exchanges sent before do not count as that; what a program's own load brings clears the mark (S-202).
    mutating func invalidate(
        _ completion: @escaping @Sendable (Bool) -> Void,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) {
        effects.left += variants
        variants = StoredVariants(variants.map(\.invalidated))
        effects.entered += variants
        // What a look-up of caches brings is invalid, too, even if it has not begun (S-248).
        let finds = lookUp != .known && loadsByRequests(context)
        isInvalidated = !variants.isEmpty || retained != nil || held != nil || finds
        failures = []
        errorLimitsRetries = false
        detachExchanges(&effects)
        operations.append(.invalidate(completion))
        if isLooking, !finds {
            restartLookUp(as: .unknown)
            beginLookUp(&effects)
        }
        show(&effects)
    }

    /// Replaces the data by `stored`, which is local (S-199, S-192).
    mutating func override(
        with stored: StoredResponse,
        isDurable: Bool,
        _ completion: @escaping @Sendable (Bool) -> Void,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) {
        clear(&effects)
        restartLookUp(as: .known)
        removeCopies({ _ in if !isDurable { completion(false) } }, context)
        if isDurable { operations.append(.commitLocal(stored, completion)) }
        variants = [stored]
        effects.entered.append(stored)
        emit(.newData(.localOverride), context, &effects)
        resumeAfterLookUp(context, &effects)
    }

    /// Replaces the data by an entity of the program's (S-199).
    ///
    /// Requests under way go on and may replace it in turn.
    mutating func override(
        with entity: Entity<any Sendable>,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) {
        clear(&effects)
        held = HeldEntity(entity, .localOverride, context)
        restartLookUp(as: .known)
        removeCopies({ _ in }, context)
        emit(.newData(.localOverride), context, &effects)
        resumeAfterLookUp(context, &effects)
    }

    /// What a program's load brought leaves memory; caches may still hold it.
    mutating func dropHeld(_ effects: inout Effects) {
        guard held != nil, !isInUse, !isBusy else { return }
        held = nil
        isInvalidated = variants.contains { $0.isInvalidated }
        if lookUp == .known { lookUp = .unknown }
        show(&effects)
    }

    /// `stored` leaves memory because it is full; the store may still hold it.
    @discardableResult
    mutating func drop(_ stored: StoredResponse, hasStore: Bool, _ effects: inout Effects) -> StoredResponse? {
        guard let index = variants.firstIndex(where: { $0.isSame(as: stored) }) else { return nil }
        let dropped = variants.remove(at: index)
        effects.released.append(dropped)
        if hasStore, lookUp == .known, !stored.isLocal { lookUp = .unknown }
        isInvalidated = variants.contains { $0.isInvalidated }
        show(&effects)
        return dropped
    }
}
