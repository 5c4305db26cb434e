public import HTTPCore
import Locking

/// Requests of clients.
extension Resource {
    /// Serves a GET or HEAD, or lets it wait (docs/specification/resources.md §1).
    ///
    /// Where a pipeline applies the result is the transformed response.
    public func serve(_ request: ClientRequest, to delegate: any WaiterDelegate) -> ServeResult {
        if request.isHead, case let head = configuration(for: .head), head.isNeverCached {
            releaseIfUnneeded()
            return .answered(Decider.uncached(request, head.values.mode), nil)
        }
        let context = context
        var request = request
        if !context.effective.acceptsRequestsUnchanged { request.prepare(context.configuration, environment) }
        guard let rendition = request.rendition else {
            let served = perform(consume context) { $0.serve(request, to: delegate) }
            if case .answered(_, let waiter?) = served { _ = waiter.takeDelegate() }
            return served
        }
        let transforming = TransformingDelegate(delegate, rendition, self, context.configuration)
        let waiter = Waiter(request: request, delegate: transforming, link: ResourceLink(self, context.hash))
        transforming.expect(waiter)
        let served = perform(context) { $0.serve(request, to: transforming, waiter) }
        guard case .answered(let result, let follower) = served else { return served }
        _ = waiter.takeDelegate()
        var isNeeded = follower != nil
        let derived = transforming.derive(result) {
            isNeeded = true
            return waiter
        }
        guard let derived else { return .waiting(waiter) }
        return .answered(derived, isNeeded ? waiter : nil)
    }

    /// It was made for a request that needs nothing of it.
    private func releaseIfUnneeded() {
        if state.withLock({ $0.isNeeded && $0.isIdle }) { core.table.update(self, hash) }
    }

    func cancel(_ waiter: Waiter) {
        perform { $0.leave(ObjectIdentifier(waiter)) }
    }

    /// A passed HEAD was answered: the stored response is freshened, or to be validated, if that answer says so (C-21.7).
    ///
    /// - Parameters:
    ///   - head: the answer.
    ///   - request: the HEAD; its arrival counts as the time it was sent.
    public func didReceiveHead(_ head: ResponseHead, for request: ClientRequest) {
        var request = request
        request.prepare(configuration.values, environment)
        perform { $0.receiveHead(head, for: request) }
    }

    // MARK: Renditions

    /// A rendition is served for the first time: hits may get it on the shortest way.
    func renditionsDidChange() { perform { $0.show() } }

    /// A transformer failed: the data stays and is loaded no less often, the resource shows the error.
    func renditionDidFail(_ error: ResourceError) {
        perform { $0.show(LatestError(error, $0.context, limitsRetries: $0.state.error?.limitsRetries ?? false)) }
    }

    /// A rendition of a response in memory takes memory of its own.
    func renditionDidEnter(_ content: DerivedContent) { core.table.didEnterMemory(content) }

    /// A rendition is not kept any more.
    func renditionDidLeave(_ content: DerivedContent) {
        environment.eviction?.didRemove(content)
        renditionsDidChange()
    }
}
