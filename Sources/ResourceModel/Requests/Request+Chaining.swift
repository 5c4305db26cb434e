import Locking
import ResourceCore

extension Request {
    /// A request that ends as `closure` says once this one has ended in whatever way (S-137 to S-143).
    ///
    /// Started if this one is; else starting it starts this one. Cancelling it cancels what it waits for, and `closure` does
    /// not run any more; cancelling this one alone is a result like another. Repeating it repeats this one and runs
    /// `closure` afresh. Hooks of this one see nothing of the chain. `closure` is called where hooks are.
    public func chained(_ closure: @escaping @Sendable (ResponseInfo) -> RequestChainAction) -> Request {
        let chain = Request(
            delegate: RequestChain(wrapping: self, closure),
            delivery: delivery,
            timekeeper: timekeeper
        )
        return state == .notStarted ? chain : chain.start()
    }
}

/// Waits for one request after another.
final class RequestChain: RequestDelegate {
    private let wrapped: Request
    private let closure: @Sendable (ResponseInfo) -> RequestChainAction
    private struct State {
        /// What it waits for.
        var current: Request
        var isCancelled = false
    }
    private let state: Lock<State>

    init(wrapping request: Request, _ closure: @escaping @Sendable (ResponseInfo) -> RequestChainAction) {
        wrapped = request
        self.closure = closure
        state = Lock(State(current: request))
    }

    func startUnderlyingOperation(passingResponseTo completionHandler: any RequestCompletionHandler) {
        wrapped.onCompletion { self.wrappedDidEnd($0, completionHandler) }
        wrapped.start()
    }

    private func wrappedDidEnd(_ info: ResponseInfo, _ handler: any RequestCompletionHandler) {
        if state.withLock({ $0.isCancelled }) { return }
        switch closure(info) {
        case .useThisResponse:
            handler.broadcastResponse(info)
        case .useResponse(let other):
            handler.broadcastResponse(other)
        case .passTo(let next):
            pass(to: next, handler)
        }
    }

    private func pass(to next: Request, _ handler: any RequestCompletionHandler) {
        let isCancelled = state.withLock { state in
            state.current = next
            return state.isCancelled
        }
        if isCancelled { return next.cancel() }
        next.onCompletion { handler.broadcastResponse($0) }
        next.start()
    }

    /// Gives up the attempt that is under way, whichever it is (S-140, S-255).
    func cancelUnderlyingOperation() {
        let current = state.withLock { state in
            state.isCancelled = true
            return state.current
        }
        current.cancel()
    }

    func repeated() -> any RequestDelegate { RequestChain(wrapping: wrapped.repeated(), closure) }

    var requestDescription: String { "chain on \(wrapped.delegate.requestDescription)" }
}
