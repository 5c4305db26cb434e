package import HTTPCore
import Locking
import Outcomes

/// Requests of clients.
extension Resource {
    /// Serves a GET or HEAD, or makes it wait (docs/specification/resources.md §1).
    ///
    /// With a pipeline, the result is the transformed response.
    package func serve(_ request: ClientRequest, to delegate: any WaiterDelegate) -> ServeResult {
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
        let waiter = Waiter(request: request, delegate: transforming, owner: ResourceLink(self))
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

    /// Releases a resource that was made for a request which does not need it.
    private func releaseIfUnneeded() {
        if state.withLock({ $0.isNeeded && $0.isIdle }) { core.table.update(self) }
    }

    func cancel(_ waiter: Waiter) {
        perform { $0.leave(ObjectIdentifier(waiter)) }
    }

    /// Freshens or marks the stored response by the response to a HEAD that bypassed the cache (C-21.7).
    ///
    /// - Parameters:
    ///   - head: that of the response to HEAD.
    ///   - request: the HEAD; its arrival is the time it was sent.
    package func didReceiveHead(_ head: ResponseHead, for request: ClientRequest) {
        var request = request
        request.prepare(configuration.values, environment)
        perform { $0.receiveHead(head, for: request) }
    }
}

/// Events of renditions.
extension Resource: RenditionDelegate {
    /// A new rendition can be served: the table may show it as the shared hit.
    func renditionsDidChange() { perform { $0.show() } }

    /// A transformer failed: data and loads stay as they are, and the resource shows the error.
    func renditionDidFail(_ error: ResourceError) {
        perform { $0.show(LatestError(error, $0.context, limitsRetries: $0.state.error?.limitsRetries ?? false)) }
    }

    func renditionDidEnter(_ content: DerivedContent) { core.table.didEnterMemory(content) }

    func renditionDidLeave(_ content: DerivedContent) {
        environment.eviction?.didRemove(content)
        renditionsDidChange()
    }
}
