import Exchanges
import HTTPCaching
import HTTPCore
import Transforms

/// The state machine of a resource: without locks, clocks and callbacks of its own.
///
/// The resource's lock guards it, with the objects in it that change at its events: records of loads, and waiters.
///
/// What is to be done outside goes into `Effects` and, where order matters, into `errands`.
struct ResourceState: Sendable {
    /// What is known of the store's records (S-187).
    enum LookUp: Sendable {
        case unknown
        /// The look-up `lookUpNumber` is under way.
        case looking
        case known
    }

    /// A load that failed, for requests that would fail the same way (C-25.3).
    struct RememberedFailure: Sendable {
        let partitions: Partitions
        let vary: VaryNames
        let selection: [UInt8]
        let error: ResourceError
        /// The origin asked to be left alone until then.
        var pausedUntil: MonotonicTime?
    }

    /// What is configured for GET, by which all that is held was judged; nil until it is needed (S-037, S-045).
    var effective: EffectiveConfiguration?
    /// The table's configuration generation in which it was found out.
    var generation: UInt64 = 0

    /// In memory of loads over exchanges, the least recently used first.
    var variants = StoredVariants()
    var lastLoad: UInt64 = 0
    /// What selects variants, as far as responses have told.
    var vary: VaryNames?
    var sequence: UInt64 = 0
    /// One or none.
    private(set) var activity: [ResourceActivity] = []
    /// How often what is held was replaced, dropped or marked; wraps.
    private(set) var changeCount: UInt32 = 0
    /// Wraps.
    var lookUpNumber: UInt32 = 0
    var lookUp: LookUp
    var isInvalidated = false
    /// Whether `error` limits retries: an invalidation later than it does away with that.
    var errorLimitsRetries = false
    var isTelling = false
    /// Telling waits in the queue of the delivery context.
    var willTell = false
    var isRunningOperations = false
    var hasTimer = false
    /// The table holds the resource until this state is idle; written under the lock of its shard, too.
    var isHeld: Bool

    init(looksUp: Bool, isHeld: Bool = false) {
        lookUp = looksUp ? .unknown : .known
        self.isHeld = isHeld
    }

    /// Where a request without fields looks by `effective`.
    var plainPartitions: Partitions { effective?.plainPartitions ?? Partitions() }

    /// Whether a rule says more of the key than the URI does: then not everybody looks into the shared partition.
    var isKeyed: Bool { effective.map { !$0.hasPlainKeys } ?? false }

    // MARK: Activity

    /// What goes on, to be changed.
    var present: ResourceActivity {
        get { activity.isEmpty ? ResourceActivity() : activity[0] }
        _modify {
            if activity.isEmpty { activity = [ResourceActivity()] }
            yield &activity[0]
        }
    }

    /// Gives back the room for activity once there is none.
    mutating func settle() { if !activity.isEmpty, activity[0].isEmpty { activity = [] } }

    /// The load with this number, if it is under way.
    func load(_ number: UInt64) -> LoadRecord? { place(ofLoad: number).map { activity[0].loads[$0] } }

    /// Where in `loads` the load with this number is.
    func place(ofLoad number: UInt64) -> Int? {
        if activity.isEmpty { return nil }
        // By index, there may be thousands: neither the list is copied, nor is any of it retained to look at it.
        for index in activity[0].loads.indices where activity[0].loads[index].number == number { return index }
        return nil
    }

    // MARK: What it shows

    var isLooking: Bool { lookUp == .looking }
    var isLoading: Bool { lookUpRequest != nil || loads.contains(where: \.isActive) }
    var latestResponse: StoredResponse? {
        var latest = retained
        if variants.isEmpty { return latest }
        let common = plainPartitions.common
        for stored in variants where stored.extent == nil && stored.partition == common {
            if latest.map({ stored.receivedAt > $0.receivedAt }) ?? true { latest = stored }
        }
        return latest
    }

    /// Nothing depends on this object: it may leave the table once nobody refers to it.
    var isIdle: Bool {
        variants.isEmpty && !isInUse && !isBusy && (activity.isEmpty || !activity[0].remembers)
    }

    /// Whether it is loaded, requested, looked up or observed: what no flush drops, held by anybody or not (S-215).
    var isInUse: Bool {
        isLooking || !activity.isEmpty && activity[0].isUsed
    }

    var hasOperations: Bool { !activity.isEmpty && activity[0].hasOperations }
    var hasNotices: Bool { !activity.isEmpty && activity[0].hasNotices }

    /// Something is left to be told or done; whoever is at that, or is going to be, holds the resource.
    var isBusy: Bool { isRunningOperations || isTelling || !activity.isEmpty && activity[0].isOwing }

    /// The one variant that answers requests without special fields.
    ///
    /// None while some credential has an answer of its own: who bears it gets that one (C-20.3). Nor where the origin is not
    /// asked: answers tell of that (C-25.2).
    var plain: StoredResponse? {
        guard !isKeyed, variants.count == 1, effective?.values.mode.mayLoad ?? true, let result = variants.first,
            result.partition == .shared, result.status == 200, result.extent == nil,
            result.metadata.vary.isEmpty, !result.isInvalidated,
            !result.metadata.control.flags.contains(.noCache)
        else { return nil }
        return served(result)
    }

    /// What every request without special fields gets of `stored`; nil if that is not known, or not the same for all.
    private func served(_ stored: StoredResponse) -> StoredResponse? {
        guard let pipeline = effective?.values.pipeline else { return nil }
        guard !stored.isLocal, pipeline.applies(status: stored.status, fields: stored.fields) else {
            return stored.rendition.isEmpty ? stored : nil
        }
        guard pipeline.isInvariant else { return nil }
        return stored.knownRenditions?.derived(
            of: stored,
            RenditionKey(fingerprint: pipeline.fingerprint, variation: "")
        )
    }

    /// The table must see the present state.
    func show(_ effects: inout Effects) { effects.isChanged = true }

    /// The present state, for whoever asks.
    func snapshot(of resource: Resource) -> ResourceSnapshot {
        ResourceSnapshot(
            id: resource.id,
            uri: resource.uri,
            variants: variants,
            plain: plain,
            latestResponse: latestResponse,
            held: held,
            error: error,
            isLoading: isLoading,
            isInvalidated: isInvalidated,
            sequence: sequence,
            generation: generation
        )
    }

    /// Notes an event; the state must show it already (S-209).
    mutating func emit(_ event: ResourceEvent, _ context: ResourceContext, _ effects: inout Effects) {
        sequence += 1
        show(&effects)
        releaseDefunctObservers(&effects)
        guard context.isWatched || !observers.isEmpty else { return }
        let state = snapshot(of: context.resource)
        let change = ResourceChange(sequence: sequence, event: event, state: state)
        notices.append(PendingNotice(.change(change), to: observers.handles))
    }

    /// Notes an event that by itself changes nothing of what the table shows.
    mutating func emitActivity(_ event: ResourceEvent, _ context: ResourceContext, _ effects: inout Effects) {
        if context.isWatched || !observers.isEmpty { return emit(event, context, &effects) }
        sequence += 1
        if !isHeld || isIdle { effects.isChanged = true }
    }

    /// The last observer may have gone without a word (S-214).
    mutating func releaseDefunctObservers(_ effects: inout Effects) {
        if observers.isEmpty { return }
        let gone = observers.removeDefunct(&effects.released)
        if !gone.isEmpty { notices.append(PendingNotice(.stopped, to: gone)) }
        if observers.isEmpty { effects.isChanged = true }
    }

    /// What an observer of this identity is still to be told of a former observation, in order; it is told elsewhere.
    mutating func takeNotices(for identity: ObserverIdentity?) -> [(ObserverHandle, Notice)] {
        guard let identity else { return [] }
        var taken: [(ObserverHandle, Notice)] = []
        for index in notices.indices {
            let own = notices[index].observers.filter { $0.identity == identity }
            if own.isEmpty { continue }
            taken += own.map { ($0, notices[index].notice) }
            notices[index].observers.removeAll { $0.identity == identity }
        }
        return taken
    }

    /// Nothing is held, and nothing goes on.
    var hasEnded: Bool { variants.isEmpty && activity.isEmpty }

    /// The resource ends: nobody holds it, and its service is gone.
    func end(_ now: MonotonicTime, _ effects: inout Effects) {
        effects.left = Array(variants)
        effects.cancels = loads.compactMap { $0.exchange?.load }
        effects.cancelledRequests = loads.flatMap(\.faces) + loads.compactMap(\.sourceRequest)
        if let lookUpRequest { effects.cancelledRequests.append(lookUpRequest) }
        let waiting = lookUpWaiters + loads.flatMap(\.waiters)
        if waiting.isEmpty { return }
        let failure = ExchangeFailure(.cancelled, "the service was dropped while the request waited")
        effects.replies += waiting.map { Reply($0, .failure(ResourceError(failure, time: now))) }
    }

    // MARK: Variants

    /// Those that may answer `request`: its own partition first, then the latest Date (C-11.5, C-20.3).
    func matches(_ request: ClientRequest, _ context: ResourceContext) -> [StoredResponse] {
        var found: [(rank: Int, stored: StoredResponse)] = []
        var memo = SelectionMemo()
        for stored in variants {
            guard stored.isUsable(for: request), let rank = request.partitions.rank(of: stored.partition) else {
                continue
            }
            if stored.metadata.vary.isEmpty
                || stored.selection == memo.selection(stored.metadata.vary, request.fields, context)
            {
                found.append((rank, stored))
            }
        }
        if found.count > 1 {
            found.sort { left, right in
                if left.rank != right.rank { return left.rank < right.rank }
                if left.stored.metadata.date != right.stored.metadata.date {
                    return left.stored.metadata.date > right.stored.metadata.date
                }
                return left.stored.receivedAt > right.stored.receivedAt
            }
        }
        return found.map(\.stored)
    }

    /// The selection of a request by `vary`; credentials in it are hashed.
    static func selection(_ vary: VaryNames, _ request: Fields, _ context: ResourceContext) -> [UInt8] {
        guard !vary.names.isEmpty else { return [] }
        return vary.selectionKey(for: request, credentials: context.configuration.caching.credentials) {
            context.environment.hasher.hash($0)
        }
    }

    func variant(_ partition: Partition, _ selection: [UInt8]) -> StoredResponse? {
        variants.first { $0.partition == partition && $0.selection == selection }
    }

    /// Marks as most recently used.
    mutating func touch(_ stored: StoredResponse) {
        stored.noteUse()
        guard variants.last !== stored, let index = variants.firstIndex(where: { $0 === stored }) else { return }
        variants.append(variants.remove(at: index))
    }

    /// Puts `stored` in the place of the one with its partition and selection, or adds it.
    mutating func insert(_ stored: StoredResponse, _ context: ResourceContext, _ effects: inout Effects) {
        if let index = variants.firstIndex(where: {
            $0.partition == stored.partition && $0.selection == stored.selection
        }) {
            effects.left.append(variants.remove(at: index))
        }
        variants.append(stored)
        noteChange()
        show(&effects)
        effects.entered.append(stored)
        while variants.count > max(1, context.configuration.variantLimit) {
            let oldest = variants.removeFirst()
            effects.left.append(oldest)
            operations.append(.remove(partition: oldest.partition, selection: oldest.selection))
        }
        isInvalidated = variants.contains { $0.isInvalidated }
    }

    /// Takes `stored` out of memory and store.
    mutating func remove(_ stored: StoredResponse, _ effects: inout Effects) {
        guard let index = variants.firstIndex(where: { $0.isSame(as: stored) }) else { return }
        effects.left.append(variants.remove(at: index))
        noteChange()
        show(&effects)
        operations.append(.remove(partition: stored.partition, selection: stored.selection))
    }

    mutating func noteChange() { changeCount &+= 1 }

    // MARK: What is remembered

    mutating func remember(
        _ error: ResourceError,
        of cause: ExchangeCause,
        pause: Duration? = nil,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) {
        let selection = cause.selection(context)
        failures.removeAll { $0.partitions == cause.request.partitions && $0.selection == selection }
        if failures.count >= 16 { failures.removeFirst() }
        failures.append(
            RememberedFailure(
                partitions: cause.request.partitions,
                vary: cause.vary,
                selection: selection,
                error: error,
                pausedUntil: pause.map { context.now + $0 }
            )
        )
        effects.recheckAfter = max(context.configuration.retryTime, pause ?? .zero)
    }

    /// How a load failed a moment ago that this one would repeat; a failure to reach the origin counts no more once that
    /// has come back.
    func rememberedFailure(_ request: ClientRequest, _ context: ResourceContext) -> ResourceError? {
        guard !failures.isEmpty, let found = failure(of: request, context) else { return nil }
        var error = found.error
        error.retryAfter = found.pausedUntil.map { $0 - context.now } ?? error.retryAfter
        return error
    }

    /// What is remembered of a load that `request` would repeat.
    func failure(of request: ClientRequest, _ context: ResourceContext) -> RememberedFailure? {
        failures.last { failure in
            failure.partitions == request.partitions && isRemembered(failure, context)
                && !hasReopened(for: request, since: failure.error, context)
                && failure.selection == Self.selection(failure.vary, request.fields, context)
        }
    }

    private func isRemembered(_ failure: RememberedFailure, _ context: ResourceContext) -> Bool {
        failure.pausedUntil.map { context.now < $0 } ?? isWithinRetryTime(failure.error, context)
    }

    private func hasReopened(
        for request: ClientRequest,
        since error: ResourceError,
        _ context: ResourceContext
    ) -> Bool {
        guard let kind = error.kind, let origins = context.environment.origins else { return false }
        return origins.hasReopened(route(of: request, context), kind, since: error.time)
    }

    /// An age equal to the retry time still counts (S-084).
    func isWithinRetryTime(_ error: ResourceError, _ context: ResourceContext) -> Bool {
        context.now - error.time <= context.configuration.retryTime
    }

    /// Forgets what is remembered no longer; tells how long something still is.
    mutating func expire(_ context: ResourceContext, _ effects: inout Effects) -> Duration? {
        let retryTime = context.configuration.retryTime
        failures = failures.filter { isRemembered($0, context) }
        if let until = soloUntil, until <= context.now { soloUntil = nil }
        effects.isChanged = true
        var waits = failures.map { failure in
            failure.pausedUntil.map { $0 - context.now } ?? retryTime - (context.now - failure.error.time)
        }
        if let soloUntil { waits.append(soloUntil - context.now) }
        return waits.min()
    }
}
