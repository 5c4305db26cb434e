import HTTPCaching
import HTTPCore

/// Look-ups, and what happens to a resource from our own side.
extension ResourceState {
    // MARK: Looking up

    mutating func beginLookUp(_ effects: inout Effects) {
        guard lookUp == .unknown else { return }
        lookUpNumber += 1
        lookUp = .looking(lookUpNumber)
        errands.append(.lookUp(number: lookUpNumber))
        effects.isChanged = true
    }

    /// The store has told what it holds.
    ///
    /// A result of an earlier look-up, or of before a purge, counts no more.
    mutating func finishLookUp(
        _ number: UInt64,
        _ records: [StoredRecord],
        _ circumstances: Circumstances,
        _ effects: inout Effects
    ) {
        guard lookUp == .looking(number) else { return }
        lookUp = .known
        var new: [StoredResponse] = []
        for record in records where variant(record.partition, record.selection) == nil {
            let found = StoredResponse.found(record, circumstances)
            if found.isUsable(by: found.metadata) {
                new.append(found)
            } else {
                errands.append(.remove(partition: record.partition, selection: record.selection))
            }
        }
        variants.insert(contentsOf: new, at: 0)
        effects.entered += new
        while variants.count > max(1, circumstances.configuration.variantLimit) {
            let oldest = variants.removeFirst()
            effects.left.append(oldest)
            errands.append(.remove(partition: oldest.partition, selection: oldest.selection))
        }
        if vary == nil { vary = new.last.map(\.metadata.vary) }
        isInvalidated = isInvalidated || variants.contains { $0.isInvalidated }
        if new.isEmpty {
            effects.isChanged = true
        } else {
            emit(.newData(.cache), circumstances, &effects)
        }
        resumeAfterLookUp(circumstances, &effects)
    }

    mutating func resumeAfterLookUp(_ circumstances: Circumstances, _ effects: inout Effects) {
        let waiting = lookUpWaiters
        lookUpWaiters = []
        for attendance in waiting where !attendance.isCancelled {
            if let answer = place(attendance.request, { attendance }, circumstances, &effects) {
                effects.answers.append((attendance, answer))
            }
        }
        effects.released += waiting
        guard let request = lookUpRequest else { return }
        lookUpRequest = nil
        if isUpToDate(circumstances), let latestResponse {
            effects.completions.append((request, .newData(latestResponse)))
            emit(.notModified, circumstances, &effects)
        } else {
            load(request, circumstances, &effects)
        }
    }

    // MARK: The model's loads

    /// Whether `loadIfNeeded` has nothing to do (S-084, S-085, S-250).
    func isUpToDate(_ circumstances: Circumstances) -> Bool {
        if errorLimitsRetries, let latestError, isWithinRetryTime(latestError, circumstances) { return true }
        guard let data = latestResponse, !isInvalidated, !data.isInvalidated else { return false }
        if data.isLocal || data.metadata.lifetimeSource == .none {
            return circumstances.now - data.receivedAt <= circumstances.configuration.expirationTime
        }
        return data.isFresh(at: circumstances.now)
    }

    /// Starts a load for nobody in particular and attaches `request` to it.
    mutating func load(_ request: Request, _ circumstances: Circumstances, _ effects: inout Effects) {
        guard let provider = circumstances.resource.core.defaultProvider else {
            let failure = ExchangeFailure(.internalError, "the service has no provider to load with")
            effects.completions.append((request, .failure(ResourceError(failure, time: circumstances.now))))
            return
        }
        var client = ClientRequest(
            uri: uri,
            fields: Fields(),
            profile: RequestProfile(method: .get),
            arrival: circumstances.now,
            provider: provider
        )
        client.prepare(circumstances.configuration, circumstances.environment)
        let selected = latestResponse.flatMap { $0.canBeValidated && $0.isUsable(for: client) ? $0 : nil }
        let plan = LoadPlan(
            forward: selected == nil ? .uriMiss : .request,
            offered: selected.map { [$0] } ?? [],
            isSolo: false
        )
        let number = startLoad(plan, for: client, isBackground: false, isModel: true, circumstances, &effects)
        if let index = index(of: number) { loads[index].requests.append(request) }
    }

    /// The request of `loadIfNeeded`; nil if there is nothing to do (S-087).
    mutating func loadIfNeeded(
        _ make: () -> Request,
        _ circumstances: Circumstances,
        _ effects: inout Effects
    ) -> Request? {
        if let index = loads.firstIndex(where: { !$0.isDetached && $0.isForEverybody }) {
            if let running = loads[index].requests.first { return running }
            let request = make()
            loads[index].requests.append(request)
            return request
        }
        if let lookUpRequest { return lookUpRequest }
        if isUpToDate(circumstances) { return nil }
        let request = make()
        if lookUp == .known {
            load(request, circumstances, &effects)
        } else {
            lookUpRequest = request
            beginLookUp(&effects)
            refreshSnapshot(&effects)
        }
        return request
    }

    // MARK: Changes from our own side

    /// Loads in flight serve those who have joined them and commit nothing (S-203, S-243).
    private mutating func detachLoads() {
        for index in loads.indices { loads[index].isDetached = true }
        vary = nil
        soloUntil = nil
    }

    /// Ends a look-up under way; what it brings is from before.
    private mutating func restartLookUp(as next: LookUp) {
        lookUpNumber += 1
        lookUp = next
    }

    private mutating func clear(_ effects: inout Effects) {
        effects.left += variants
        variants = []
        retained = nil
        latestError = nil
        errorLimitsRetries = false
        failures = []
        isInvalidated = false
        detachLoads()
    }

    /// Drops what is in memory; the store's copies are looked up again (S-193).
    mutating func wipe(hasStore: Bool, _ circumstances: Circumstances, _ effects: inout Effects) {
        clear(&effects)
        restartLookUp(as: hasStore ? .unknown : .known)
        emit(.newData(.wipe), circumstances, &effects)
        if lookUp == .known {
            resumeAfterLookUp(circumstances, &effects)
        } else if !lookUpWaiters.isEmpty || lookUpRequest != nil {
            beginLookUp(&effects)
        }
    }

    /// Drops everything everywhere; `completion` once the store has committed that, with the number of its records.
    mutating func purge(
        _ completion: @escaping @Sendable (Int) -> Void,
        _ circumstances: Circumstances,
        _ effects: inout Effects
    ) {
        clear(&effects)
        restartLookUp(as: .known)
        errands.append(.removeAll(completion))
        emit(.newData(.wipe), circumstances, &effects)
        resumeAfterLookUp(circumstances, &effects)
    }

    /// Marks everything held: validate before use, here and in the store (S-201).
    ///
    /// Loads sent before do not count as that.
    mutating func invalidate(
        _ completion: @escaping @Sendable (Bool) -> Void,
        _ circumstances: Circumstances,
        _ effects: inout Effects
    ) {
        effects.left += variants
        variants = variants.map(\.invalidated)
        effects.entered += variants
        isInvalidated = !variants.isEmpty || retained != nil
        failures = []
        errorLimitsRetries = false
        detachLoads()
        errands.append(.invalidate(completion))
        if isLooking {
            restartLookUp(as: .unknown)
            beginLookUp(&effects)
        }
        refreshSnapshot(&effects)
    }

    /// Replaces the data by `stored`, which is local (S-199, S-192).
    mutating func override(with stored: StoredResponse, _ circumstances: Circumstances, _ effects: inout Effects) {
        clear(&effects)
        restartLookUp(as: .known)
        errands.append(.removeAll { _ in })
        variants = [stored]
        effects.entered.append(stored)
        emit(.newData(.localOverride), circumstances, &effects)
        resumeAfterLookUp(circumstances, &effects)
    }

    /// `stored` leaves memory because it is full; the store may still hold it.
    @discardableResult
    mutating func drop(_ stored: StoredResponse, hasStore: Bool, _ effects: inout Effects) -> StoredResponse? {
        guard let index = variants.firstIndex(where: { $0.isSame(as: stored) }) else { return nil }
        let dropped = variants.remove(at: index)
        effects.released.append(dropped)
        if hasStore, lookUp == .known, !stored.isLocal { lookUp = .unknown }
        isInvalidated = variants.contains { $0.isInvalidated }
        refreshSnapshot(&effects)
        return dropped
    }
}
