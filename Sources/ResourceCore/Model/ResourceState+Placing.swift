import Exchanges
import HTTPCaching
import HTTPCore
import Transforms

/// Where a request goes: docs/specification/resources.md §1.
extension ResourceState {
    /// What to do with one request.
    enum Step {
        case answer(CacheResult)
        /// Serve this; `refreshes`: and validate it in the background.
        case serve(StoredResponse, CacheOutcome, refreshes: Bool)
        case lookUp
        /// Join the load with this number.
        case join(UInt64)
        case load(LoadPlan)
    }

    struct LoadPlan {
        var forward: ForwardReason
        var isSolo: Bool
        /// The word for why, where `forward` does not say it all.
        var reason: String?
        /// The request's own part is asked for.
        var isRanged = false
        /// What is held already; nil if nothing.
        var basis: LoadBasis?

        /// Stored responses to validate, the selected one first.
        var offered: [StoredResponse] { basis?.offered ?? [] }
        /// A stored first part of the whole that is asked for.
        var prefix: StoredResponse? { basis?.prefix }
    }

    /// Answers a request, or lets it wait; `waiter` is asked for only if it waits or follows.
    mutating func place(
        _ request: ClientRequest,
        _ waiter: () -> Waiter,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) -> CacheResult? {
        switch step(for: request, context) {
        case .answer(let answer):
            return answer
        case .serve(let stored, let outcome, let refreshes):
            touch(stored)
            if refreshes { refresh(stored, for: request, context, &effects) }
            return .stored(stored, outcome)
        case .lookUp:
            lookUpWaiters.append(waiter())
            beginLookUp(&effects)
            return nil
        case .join(let number):
            return join(number, waiter(), &effects)
        case .load(let plan):
            let waiting = waiter()
            let number = startLoad(plan, for: request, isBackground: false, context, &effects)
            guard let record = load(number) else { return nil }
            waiting.loadNumber = number
            record.leader = ObjectIdentifier(waiting)
            record.wait(waiting)
            return nil
        }
    }

    /// What a load over an exchange was started for, and whether it commits nothing any more; nil once it has ended.
    func cause(of number: UInt64) -> (ExchangeCause, isDetached: Bool)? {
        guard let record = load(number), let cause = record.exchange else { return nil }
        return (cause, record.isDetached)
    }

    /// Takes a load out, which is released outside of the lock; a resource that does not load, as most do, keeps no room
    /// for one.
    mutating func end(_ record: LoadRecord, _ effects: inout Effects) {
        effects.ended.append(record)
        guard let place = place(ofLoad: record.number) else { return }
        if activity[0].loads.count == 1 { loads = [] } else { loads.remove(at: place) }
    }

    private mutating func join(_ number: UInt64, _ waiter: Waiter, _ effects: inout Effects) -> CacheResult? {
        guard let record = load(number), let cause = record.exchange else { return nil }
        waiter.loadNumber = number
        guard let arrival = record.arrival else {
            record.wait(waiter)
            return nil
        }
        record.follow(ObjectIdentifier(waiter))
        // All of it is here, only not at rest yet: for the client that is a hit.
        let isHit = arrival.response.isComplete
        return .following(arrival.response, isHit ? .hit : record.outcome(cause, isCollapsed: true))
    }

    // MARK: Deciding

    func step(for request: ClientRequest, _ context: ResourceContext) -> Step {
        if context.effective.isNeverCached {
            return .answer(Self.uncached(request, context.configuration.mode))
        }
        if request.directives.hasOriginCondition { return .answer(.pass(.originCondition)) }
        let held = matches(request, context)
        let matches = held.filter { $0.answers(request, context) }
        for stored in matches {
            if let step = serve(stored, to: request, context) { return step }
        }
        if lookUp != .known { return lookUpStep(for: request, context) }
        if let refusal = CacheRefusal(context.configuration.mode) { return answer(matches, insteadOf: refusal) }
        if request.directives.onlyIfCached { return .answer(.refused(.onlyIfCached)) }
        let outage = outage(for: request, context)
        if let outage, let step = serve(request, despite: outage, context) { return step }
        if let reason = passReason(request, hasStored: matches.contains { $0.canBeValidated }) {
            return .answer(.pass(reason))
        }
        if let error = rememberedFailure(request, context) {
            let failure = error.kind == nil ? LoadFailure.status(error.status) : .network
            return .answer(
                answer(request, to: error.remembered, after: failure, isRemembered: true, context)
            )
        }
        let step = joinOrLoad(request, matches, held, context)
        guard case .load = step else { return step }
        if let outage, !outage.mayAttempt {
            let error = ResourceError(outage.failure(), time: context.now)
            return .answer(answer(request, to: error, after: .network, isRemembered: true, context))
        }
        return pause(context).map { .answer(answer(request, to: $0, context)) } ?? step
    }

    /// The store is asked first; what would share a load may not gather without bound meanwhile (H-134).
    private func lookUpStep(for request: ClientRequest, _ context: ResourceContext) -> Step {
        let isFull = lookUpWaiters.count >= context.configuration.waiterLimit
        return isFull && request.profile.mayJoin ? .answer(.refused(.tooManyWaiters)) : .lookUp
    }

    /// What a request gets that may not wait for a load: as many wait for it as may (H-134).
    private func crowdedOut(_ request: ClientRequest, _ context: ResourceContext) -> CacheResult {
        context.notes?.add(
            .staleness,
            "\(context.uri.text): a request more than limits.waiters-per-load allows does not wait for the load"
        )
        return stale(for: request, after: .status(503), isRemembered: true, context) ?? .refused(.tooManyWaiters)
    }

    /// Where the configuration forbids to cache anything: to the origin, or nowhere.
    static func uncached(_ request: ClientRequest, _ mode: ServiceMode) -> CacheResult {
        if let refusal = CacheRefusal(mode) { return .refused(refusal) }
        return request.directives.onlyIfCached ? .refused(.onlyIfCached) : .pass(.neverCache)
    }

    private func serve(_ stored: StoredResponse, to request: ClientRequest, _ context: ResourceContext) -> Step? {
        if stored.isLocal {
            let isAskedAnew = request.directives.noCache && !stored.metadata.ignoresReload(request.directives)
            let isUsable = stored.isFresh(at: context.now) && !isAskedAnew
            return isUsable ? .serve(stored, CacheOutcome(isHit: true, detail: "override"), refreshes: false) : nil
        }
        let decision = stored.metadata.decision(
            for: request.directives,
            ageSeconds: stored.currentAge(at: context.now),
            isInvalidated: stored.isInvalidated
        )
        // Where the origin is not asked every answer says so.
        let mode = CacheRefusal(context.configuration.mode)?.rawValue
        switch decision {
        case .fresh:
            let isReload = stored.metadata.ignoresReload(request.directives)
            let detail = mode ?? (isReload ? "ignore-client-no-cache" : nil)
            return .serve(stored, CacheOutcome(isHit: true, detail: detail), refreshes: false)
        case .staleAllowed:
            return .serve(stored, CacheOutcome(isHit: true, detail: mode ?? "max-stale"), refreshes: false)
        case .staleWhileRevalidate:
            let outcome = CacheOutcome(isHit: true, detail: mode ?? "stale-while-revalidate")
            let refreshes = mode == nil && mayRefresh(stored, for: request, context)
            return .serve(stored, outcome, refreshes: refreshes)
        case .validate, .refuse:
            return nil
        }
    }

    /// Without the origin anything held serves, however old (C-25.2).
    private func answer(_ matches: [StoredResponse], insteadOf refusal: CacheRefusal) -> Step {
        guard let stored = matches.first else { return .answer(.refused(refusal)) }
        return .serve(stored, CacheOutcome(isHit: true, detail: refusal.rawValue), refreshes: false)
    }

    /// What is known of the origin, if it is down (C-25.3).
    func outage(for request: ClientRequest, _ context: ResourceContext) -> OriginOutage? {
        guard let origins = context.environment.origins, !origins.isQuiet else { return nil }
        return origins.outage(on: route(of: request, context), at: context.now)
    }

    /// Where a load for `request` would go.
    func route(of request: ClientRequest, _ context: ResourceContext) -> OriginRoute {
        let name = context.configuration.policies.security
        return OriginRoute(Origin(context.uri), CircuitBreakerKey.Security(identity: request.identity, name: name))
    }

    /// Why nothing is sent to the origin now, if it has asked for that and all its URLs heed it (C-25.3).
    func pause(_ context: ResourceContext) -> ExchangeFailure? {
        guard context.configuration.policies.retryAfter == .origin else { return nil }
        return context.environment.origins?.pause(of: Origin(context.uri), at: context.now)
    }

    /// What a request gets whose load is not made for that reason.
    private func answer(
        _ request: ClientRequest,
        to pause: ExchangeFailure,
        _ context: ResourceContext
    ) -> CacheResult {
        let standIn = pause.pausedBy.flatMap { status in
            stale(for: request, after: .status(status), isRemembered: true, context)
        }
        return standIn ?? .failure(ResourceError(pause, time: context.now))
    }

    /// Whether the origin may be asked in the background for what is served stale.
    ///
    /// A part is only validated: the whole may be any number of times as long, and nobody has asked for it.
    private func mayRefresh(
        _ stored: StoredResponse,
        for request: ClientRequest,
        _ context: ResourceContext
    ) -> Bool {
        (stored.extent == nil || stored.canBeValidated)
            && outage(for: request, context)?.mayAttempt ?? true && pause(context) == nil
    }

    /// Stale content at once, where the origin is known to be down (C-25.2).
    ///
    /// In mode `auto` nobody who can be served waits for the attempt that looks whether it is back; in mode `online` one
    /// request does.
    private func serve(
        _ request: ClientRequest,
        despite outage: OriginOutage,
        _ context: ResourceContext
    ) -> Step? {
        guard !outage.mayAttempt || context.configuration.mode == .auto,
            case .stored(let stored, var outcome)? = stale(
                for: request,
                after: .network,
                isRemembered: true,
                context
            )
        else { return nil }
        let refreshes = mayRefresh(stored, for: request, context)
        // Somebody has to look whether it is back, unless it has asked to be left alone.
        guard refreshes || !outage.mayAttempt || pause(context) != nil else { return nil }
        outcome.detail = OriginOutage.detail
        return .serve(stored, outcome, refreshes: refreshes)
    }

    private func passReason(_ request: ClientRequest, hasStored: Bool) -> PassReason? {
        if request.profile.wantsOwnStream { return .eventStream }
        if request.directives.noStore { return .requestNoStore }
        if request.isHead { return .head }
        // Under conditions of the client's the answer may be one that only it can use (RFC 9110 §15.3.7).
        let isConditional = request.directives.hasCondition || request.fields.contains(.ifRange)
        return request.directives.hasRange && !hasStored && isConditional ? .range : nil
    }

    /// A stored response in place of a failure, if that is allowed (C-7.2 to C-7.4).
    func stale(
        for request: ClientRequest,
        after failure: LoadFailure,
        isRemembered: Bool,
        _ context: ResourceContext
    ) -> CacheResult? {
        for (stored, verdict) in verdicts(for: request, after: failure, context) {
            guard case .serve(let reason) = verdict else { continue }
            var outcome = CacheOutcome(isHit: isRemembered, detail: reason.rawValue)
            if !isRemembered { outcome.forward = .stale }
            if case .status(let status) = failure { outcome.forwardStatus = status }
            return .stored(stored, outcome)
        }
        return nil
    }

    /// What a request gets whose load failed: a stored response in its place where that is allowed, else the failure.
    func answer(
        _ request: ClientRequest,
        to error: ResourceError,
        after failure: LoadFailure,
        isRemembered: Bool,
        _ context: ResourceContext
    ) -> CacheResult {
        if let standIn = stale(for: request, after: failure, isRemembered: isRemembered, context) {
            return standIn
        }
        guard failure == .network, error.isOfSilentOrigin else { return .failure(error) }
        for (_, verdict) in verdicts(for: request, after: failure, context) {
            guard case .refuse(let obstacle) = verdict, obstacle.isOfResponse else { continue }
            return .failure(error.unvalidated(obstacle))
        }
        return .failure(error)
    }

    /// How each stored response for the request stands to being served in place of a failure.
    private func verdicts(
        for request: ClientRequest,
        after failure: LoadFailure,
        _ context: ResourceContext
    ) -> [(StoredResponse, StaleVerdict)] {
        matches(request, context)
            .filter { !$0.isLocal && $0.answers(request, context) }
            .map { stored in
                let verdict = stored.metadata.staleVerdict(
                    after: failure,
                    for: request.directives,
                    ageSeconds: stored.currentAge(at: context.now),
                    isInvalidated: stored.isInvalidated,
                    options: context.configuration.caching
                )
                return (stored, verdict)
            }
    }

    // MARK: Joining and loading

    /// - Parameters:
    ///   - matches: what may answer the request once it is validated.
    ///   - held: the same, and parts that do not answer it.
    private func joinOrLoad(
        _ request: ClientRequest,
        _ matches: [StoredResponse],
        _ held: [StoredResponse],
        _ context: ResourceContext
    ) -> Step {
        let isSolo = soloUntil.map { $0 > context.now } ?? false
        var memo = SelectionMemo()
        let loads = loads
        // By index: of those that wait alone for their heads there may be thousands, which are not even retained.
        for index in loads.indices.reversed() where !loads[index].waitsAlone(isSolo) {
            let record = loads[index]
            guard mayJoin(record, request, !matches.isEmpty, context, &memo) else { continue }
            if record.arrival == nil, record.waiters.count >= context.configuration.waiterLimit {
                return .answer(crowdedOut(request, context))
            }
            return .join(record.number)
        }
        return .load(plan(for: request, matches, held, isSolo: isSolo, context))
    }

    private func mayJoin(
        _ record: LoadRecord,
        _ request: ClientRequest,
        _ hasStored: Bool,
        _ context: ResourceContext,
        _ memo: inout SelectionMemo
    ) -> Bool {
        guard !record.isDetached, let cause = record.exchange, !cause.isPost else { return false }
        if request.directives.noCache, cause.load.sentAt < request.arrival,
            context.configuration.caching.clientNoCacheIgnoredBy == nil
        {
            return false
        }
        if let arrival = record.arrival { return mayFollow(arrival, request, context, &memo) }
        // A Range waits for a validation, whose 304 lets it be served from store; other answers are not shared with it.
        let sharesValidation = request.directives.hasRange && hasStored && !cause.offered.isEmpty
        return (request.profile.mayJoin || sharesValidation)
            && cause.request.partitions == request.partitions
            && record.isSelected(by: request.fields, cause, context, &memo)
    }

    /// Whether a request that comes after the head may follow: as if the response were stored already.
    private func mayFollow(
        _ arrival: LoadRecord.Arrival,
        _ request: ClientRequest,
        _ context: ResourceContext,
        _ memo: inout SelectionMemo
    ) -> Bool {
        guard request.profile.mayJoin, arrival.extent == nil, let partition = arrival.partition,
            request.partitions.rank(of: partition) != nil
        else { return false }
        let metadata = arrival.response.metadata
        // Whoever follows would hear of each part later than the first (C-24.5).
        guard !metadata.isIncremental || arrival.response.isComplete else { return false }
        let age = metadata.currentAgeSeconds(
            sinceReceipt: context.now.wholeSeconds(since: arrival.response.receivedAt)
        )
        guard case .fresh = metadata.decision(for: request.directives, ageSeconds: age) else { return false }
        return arrival.selection == memo.selection(metadata.vary, request.fields, context)
            && arrival.response.growing?.acceptsReaders ?? true
    }

    private func plan(
        for request: ClientRequest,
        _ matches: [StoredResponse],
        _ held: [StoredResponse],
        isSolo: Bool,
        _ context: ResourceContext
    ) -> LoadPlan {
        guard let first = matches.first else {
            let isVisible = variants.contains { request.partitions.rank(of: $0.partition) != nil }
            let isRanged = request.directives.hasRange
            let missing: ForwardReason = held.isEmpty ? (isVisible ? .varyMiss : .uriMiss) : .partial
            var plan = LoadPlan(forward: missing, isSolo: isSolo || isRanged, isRanged: isRanged)
            if !isRanged, let prefix = held.first(where: { $0.canBeCompleted(for: request, context) }) {
                plan.basis = LoadBasis(offered: [], selected: nil, prefix: prefix)
            }
            if held.isEmpty, crowd(seenBy: request, context) != nil { plan.reason = VariantCrowd.word }
            return plan
        }
        let selected = matches.first { $0.canBeValidated }
        let reason = validationReason(of: selected ?? first, request, context)
        let forward = reason?.forward ?? .stale
        let isRanged = selected == nil && request.directives.hasRange
        return LoadPlan(
            forward: forward,
            isSolo: isSolo || isRanged,
            reason: reason?.rawValue == forward.rawValue ? nil : reason?.rawValue,
            isRanged: isRanged,
            basis: LoadBasis(
                offered: selected.map { offers($0, for: request, context) } ?? [],
                selected: selected ?? first
            )
        )
    }

    /// Why what is held does not do as it is; nil for content of our own.
    private func validationReason(
        of stored: StoredResponse,
        _ request: ClientRequest,
        _ context: ResourceContext
    ) -> ValidationReason? {
        guard !stored.isLocal else { return nil }
        let decision = stored.metadata.decision(
            for: request.directives,
            ageSeconds: stored.currentAge(at: context.now),
            isInvalidated: stored.isInvalidated
        )
        guard case .validate(let reason) = decision else { return nil }
        return reason
    }

    /// The selected response, and with it the others whose tags are offered (C-21.6).
    private func offers(
        _ selected: StoredResponse,
        for request: ClientRequest,
        _ context: ResourceContext
    ) -> [StoredResponse] {
        guard selected.metadata.etag != nil else { return [selected] }
        let others = variants.filter { other in
            other !== selected && !other.isLocal && other.metadata.etag != nil && other.isUsable(for: request)
                && (other.partition == selected.partition || other.partition == request.partitions.common)
                && request.partitions.rank(of: other.partition) != nil && other.answers(request, context)
        }
        return [selected] + others
    }

    /// Validates what was served stale and may be refreshed, once at a time and not while a failure is remembered (C-7.1).
    ///
    /// Whose request it was does not matter: what another one's load is going to replace is not loaded again meanwhile.
    private mutating func refresh(
        _ stored: StoredResponse,
        for request: ClientRequest,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) {
        var memo = SelectionMemo()
        let isRunning = loads.contains { record in
            guard !record.isDetached, let cause = record.exchange else { return false }
            return cause.offered.contains { $0.isSame(as: stored) }
                || cause.selected.map { $0.isSame(as: stored) } ?? false
                || (cause.request.partitions == request.partitions
                    && record.isSelected(by: request.fields, cause, context, &memo))
        }
        // Who asks only for what is held causes no request.
        guard !isRunning, !request.directives.noStore, !request.directives.onlyIfCached,
            rememberedFailure(request, context) == nil
        else { return }
        let offered = stored.canBeValidated ? offers(stored, for: request, context) : []
        let basis = LoadBasis(offered: offered, selected: stored)
        let plan = LoadPlan(forward: .stale, isSolo: false, basis: basis)
        _ = startLoad(plan, for: request, isBackground: true, context, &effects)
    }

    /// Begins a load; its number.
    mutating func startLoad(
        _ plan: LoadPlan,
        for request: ClientRequest,
        isBackground: Bool,
        isModel: Bool = false,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) -> UInt64 {
        var fields = Self.fields(plan, request)
        let injected = request.injected
        for line in injected.lines { fields.append(name: injected.name(of: line), value: injected.value(of: line)) }
        let original = OriginRequest(
            method: .get,
            uri: context.uri,
            fields: fields,
            initialCredit: context.configuration.initialCredit,
            client: request.client,
            policies: context.configuration.policies,
            credential: request.credential,
            identity: request.identity,
            host: request.host
        )
        lastLoad += 1
        let load = Load(
            number: lastLoad,
            sentAt: context.now,
            request: original,
            link: context.link,
            provider: request.provider
        )
        let names = vary ?? Self.coldVary(context.configuration.caching)
        let source = ExchangeCause(
            load: load,
            request: request.loading(isRanged: plan.isRanged),
            forward: plan.forward,
            reason: plan.reason,
            basis: plan.basis,
            isSolo: plan.isSolo,
            isBackground: isBackground,
            isModel: isModel,
            isRanged: plan.isRanged,
            vary: names
        )
        begin(LoadRecord(number: load.number, source: .exchange(source)), context, &effects)
        return load.number
    }

    /// What is sent of the request's fields: its own part, the whole, the rest of it, or whether it has changed.
    private static func fields(_ plan: LoadPlan, _ request: ClientRequest) -> Fields {
        if plan.isRanged { return request.fields }
        if let prefix = plan.prefix, let extent = prefix.extent {
            return Completion.asking(request.fields, for: extent, of: prefix.metadata)
        }
        guard let selected = plan.offered.first else { return SentConditions.unconditional(request.fields) }
        return SentConditions.validating(
            request.fields,
            selected: selected.metadata,
            others: plan.offered.dropFirst().map(\.metadata)
        )
    }

    /// What must be equal for requests to join while nothing is known of the resource (C-23.1).
    private static func coldVary(_ options: CachingOptions) -> VaryNames {
        if options.rules.isEmpty { return usualColdVary }
        let ignored = options.ignoredVaryNames
        return VaryNames(
            Fields(),
            adding: usualColdVary.names.filter { !ignored.contains($0) } + options.addedVaryNames
        )
    }

    private static let usualColdVary: VaryNames = {
        var fields = Fields()
        fields.append(.vary, "Accept, Accept-Encoding, Accept-Language")
        return VaryNames(fields)
    }()
}

/// The selection of one request by the names asked for last, so that a long list is compared without reading it anew.
struct SelectionMemo {
    private var last: (vary: VaryNames, selection: [UInt8])?

    mutating func selection(_ vary: VaryNames, _ request: Fields, _ context: ResourceContext) -> [UInt8] {
        if let last, last.vary == vary { return last.selection }
        let selection = ResourceState.selection(vary, request, context)
        last = (vary, selection)
        return selection
    }
}

extension StoredResponse {
    /// Whether the origin can be asked for it conditionally; what was changed here cannot (S-249).
    var canBeValidated: Bool { !isLocal && metadata.hasValidator }

    /// What was redacted before it was stored is of use only where the same would be done again.
    func isUsable(for request: ClientRequest) -> Bool {
        rendition.isEmpty || rendition == request.rendition?.mark ?? []
    }
}

extension LoadRecord {
    /// The words of Cache-Status for a request that follows the response.
    func outcome(_ cause: ExchangeCause, isCollapsed: Bool) -> CacheOutcome {
        var outcome = CacheOutcome(
            isHit: false,
            forward: cause.forward,
            isCollapsed: isCollapsed,
            detail: cause.reason
        )
        guard let arrival else { return outcome }
        outcome.isStored = arrival.partition != nil && !isDetached
        if !cause.offered.isEmpty { outcome.forwardStatus = arrival.response.status }
        if let received = arrival.receivedStatus { outcome.forwardStatus = received }
        switch arrival.storability {
        case .refuse(let reason): outcome.detail = reason.rawValue
        case .store(_, .cacheEven) where outcome.isStored: outcome.detail = StoringReason.cacheEven.rawValue
        case .store: break
        }
        return outcome
    }
}
