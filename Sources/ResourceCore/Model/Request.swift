import Locking

/// How a load asked for by `Resource.load` or `loadIfNeeded` ended.
public enum RequestOutcome: Sendable {
    /// The response; nil if it was too large to be kept.
    case newData(StoredResponse?)
    case notModified(StoredResponse)
    case failure(ResourceError)
    case cancelled
}

/// One load of a resource, as its callers see it.
///
/// Does not keep the resource: when the program holds neither that nor its service, the outcome is `cancelled`.
public final class Request: Sendable {
    private struct State {
        var outcome: RequestOutcome?
        var hooks: [@Sendable (RequestOutcome) -> Void] = []
    }

    private weak let resource: Resource?
    private let state = Lock(State())

    init(_ resource: Resource) { self.resource = resource }

    public var outcome: RequestOutcome? { state.withLock { $0.outcome } }
    public var isCompleted: Bool { outcome != nil }

    /// Calls `hook` once when the load has ended, never inside this call unless it has ended already; on the thread that
    /// ends it.
    @discardableResult
    public func onCompletion(_ hook: @escaping @Sendable (RequestOutcome) -> Void) -> Request {
        let outcome = state.withLock { state -> RequestOutcome? in
            if state.outcome == nil { state.hooks.append(hook) }
            return state.outcome
        }
        if let outcome { hook(outcome) }
        return self
    }

    /// Gives the load up unless clients follow it; the outcome is `cancelled` at once.
    public func cancel() { resource?.cancel(self) }

    func complete(_ outcome: RequestOutcome) {
        let hooks = state.withLock { state -> [@Sendable (RequestOutcome) -> Void] in
            guard state.outcome == nil else { return [] }
            state.outcome = outcome
            defer { state.hooks = [] }
            return state.hooks
        }
        for hook in hooks { hook(outcome) }
    }
}
