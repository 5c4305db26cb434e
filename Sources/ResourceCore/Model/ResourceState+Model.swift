import HTTPCaching
import HTTPCore

/// What `Resource.load` and `loadIfNeeded` do.
extension ResourceState {
    /// What `loadIfNeeded` has to do (S-087).
    enum Need {
        /// This request is the load.
        case request(Request)
        /// The data is up to date.
        case nothing
        /// The program has to make a request and begin it.
        case load
    }

    /// The running load, a new one, or nothing.
    ///
    /// - Parameter make: makes a request that this resource completes.
    mutating func loadIfNeeded(
        _ make: () -> Request,
        _ circumstances: Circumstances,
        _ effects: inout Effects
    ) -> Need {
        // The oldest (S-088).
        if let index = loads.firstIndex(where: { $0.isJoinable(by: plainPartitions) }) {
            if let running = loads[index].faces.first { return .request(running) }
            let request = make()
            attach(request, to: index)
            return .request(request)
        }
        if let lookUpRequest { return .request(lookUpRequest) }
        if isUpToDate(circumstances) { return .nothing }
        if lookUp == .known, loadsByRequests(circumstances) { return .load }
        let request = make()
        if lookUp == .known {
            load(request, circumstances, &effects)
        } else {
            lookUpRequest = request
            track(request)
            beginLookUp(&effects)
            refreshSnapshot(&effects)
        }
        return .request(request)
    }

    /// Whether `Resource.load` makes requests, instead of exchanges.
    func loadsByRequests(_ circumstances: Circumstances) -> Bool { circumstances.resource.loadsByRequests }

    /// Starts a load over an exchange for nobody in particular and attaches `request` to it.
    mutating func load(_ request: Request, _ circumstances: Circumstances, _ effects: inout Effects) {
        guard let provider = circumstances.resource.core.defaultProvider else {
            let failure = ExchangeFailure(.internalError, "the service has no provider to load with")
            effects.completions.append((request, .failure(ResourceError(failure, time: circumstances.now))))
            return
        }
        let mode = circumstances.configuration.mode
        guard mode.mayLoad else {
            let error = ResourceError(notAskedIn: mode, time: circumstances.now)
            effects.completions.append((request, .failure(error)))
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
        guard let index = index(of: number) else { return }
        attach(request, to: index)
    }

    /// `request` stands for the load at `index`.
    private mutating func attach(_ request: Request, to index: Int) {
        loads[index].requests.append(request)
        loads[index].lendProgress()
        track(request)
    }

    /// `request`, which this resource completes, was cancelled.
    mutating func leave(_ request: Request, _ circumstances: Circumstances, _ effects: inout Effects) {
        prune(&effects)
        if lookUpRequest === request {
            // Observers saw that it was loading (S-257).
            lookUpRequest = nil
            return emit(.requestCancelled, circumstances, &effects)
        }
        guard let index = loads.firstIndex(where: { $0.completed.contains { $0 === request } }),
            !loads[index].leave(request)
        else { return refreshSnapshot(&effects) }
        loads[index].requests.removeAll { $0 === request }
        if let source = loads[index].sourceRequest {
            // It was this load for everybody.
            effects.cancelledRequests.append(source)
        } else {
            reconsider(loads[index].number, circumstances, &effects)
        }
    }

    /// Gives up all loads the program asked for, if nobody observes (S-105).
    mutating func cancelLoadsIfUnobserved(_ effects: inout Effects) {
        releaseDefunctObservers(&effects)
        guard observers.isEmpty else { return }
        effects.cancelledRequests += loadRequests
    }
}
