public import HTTPCore

/// Requests of clients.
extension Resource {
    /// Answers a GET or HEAD, or lets it wait (docs/specification/resources.md §1).
    ///
    /// Where a pipeline applies the answer is the derived response.
    public func serve(_ request: ClientRequest, to delegate: any WaiterDelegate) -> ServeResult {
        if request.isHead, case let head = configuration(for: .head), head.isNeverCached {
            settleHolding()
            return .answered(ResourceState.uncached(request, head.values.mode), nil)
        }
        let context = context
        var request = request
        if !context.effective.acceptsRequestsUnchanged {
            request.prepare(context.configuration, environment)
        }
        guard let rendition = request.rendition else { return place(request, by: delegate, context) { _ in } }
        let deriving = TransformingDelegate(delegate, rendition, self, context.configuration)
        let served = place(request, by: deriving, context, deriving.expect)
        guard case .answered(let answer, let made) = served else { return served }
        var waiter = made
        let derived = deriving.derive(answer) {
            let waiting = made ?? Waiter(request: request, delegate: delegate, link: context.link)
            waiter = waiting
            return waiting
        }
        if let derived { return .answered(derived, waiter) }
        guard let waiter else { return .answered(.refused(.tooManyWaiters), nil) }
        return .waiting(waiter)
    }

    /// Asks for the original; `expect` is told what waits for it, before that is answered.
    private func place(
        _ request: ClientRequest,
        by delegate: any WaiterDelegate,
        _ context: ResourceContext,
        _ expect: (Waiter) -> Void
    ) -> ServeResult {
        perform(context) { state, context, effects in
            var made: Waiter?
            let answer = state.place(
                request,
                {
                    let waiter = Waiter(request: request, delegate: delegate, link: context.link)
                    made = waiter
                    expect(waiter)
                    return waiter
                },
                context,
                &effects
            )
            if let answer {
                _ = made?.takeDelegate()
                return .answered(answer, made)
            }
            guard let made else { return .answered(.refused(.tooManyWaiters), nil) }
            return .waiting(made)
        }
    }

    // MARK: Forms

    /// A form is served for the first time: hits may get it on the shortest way.
    func renditionsDidChange() { perform { state, _, effects in state.show(&effects) } }

    /// A transformer failed: the data stays, the resource shows the error.
    func renditionDidFail(_ error: ResourceError) { perform { $0.failRendition(error, $1, &$2) } }

    /// A form of a response in memory takes memory of its own.
    func renditionDidEnter(_ content: DerivedContent) { core.table.settle(entered: content) }

    /// A form is not kept any more.
    func renditionDidLeave(_ content: DerivedContent) {
        environment.eviction?.didRemove(content)
        renditionsDidChange()
    }

    func cancel(_ waiter: Waiter) {
        perform { $0.leave(waiter, $1, &$2) }
    }

    /// A passed HEAD was answered: the stored response is freshened, or to be validated, if that answer says so (C-21.7).
    ///
    /// - Parameters:
    ///   - head: the answer.
    ///   - request: the HEAD; its arrival counts as the time it was sent.
    public func didReceiveHead(_ head: ResponseHead, for request: ClientRequest) {
        var request = request
        request.prepare(configuration.values, environment)
        perform { $0.receiveHead(head, for: request, $1, &$2) }
    }
}
