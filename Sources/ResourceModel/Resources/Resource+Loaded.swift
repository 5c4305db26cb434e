public import ResourceCore

/// Loads for tasks that wait, and end with them.
extension Resource {
    /// Loads, waits and returns the content; a load that nobody needs any more ends with its task (S-093).
    ///
    /// If the task is cancelled, this throws a cancellation at once. The load is cancelled, too, unless the resource is
    /// observed, or something else waits for the same request. That is another task, or a hook that a program attached.
    /// Hooks of decorators and for progress do not count. `load()` is for loads that continue in any case.
    public func loaded() async throws(RequestError) -> Entity<any Sendable> {
        try Self.checkCancellation()
        return try await content(of: load())
    }

    /// The content that is known if it is up to date, else that of a load; see `loaded()`.
    ///
    /// Tasks that wait at the same time share a load (S-087). Throws the latest error while that is remembered (S-084).
    public func loadedIfNeeded() async throws(RequestError) -> Entity<any Sendable> {
        try Self.checkCancellation()
        if let request = loadIfNeeded() { return try await content(of: request) }
        let known = snapshot
        if let error = known.latestError { throw error }
        guard let data = known.latestData else { throw RequestError(userMessage: "Nothing to load") }
        return data
    }

    private static func checkCancellation() throws(RequestError) {
        if Task.isCancelled { throw RequestError(cause: RequestError.Cause.RequestCancelled(nil)) }
    }

    private func content(of request: Request) async throws(RequestError) -> Entity<any Sendable> {
        let waiter = RequestWaiter()
        request.onCompletion { waiter.end($0) }
        let info = await withTaskCancellationHandler {
            await waiter.info
        } onCancel: {
            if waiter.end(.cancellation()) { self.abandon(request) }
        }
        switch info.response {
        case .success(let entity): return entity
        case .failure(let error): throw error
        }
    }

    /// A task waits no longer for `request`.
    private func abandon(_ request: Request) {
        request.abandonHook()
        let isNeeded = perform { transition in
            transition.releaseDefunctObservers()
            return transition.state.model.isObserved || transition.state.model.isAwaited(beside: request)
        }
        if !isNeeded { request.cancelUnlessAwaited() }
    }
}
