import Configurations
import Exchanges
import HTTPCaching
import HTTPCore
import Outcomes
import Transforms

/// Requests of clients: served at once, or made to wait (docs/specification/resources.md §1).
extension Transition {
    /// A request has come.
    ///
    /// - Parameter waiter: that of the request, if there is one; else one is made if the request has to wait.
    /// - Returns: the result, with the waiter if it follows a load.
    mutating func serve(
        _ request: ClientRequest,
        to delegate: any WaiterDelegate,
        _ waiter: Waiter? = nil
    ) -> ServeResult {
        let decision = decider.decision(for: request)
        if let result = serve(request, decision) { return .answered(result, nil) }
        let waiter = waiter ?? Waiter(request: request, delegate: delegate, owner: link)
        guard let result = wait(WaitingRequest(waiter: waiter), decision) else { return .waiting(waiter) }
        return .answered(result, waiter)
    }

    /// Decides anew about a request that has waited.
    mutating func resume(_ request: WaitingRequest) {
        let decision = decider.decision(for: request.request)
        guard let result = serve(request.request, decision) ?? wait(request, decision) else { return }
        effects.results.append(WaiterResult(request.waiter, result))
    }

    /// The result of a request that need not wait.
    private mutating func serve(_ request: ClientRequest, _ decision: Decision) -> CacheResult? {
        switch decision {
        case .answer(let result):
            return result
        case .serve(let stored, let outcome, let refreshes):
            variants.touch(stored)
            effects.used.append(stored)
            if refreshes, let plan = decider.refreshPlan(stored, for: request) {
                stored.noteRefresh()
                startLoad(plan, for: request, isBackground: true)
            }
            return .stored(stored, outcome)
        case .lookUp, .join, .load:
            return nil
        }
    }

    /// Makes a request wait; returns its result if it can follow a response at once.
    private mutating func wait(_ request: WaitingRequest, _ decision: Decision) -> CacheResult? {
        switch decision {
        case .answer, .serve:
            return nil
        case .lookUp:
            state.ongoing.waitingForLookUp.append(request)
            beginLookUp()
            return nil
        case .join(let number, let selection):
            let joined = state.activity?.loads.join(number, request, selection: selection)
            guard case .follows(let response, let outcome)? = joined else { return nil }
            return PartLoads.follow(request.request, response, number, outcome, in: self)
        case .load(let plan):
            let number = startLoad(plan, for: request.request, isBackground: false, leader: request)
            if let hole = plan.hole, let part = plan.part {
                PartLoads.shorten(others: number, of: part, request.request, at: hole.lowerBound, in: &self)
            }
            return nil
        }
    }

    /// Moves requests to other loads, or to loads of their own; serves each that a stored response answers by now.
    mutating func move(_ requests: TinyArray<WaitingRequest>) {
        for request in requests {
            var request = request
            request.moves += 1
            if request.moves > WaitingRequest.moveLimit, configuration.mode.mayLoad {
                let decision = decider.decision(for: request.request)
                if case .serve = decision, let result = serve(request.request, decision) {
                    effects.results.append(WaiterResult(request.waiter, result))
                    continue
                }
                let plan = LoadPlan(alone: request.request)
                startLoad(plan, for: request.request, isBackground: false, leader: request)
            } else {
                resume(request)
            }
        }
    }

    // MARK: Loads

    /// Begins a load over an exchange; returns its number.
    @discardableResult
    mutating func startLoad(
        _ plan: LoadPlan,
        for request: ClientRequest,
        isBackground: Bool,
        keepsUncacheable: Bool = false,
        leader: WaitingRequest? = nil
    ) -> UInt64 {
        var originRequest = plan.originRequest(for: request, decider.context)
        if request.provider.wantsTickets, !plan.isHitForMiss, !plan.isRanged, plan.prefix == nil, plan.hole == nil {
            let facts = LoadFacts(request: request, effective: context.effective, environment: context.environment)
            originRequest.ticket = RequestTicket(facts)
        }
        let load = Load(
            number: decider.state.nextLoad(),
            sentAt: decider.context.now,
            request: isBackground ? originRequest.untimed : originRequest,
            owner: link,
            provider: request.provider
        )
        let cause = LoadCause(
            plan,
            request: request.loading(plan),
            sentAt: decider.context.now,
            isBackground: isBackground,
            keepsUncacheable: keepsUncacheable,
            vary: variants.vary ?? decider.context.effective.namesBeforeVary
        )
        state.ongoing.loads.begin(LoadRecord(load, cause, leader: leader, purgeCount: resource.tags.purgeCount))
        effects.starts.append(load)
        context.notes?.add(.stateChanges, "\(context.uri.text) load \(load.number) began")
        if cause.reportsToObservers {
            emitActivity(.requested)
            add(state.activity?.value.program?.value.loadDidBegin(load))
        }
        return load.number
    }

    /// Starts a load over an exchange that no client asks for; `caller` learns how it ends.
    ///
    /// - Parameter given: a request whose provider asks no origin; nil: the origin is asked.
    /// - Returns: false if no load is possible; the caller learns why.
    @discardableResult
    package mutating func load(for caller: any LoadCaller, as given: ClientRequest? = nil) -> Bool {
        do throws(ResourceError) {
            var request = if let given { given } else { try context.ownRequest(by: resource.core.defaultProvider) }
            request.prepare(configuration, context.environment)
            let known = given == nil ? state.latestResponse : nil
            let selected = known.flatMap { $0.canBeValidated && $0.isUsable(for: request) ? $0 : nil }
            let plan = LoadPlan(
                forward: selected == nil ? .uriMiss : .request,
                isHitForMiss: false,
                basis: selected.map { Boxed(LoadBasis(offered: [$0], selected: $0)) }
            )
            attach(caller, to: startLoad(plan, for: request, isBackground: false, keepsUncacheable: given == nil))
            return true
        } catch {
            effects.extra.completions.append((caller, .failure(error)))
            return false
        }
    }

    /// `caller` learns how the load with this number ends.
    package mutating func attach(_ caller: any LoadCaller, to number: UInt64) {
        let load = state.activity?.loads.change(number) { record in
            record.callers.append(caller)
            return record.load
        }
        if let load { effects.extra.followed.append((caller, load)) }
    }

    // MARK: Leaving

    /// A request has left.
    mutating func leave(_ waiter: WaiterID) {
        if let index = state.waitingForLookUp.firstIndex(where: { $0.id == waiter }) {
            let left = state.ongoing.waitingForLookUp.remove(at: index)
            return effects.extra.released.append(left)
        }
        guard let left = state.activity?.loads.leave(waiter) else { return }
        if let released = left.released { effects.extra.released.append(released) }
        reconsider(left.number)
    }

    /// A request of a program or an administrator has left.
    package mutating func leave(_ caller: any LoadCaller) {
        if let number = state.activity?.loads.leave(caller) { reconsider(number) }
    }

    /// Ends a load without interest, unless finishing it fills the store at little cost (H-150).
    package mutating func reconsider(_ number: UInt64) {
        let isObserved = state.isObserved
        handle(decider.state.activity?.loads.reconsider(number, isObserved: isObserved, decider.context))
    }

    /// Does what follows from the interest in a load.
    mutating func handle(_ result: Loads.InterestResult?) {
        switch result {
        case .wanted, .spared, nil: break
        case .unread(let body): effects.extra.unread.append(body)
        case .onTrial(let load): effects.extra.loadsOnTrial.append(load)
        case .abandoned(let record):
            effects.extra.cancelledLoads.append(record.load)
            if !record.isDetached { PartLoads.keepPart(of: record, in: &self) }
            effects.end(record)
            reportEnd(of: record)
            if !record.isDetached { emitEnd(.requestCancelled, of: record.cause) }
        }
    }
}

extension LoadPlan {
    /// For a request that no other load could serve.
    fileprivate init(alone request: ClientRequest) {
        self.init(forward: .miss, isHitForMiss: true, isRanged: request.directives.hasRange)
        guard let wanted = request.wanted else { return }
        let range = wanted.range
        basis = Boxed(LoadBasis(part: wanted.response, hole: range.prefix(wanted.step)))
    }

    /// The request to the origin for `request`.
    fileprivate func originRequest(for request: ClientRequest, _ context: ResourceContext) -> OriginRequest {
        var fields = fields(for: request)
        let injected = request.injected
        for line in injected.lines { fields.append(name: injected.name(of: line), value: injected.value(of: line)) }
        let question = request.question
        return OriginRequest(
            method: question?.method ?? .get,
            uri: context.uri.withoutQuestion,
            fields: fields,
            initialCredit: context.configuration.initialCredit,
            client: request.client,
            policies: context.configuration.policies,
            credential: request.credential,
            identity: request.identity,
            host: request.host,
            repeatableContent: question?.content
        )
    }

    /// The fields to send: for the request's own range, the whole, its rest, or a validation.
    private func fields(for request: ClientRequest) -> Fields {
        if hole != nil { return request.loading(self).fields }
        if isRanged { return request.fields }
        if let prefix, let extent = prefix.extent {
            return Completion.asking(request.fields, behind: extent, of: prefix.metadata)
        }
        guard let selected = offered.first else { return SentConditions.unconditional(request.fields) }
        return SentConditions.validating(
            request.fields,
            selected: selected.metadata,
            others: offered.dropFirst().map(\.metadata)
        )
    }
}

extension EffectiveConfiguration {
    /// The names that must be equal for requests to join while the resource's Vary is unknown (C-23.1).
    fileprivate var namesBeforeVary: VaryNames {
        if values.caching.rules.isEmpty { return Self.usualNames }
        let ignored = values.caching.ignoredVaryNames
        let usual = Self.usualNames.names.filter { !ignored.contains($0) }
        return VaryNames(Fields(), adding: usual + values.caching.addedVaryNames)
    }

    private static let usualNames: VaryNames = {
        var fields = Fields()
        fields.append(.vary, "Accept, Accept-Encoding, Accept-Language")
        return VaryNames(fields)
    }()
}

extension ResourceContext {
    /// The request of a load that no client asks for.
    fileprivate func ownRequest(by provider: (any ExchangeProvider)?) throws(ResourceError) -> ClientRequest {
        func failure(_ kind: ExchangeFailure.Kind, _ sentence: String) -> ResourceError {
            ResourceError(ExchangeFailure(kind, sentence), time: now)
        }
        guard let provider else { throw failure(.internalError, "the service has no provider to load with") }
        guard !uri.isQuestion else {
            throw failure(.notSupported, "only a client can ask it again: its content is not stored")
        }
        guard configuration.mode.mayLoad else { throw ResourceError(notAskedIn: configuration.mode, time: now) }
        var fields = Fields()
        for edits in configuration.requestEdits { edits.apply(to: &fields) }
        let get = RequestProfile(method: .get)
        return ClientRequest(uri: uri, fields: fields, profile: get, arrival: now, provider: provider)
    }
}
