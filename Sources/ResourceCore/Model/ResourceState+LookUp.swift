import HTTPCaching
import HTTPCore

/// Look-ups of what a former life of the resource left: in the store, or, where programs load, in the caches of the
/// pipeline's stages (S-187).
///
/// They are numbered; what one brings counts only while nothing has come in between.
extension ResourceState {
    mutating func beginLookUp(_ effects: inout Effects) {
        guard lookUp == .unknown else { return }
        lookUpNumber &+= 1
        lookUp = .looking
        operations.append(.lookUp(number: lookUpNumber))
        effects.isChanged = true
    }

    /// Ends a look-up under way; what it brings is from before.
    mutating func restartLookUp(as next: LookUp) {
        lookUpNumber &+= 1
        lookUp = next
    }

    /// The store has told what it holds.
    ///
    /// A result of an earlier look-up, or of before a purge, counts no more.
    mutating func finishLookUp(
        _ number: UInt32,
        _ records: [StoredRecord],
        _ context: ResourceContext,
        _ effects: inout Effects
    ) {
        guard isLooking, lookUpNumber == number else { return }
        lookUp = .known
        var new: [StoredResponse] = []
        for record in records where variant(record.partition, record.selection) == nil {
            let found = StoredResponse.found(record, context)
            if found.mayStay(context) {
                new.append(found)
            } else {
                operations.append(.remove(partition: record.partition, selection: record.selection))
            }
        }
        variants.insert(contentsOf: new, at: 0)
        effects.entered += new
        while variants.count > max(1, context.configuration.variantLimit) {
            let oldest = variants.removeFirst()
            effects.left.append(oldest)
            operations.append(.remove(partition: oldest.partition, selection: oldest.selection))
        }
        if vary == nil { vary = new.last.map(\.metadata.vary) }
        isInvalidated = isInvalidated || variants.contains { $0.isInvalidated }
        if new.isEmpty {
            effects.isChanged = true
        } else {
            emit(.newData(.cache), context, &effects)
        }
        resumeAfterLookUp(context, &effects)
    }

    /// The caches of the pipeline have told what they hold.
    ///
    /// Data that came meanwhile stays (S-189), and so do an error and an invalidation that did (S-248). The data's time is
    /// the entity's own (S-241).
    mutating func finishLookUp(
        _ number: UInt32,
        _ hit: Entity<any Sendable>?,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) {
        guard isLooking, lookUpNumber == number else { return }
        lookUp = .known
        if let hit, held == nil {
            held = HeldEntity(hit, .cache, head: HeldEntity.head(of: hit), context)
            emit(.newData(.cache), context, &effects)
        } else {
            if hit != nil {
                context.notes?.add(.cache, "hit for \(context.uri.text) ignored: there is newer data")
            }
            if isEmpty { isInvalidated = false }
            show(&effects)
        }
        resumeAfterLookUp(context, &effects)
    }

    /// Who waited for the look-up goes on.
    mutating func resumeAfterLookUp(_ context: ResourceContext, _ effects: inout Effects) {
        let waiting = lookUpWaiters
        lookUpWaiters = []
        for waiter in waiting where !waiter.isCancelled {
            if let answer = place(waiter.request, { waiter }, context, &effects) {
                effects.replies.append(Reply(waiter, answer))
            }
        }
        effects.released += waiting as [any Sendable]
        resumeLookUpRequest(context, &effects)
    }

    /// The request of `loadIfNeeded` succeeds with what is there by now, or gets a load (S-091, S-247).
    private mutating func resumeLookUpRequest(_ context: ResourceContext, _ effects: inout Effects) {
        guard let request = lookUpRequest, !completeIfNeedless(request, context, &effects),
            !joinLoad(request)
        else { return }
        if loadsByRequests(context) {
            effects.needsLoad = true
        } else {
            lookUpRequest = nil
            load(request, context, &effects)
        }
    }

    /// Gives the request that waited for the look-up the load that began meanwhile, if there is one (S-087, S-090).
    mutating func joinLoad(_ request: Request) -> Bool {
        guard let record = loads.first(where: { $0.isJoinable(by: plainPartitions) }) else { return false }
        lookUpRequest = nil
        record.join(request)
        return true
    }

    /// Completes the request that waited for the look-up if the data is up to date; tells whether it was.
    mutating func completeIfNeedless(
        _ request: Request,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) -> Bool {
        guard isUpToDate(context), let outcome = presentOutcome else { return false }
        lookUpRequest = nil
        effects.completions.append((request, outcome))
        tracked.removeAll { $0 === request }
        emit(.notModified, context, &effects)
        return true
    }

    /// What a request gets whose load became needless.
    private var presentOutcome: RequestOutcome? {
        if let held { return .info(ResponseInfo(response: .success(held.entity), isNew: false)) }
        return latestResponse.map { .notModified($0) }
    }
}
