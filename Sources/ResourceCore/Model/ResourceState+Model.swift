import Exchanges
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
        _ context: ResourceContext,
        _ effects: inout Effects
    ) -> Need {
        // The oldest (S-088).
        if let record = loads.first(where: { $0.isJoinable(by: plainPartitions) }) {
            if let running = record.faces.first { return .request(running) }
            let request = make()
            attach(request, to: record)
            return .request(request)
        }
        if let lookUpRequest { return .request(lookUpRequest) }
        if isUpToDate(context) { return .nothing }
        if lookUp == .known, loadsByRequests(context) { return .load }
        let request = make()
        if lookUp == .known {
            load(request, context, &effects)
        } else {
            lookUpRequest = request
            track(request)
            beginLookUp(&effects)
            show(&effects)
        }
        return .request(request)
    }

    /// Whether `Resource.load` makes requests, instead of exchanges.
    func loadsByRequests(_ context: ResourceContext) -> Bool { context.resource.loadsByRequests }

    /// Starts a load over an exchange for nobody in particular and attaches `request` to it.
    mutating func load(_ request: Request, _ context: ResourceContext, _ effects: inout Effects) {
        guard let provider = context.resource.core.defaultProvider else {
            let failure = ExchangeFailure(.internalError, "the service has no provider to load with")
            effects.completions.append((request, .failure(ResourceError(failure, time: context.now))))
            return
        }
        let mode = context.configuration.mode
        guard mode.mayLoad else {
            let error = ResourceError(notAskedIn: mode, time: context.now)
            effects.completions.append((request, .failure(error)))
            return
        }
        var client = ClientRequest(
            uri: context.uri,
            fields: Fields(),
            profile: RequestProfile(method: .get),
            arrival: context.now,
            provider: provider
        )
        client.prepare(context.configuration, context.environment)
        let selected = latestResponse.flatMap { $0.canBeValidated && $0.isUsable(for: client) ? $0 : nil }
        let plan = LoadPlan(
            forward: selected == nil ? .uriMiss : .request,
            isSolo: false,
            basis: selected.map { LoadBasis(offered: [$0], selected: $0) }
        )
        let number = startLoad(plan, for: client, isBackground: false, isModel: true, context, &effects)
        guard let record = load(number) else { return }
        attach(request, to: record)
    }

    /// `request` stands for the load.
    private mutating func attach(_ request: Request, to record: LoadRecord) {
        record.stand(request)
        record.lendProgress()
        track(request)
    }

    /// `request`, which this resource completes, was cancelled.
    mutating func leave(_ request: Request, _ context: ResourceContext, _ effects: inout Effects) {
        prune(&effects)
        if lookUpRequest === request {
            // Observers saw that it was loading (S-257).
            lookUpRequest = nil
            return emit(.requestCancelled, context, &effects)
        }
        guard let record = loads.first(where: { $0.completed.contains { $0 === request } }), !record.leave(request)
        else { return show(&effects) }
        record.requests = record.requests.filter { $0 !== request }
        if let source = record.sourceRequest {
            // It was this load for everybody.
            effects.cancelledRequests.append(source)
        } else {
            reconsider(record.number, context, &effects)
        }
    }

    /// Gives up all loads the program asked for, if nobody observes (S-105).
    mutating func cancelLoadsIfUnobserved(_ effects: inout Effects) {
        releaseDefunctObservers(&effects)
        guard observers.isEmpty else { return }
        effects.cancelledRequests += loadRequests
    }
}
