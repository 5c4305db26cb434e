import HTTPCaching
import HTTPCore

/// Changes of a resource that do not come from the origin.
extension Transition {
    private var program: (any ProgramService)? { resource.core.program }

    /// Loads serve requests that have joined, and commit nothing (S-203, S-243).
    mutating func detachLoads() {
        for number in state.activity?.loads.detachAll() ?? [] {
            // Observers see it as ended.
            add(state.activity?.value.program?.value.loadWasDetached(number))
        }
        variants.noteReset()
        state.activity?.resetCount &+= 1
        state.activity?.outcomes.endHitForMiss()
    }

    /// Drops all data, the error and the marks.
    package mutating func clear() {
        effects.left += variants.takeAll()
        state.activity?.uncacheable = nil
        state.activity?.value.program?.value.dropData()
        clearError()
        detachLoads()
    }

    package mutating func clearError() {
        state.activity?.error = nil
        state.activity?.outcomes.forgetFailures()
    }

    /// Drops what is in memory; the store's copies are looked up again (S-193).
    package mutating func wipe() {
        clear()
        variants.restartLookUp(as: resource.looksUp ? .unknown : .known)
        emit(.newData(.wipe))
        if resource.loadsByRequests {
            // At this event they still load; their own events follow (S-204).
            add(state.activity?.value.program?.value.cancelRequests())
            return beginLookUp()
        }
        if variants.lookUp == .known {
            resumeAfterLookUp()
        } else if !state.waitingForLookUp.isEmpty || state.program?.awaitsLookUp ?? false {
            beginLookUp()
        }
    }

    /// Drops everything everywhere; `completion` receives the number of the store's records once it has committed that.
    mutating func purge(_ completion: @escaping @Sendable (Int) -> Void) {
        clear()
        variants.restartLookUp(as: .known)
        removeCopies(completion)
        emit(.newData(.wipe))
        if resource.loadsByRequests { add(state.activity?.value.program?.value.cancelRequests()) }
        resumeAfterLookUp()
    }

    /// Removes the copies in store and caches.
    package mutating func removeCopies(_ completion: @escaping @Sendable (Int) -> Void) {
        guard resource.loadsByRequests, let program else { return effects.operations.append(.removeAll(completion)) }
        effects.operations.append(.program(program.removal { completion(0) }))
    }

    /// Marks all data: validate before use, in memory and in the store (S-201).
    ///
    /// Loads over exchanges sent before do not clear the mark; a program's own load does (S-202).
    mutating func invalidate(_ completion: @escaping @Sendable (Bool) -> Void) {
        // A look-up in caches brings invalid data, too, even if it has not begun (S-248).
        let finds = variants.lookUp != .known && resource.loadsByRequests
        let hasOther = finds || state.activity?.uncacheable != nil || state.program?.data != nil
        effects.left += variants.invalidateAll(hasOther: hasOther)
        effects.entered += variants.stored
        state.activity?.outcomes.forgetFailures()
        state.activity?.error?.limitsRetries = false
        detachLoads()
        effects.operations.append(.invalidate(completion))
        if variants.isLooking, !finds {
            variants.restartLookUp(as: .unknown)
            beginLookUp()
        }
        show()
    }

    /// Replaces the data by `stored`, a local override (S-199, S-192).
    mutating func override(
        with stored: StoredResponse,
        isDurable: Bool,
        _ completion: @escaping @Sendable (Bool) -> Void
    ) {
        clear()
        variants.restartLookUp(as: .known)
        removeCopies { _ in if !isDurable { completion(false) } }
        if isDurable { effects.operations.append(.commitLocal(stored, since: resource.tags.purgeCount, completion)) }
        state.noteTags(of: stored.fields, in: resource)
        _ = variants.replaceAll(by: stored)
        effects.entered.append(stored)
        emit(.newData(.localOverride))
        resumeAfterLookUp()
    }

    // MARK: Leaving memory

    /// `stored` leaves memory because that is full; the store may still have it.
    @discardableResult
    mutating func drop(_ stored: StoredResponse) -> StoredResponse? {
        let dropped = variants.drop(stored, looksUp: context.environment.store != nil)
        guard let dropped else { return nil }
        effects.extra.released.append(dropped)
        show()
        return dropped
    }

    /// Drops what is in memory unless it is observed or loads; a program's caches may still have its own data.
    mutating func flush() {
        if state.isObserved || !state.loads.isEmpty { return }
        if state.program?.data != nil, !state.isInUse, !state.isBusy {
            state.activity?.value.program?.value.dropData()
            variants.updateMark()
            variants.forgetLookUp()
        }
        effects.left += variants.stored
        for stored in variants.stored { drop(stored) }
    }
}
