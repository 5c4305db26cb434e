import Configurations
import Exchanges
import HTTPCaching
import HTTPCore
import Outcomes
import Transforms

/// Decides what to do with requests, from stored responses, loads and remembered outcomes:
/// docs/specification/resources.md §1.
///
/// Deciding changes nothing; `explain` uses the same decisions.
package struct Decider {
    package var state: ResourceState
    package var context: ResourceContext

    private var configuration: Configuration { context.configuration }
    var mode: ServiceMode { configuration.mode }

    package func decision(for request: ClientRequest) -> Decision {
        let directives = request.directives
        if context.effective.isNeverCached { return .answer(Self.uncached(request, mode)) }
        if let wanted = request.wanted { return decision(for: request, wanted) }
        if directives.hasOriginCondition { return .answer(.pass(.originCondition)) }
        let selected = state.variants.matches(request, context)
        let matches = selected.filter { $0.answers(request, context) }
        for stored in matches {
            if let decision = serve(stored, to: request) { return decision }
        }
        // What came of a load that was cut is on its way into the store: it will be found in a moment.
        let awaitsPart = state.activity.map { $0.partsToKeep > 0 } ?? false
        if state.variants.lookUp != .known || awaitsPart { return lookUp(for: request) }
        if let refusal = CacheRefusal(mode) { return serve(matches, insteadOf: refusal) }
        if directives.onlyIfCached { return .answer(.refused(.onlyIfCached)) }
        let outage = context.outage(for: request)
        if let outage, let decision = serve(request, despite: outage) { return decision }
        let mayLeadToStored =
            matches.contains { $0.canBeValidated } || selected.contains { firstHole(for: request, in: $0) != nil }
        if let reason = passReason(request, hasStored: mayLeadToStored) {
            return .answer(.pass(reason))
        }
        if let error = rememberedFailure(for: request) {
            let failure = error.kind == nil ? LoadFailure.status(error.status) : .network
            return .answer(result(for: request, error.remembered, failure, isRemembered: true))
        }
        let decision = joinOrLoad(request, matches, selected)
        guard case .load = decision else { return decision }
        if let outage, !outage.mayAttempt {
            let error = ResourceError(outage.failure(), time: context.now)
            return .answer(result(for: request, error, .network, isRemembered: true))
        }
        return context.pause.map { .answer(result(for: request, pause: $0)) } ?? decision
    }

    /// Looks into the store first; requests that may share a load wait in limited number (H-134).
    private func lookUp(for request: ClientRequest) -> Decision {
        let isFull = state.waitingForLookUp.count >= configuration.waiterLimit
        return isFull && request.profile.mayJoin ? .answer(.refused(.tooManyWaiters)) : .lookUp
    }

    /// If the configuration forbids caching: asks the origin, or refuses.
    static func uncached(_ request: ClientRequest, _ mode: ServiceMode) -> CacheResult {
        if let refusal = CacheRefusal(mode) { return .refused(refusal) }
        return request.directives.onlyIfCached ? .refused(.onlyIfCached) : .pass(.neverCache)
    }

    // MARK: Serving what is stored

    private func serve(_ stored: StoredResponse, to request: ClientRequest) -> Decision? {
        let directives = request.directives
        if stored.isLocal {
            let isAskedAnew = directives.noCache && !stored.metadata.ignoresReload(directives)
            let isUsable = stored.isFresh(at: context.now) && !isAskedAnew
            return isUsable ? .serve(stored, CacheOutcome(isHit: true, detail: "override"), refreshes: false) : nil
        }
        // In a mode without the origin, every response says so.
        let detail = CacheRefusal(mode)?.rawValue
        switch serveDecision(stored, for: directives) {
        case .fresh:
            let isReload = stored.metadata.ignoresReload(directives)
            let outcome = CacheOutcome(isHit: true, detail: detail ?? (isReload ? "ignore-client-no-cache" : nil))
            let isAhead = detail == nil && stored.isRefreshedAhead(at: context.now)
            return .serve(stored, outcome, refreshes: isAhead && mayRefresh(stored, for: request))
        case .staleAllowed:
            return .serve(stored, CacheOutcome(isHit: true, detail: detail ?? "max-stale"), refreshes: false)
        case .staleWhileRevalidate:
            let outcome = CacheOutcome(isHit: true, detail: detail ?? "stale-while-revalidate")
            return .serve(stored, outcome, refreshes: detail == nil && mayRefresh(stored, for: request))
        case .validate, .refuse:
            return nil
        }
    }

    private func serveDecision(_ stored: StoredResponse, for directives: RequestDirectives) -> ServeDecision {
        stored.metadata.decision(
            for: directives,
            ageSeconds: stored.currentAge(at: context.now),
            isInvalidated: stored.isInvalidated
        )
    }

    /// Without the origin any stored response is served, however old (C-25.2).
    private func serve(_ matches: [StoredResponse], insteadOf refusal: CacheRefusal) -> Decision {
        guard let stored = matches.first else { return .answer(.refused(refusal)) }
        return .serve(stored, CacheOutcome(isHit: true, detail: refusal.rawValue), refreshes: false)
    }

    /// Whether a response that is served stale may be refreshed in the background.
    ///
    /// A part is only validated: the whole may be much longer, and no request asked for it.
    private func mayRefresh(_ stored: StoredResponse, for request: ClientRequest) -> Bool {
        (stored.extent == nil || stored.canBeValidated)
            && context.outage(for: request)?.mayAttempt ?? true && context.pause == nil && !context.sparesQuota
    }

    /// Serves stale content at once if the origin is known to be down (C-25.2).
    ///
    /// In mode `auto` no request that can be served waits for the attempt to reach it; in mode `online` one does.
    private func serve(_ request: ClientRequest, despite outage: OriginOutage) -> Decision? {
        guard !outage.mayAttempt || mode == .auto,
            case .stored(let stored, var outcome)? = stale(for: request, after: .network, isRemembered: true)
        else { return nil }
        let refreshes = mayRefresh(stored, for: request)
        // Some request must try the origin, unless it asked for a pause.
        guard refreshes || !outage.mayAttempt || context.pause != nil else { return nil }
        outcome.detail = OriginOutage.detail
        return .serve(stored, outcome, refreshes: refreshes)
    }

    // MARK: In place of a load

    private func passReason(_ request: ClientRequest, hasStored: Bool) -> PassReason? {
        let directives = request.directives
        if request.profile.wantsOwnStream { return .eventStream }
        if directives.noStore { return .requestNoStore }
        if request.isHead { return .head }
        // The client's own conditions may lead to a response that only it can use (RFC 9110 §15.3.7).
        let isConditional = directives.hasCondition || request.fields.contains(.ifRange)
        return directives.hasRange && !hasStored && isConditional ? .range : nil
    }

    /// A recent failure that a load for this request would repeat.
    func rememberedFailure(for request: ClientRequest) -> ResourceError? {
        guard let found = state.outcomes.failure(of: request, context) else { return nil }
        var error = found.error
        error.retryAfter = found.pausedUntil.map { $0 - context.now } ?? error.retryAfter
        return error
    }

    /// The result of a request whose load failed: a stored response if that is allowed, else the failure.
    func result(
        for request: ClientRequest,
        _ error: ResourceError,
        _ failure: LoadFailure,
        isRemembered: Bool
    ) -> CacheResult {
        if let standIn = stale(for: request, after: failure, isRemembered: isRemembered) { return standIn }
        guard failure == .network, error.isOfSilentOrigin else { return .failure(error) }
        for (_, verdict) in verdicts(for: request, after: failure) {
            guard case .refuse(let obstacle) = verdict, obstacle.isOfResponse else { continue }
            return .failure(error.unvalidated(obstacle))
        }
        return .failure(error)
    }

    /// The result of a request that is not loaded because the origin asked for a pause.
    private func result(for request: ClientRequest, pause: ExchangeFailure) -> CacheResult {
        let standIn = pause.pausedBy.flatMap { stale(for: request, after: .status($0), isRemembered: true) }
        return standIn ?? .failure(ResourceError(pause, time: context.now))
    }

    /// A stored response in place of a failure, if that is allowed (C-7.2 to C-7.4).
    func stale(for request: ClientRequest, after failure: LoadFailure, isRemembered: Bool) -> CacheResult? {
        for (stored, verdict) in verdicts(for: request, after: failure) {
            guard case .serve(let reason) = verdict else { continue }
            var outcome = CacheOutcome(isHit: isRemembered, detail: reason.rawValue)
            if !isRemembered { outcome.forward = .stale }
            if case .status(let status) = failure { outcome.forwardStatus = status }
            return .stored(stored, outcome)
        }
        return nil
    }

    /// Whether each stored response for the request may be served in place of a failure.
    private func verdicts(
        for request: ClientRequest,
        after failure: LoadFailure
    ) -> [(StoredResponse, StaleVerdict)] {
        state.variants.matches(request, context)
            .filter { !$0.isLocal && $0.answers(request, context) }
            .map { stored in
                let verdict = stored.metadata.staleVerdict(
                    after: failure,
                    for: request.directives,
                    ageSeconds: stored.currentAge(at: context.now),
                    isInvalidated: stored.isInvalidated,
                    options: configuration.caching
                )
                return (stored, verdict)
            }
    }

    /// What a waiting request gets instead of the response: stale content for an error, or a pass for its range.
    func replacement(for request: ClientRequest, _ status: UInt16, _ cause: LoadCause) -> CacheResult? {
        if status >= 500, let stale = stale(for: request, after: .status(status), isRemembered: false) {
            return stale
        }
        return request.directives.hasRange && !cause.isRanged ? .pass(.range) : nil
    }

    // MARK: Joining and loading

    /// - Parameters:
    ///   - matches: responses that may answer the request once validated.
    ///   - selected: these, and parts that do not answer it.
    private func joinOrLoad(
        _ request: ClientRequest,
        _ matches: [StoredResponse],
        _ selected: [StoredResponse]
    ) -> Decision {
        let completed =
            matches.isEmpty && !request.directives.hasRange
            ? selected.first { $0.canBeCompleted(for: request, context) } : nil
        if matches.isEmpty, completed == nil, let wanted = firstHole(for: request, among: selected) {
            return joinOrLoad(request, wanted)
        }
        let isHitForMiss = state.outcomes.isHitForMiss(at: context.now)
        if selected.isEmpty, let waits = state.loads.awaitedPart(by: request, isHitForMiss: isHitForMiss, context) {
            return waits
        }
        let joinable = state.loads.joinable(
            by: request,
            isHitForMiss: isHitForMiss,
            hasStored: !matches.isEmpty,
            context
        )
        switch joinable {
        case .load(let number, let selection): return .join(number, selection: selection)
        case .full: return .answer(crowdedOut(request))
        case nil: return .load(plan(for: request, matches, selected, isHitForMiss: isHitForMiss))
        }
    }

    /// The first bytes that the request needs and that the first of these parts lacks.
    private func firstHole(for request: ClientRequest, among parts: [StoredResponse]) -> WantedBytes? {
        // A lazy collection would copy the whole decider, for each miss.
        for part in parts {
            if let hole = firstHole(for: request, in: part) { return hole }
        }
        return nil
    }

    /// The result of a request that may not wait: the limit of waiting requests is reached (H-134).
    private func crowdedOut(_ request: ClientRequest) -> CacheResult {
        context.notes?.add(
            .staleness,
            "\(context.uri.text): a request more than limits.waiters-per-load allows does not wait for the load"
        )
        return stale(for: request, after: .status(503), isRemembered: true) ?? .refused(.tooManyWaiters)
    }

    private func plan(
        for request: ClientRequest,
        _ matches: [StoredResponse],
        _ selected: [StoredResponse],
        isHitForMiss: Bool
    ) -> LoadPlan {
        guard let first = matches.first else {
            return planWithoutMatch(for: request, selected, isHitForMiss: isHitForMiss)
        }
        let validated = matches.first { $0.canBeValidated }
        let reason = validationReason(of: validated ?? first, for: request.directives)
        let forward = reason?.forward ?? .stale
        let isRanged = validated == nil && request.directives.hasRange
        let basis = LoadBasis(offered: validated.map { offers($0, for: request) } ?? [], selected: validated ?? first)
        return LoadPlan(
            forward: forward,
            isHitForMiss: isHitForMiss || isRanged,
            reason: reason?.rawValue == forward.rawValue ? nil : reason?.rawValue,
            isRanged: isRanged,
            basis: Boxed(basis)
        )
    }

    private func planWithoutMatch(
        for request: ClientRequest,
        _ selected: [StoredResponse],
        isHitForMiss: Bool
    ) -> LoadPlan {
        let isVisible = state.variants.stored.contains { request.partitions.rank(of: $0.partition) != nil }
        let isRanged = request.directives.hasRange
        let forward: ForwardReason = selected.isEmpty ? (isVisible ? .varyMiss : .uriMiss) : .partial
        var plan = LoadPlan(forward: forward, isHitForMiss: isHitForMiss || isRanged, isRanged: isRanged)
        if !isRanged, let prefix = selected.first(where: { $0.canBeCompleted(for: request, context) }) {
            plan.basis = Boxed(LoadBasis(prefix: prefix))
        }
        if selected.isEmpty, crowd(seenBy: request) != nil { plan.reason = VariantCrowd.word }
        return plan
    }

    /// Why the stored response cannot be served as it is; nil for a local override.
    private func validationReason(
        of stored: StoredResponse,
        for directives: RequestDirectives
    ) -> ValidationReason? {
        guard !stored.isLocal, case .validate(let reason) = serveDecision(stored, for: directives) else { return nil }
        return reason
    }

    /// The selected response, and others whose tags are offered with its own (C-21.6).
    private func offers(_ selected: StoredResponse, for request: ClientRequest) -> [StoredResponse] {
        guard selected.metadata.etag != nil else { return [selected] }
        let others = state.variants.stored.filter { other in
            other !== selected && !other.isLocal && other.metadata.etag != nil && other.isUsable(for: request)
                && (other.partition == selected.partition || other.partition == request.partitions.common)
                && request.partitions.rank(of: other.partition) != nil && other.answers(request, context)
        }
        return [selected] + others
    }

    /// How to validate `stored`, which is served, in the background; nil if that is not needed.
    ///
    /// Once at a time, and not while a failure is remembered (C-7.1).
    func refreshPlan(_ stored: StoredResponse, for request: ClientRequest) -> LoadPlan? {
        let directives = request.directives
        // A request for stored responses only causes no load.
        guard !state.loads.isRefreshing(stored, for: request, context), !directives.noStore, !directives.onlyIfCached,
            rememberedFailure(for: request) == nil
        else { return nil }
        let basis = LoadBasis(offered: stored.canBeValidated ? offers(stored, for: request) : [], selected: stored)
        return LoadPlan(forward: .stale, isHitForMiss: false, basis: Boxed(basis))
    }
}

extension StoredResponse {
    /// Whether the origin can validate it; a local override cannot be validated (S-249).
    var canBeValidated: Bool { !isLocal && metadata.hasValidator }

    /// Whether the request may use it: a redacted response only if the request's pipeline redacts the same way.
    package func isUsable(for request: ClientRequest) -> Bool {
        rendition.isEmpty || rendition == request.rendition?.mark ?? []
    }
}
