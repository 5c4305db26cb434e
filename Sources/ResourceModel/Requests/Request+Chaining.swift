import Locking
import ResourceCore

extension Request {
    /// A request that ends as `closure` decides, once this request has ended in any way (S-137 to S-143).
    ///
    /// The chain is started if this request is; else starting it starts this request. Cancelling the chain cancels what
    /// it waits for, and `closure` no longer runs. If only this request is cancelled, `closure` gets that as a result.
    /// Repeating the chain repeats this request and runs `closure` again. Hooks of this request do not see the chain.
    /// `closure` is called where hooks are.
    public func chained(_ closure: @escaping @Sendable (ResponseInfo) -> RequestChainAction) -> Request {
        let chain = Request(
            delegate: RequestChain(wrapping: self, closure),
            delivery: delivery,
            timekeeper: timekeeper
        )
        return state == .notStarted ? chain : chain.start()
    }
}

/// The delegate of a chain: it waits for one request after another.
final class RequestChain: RequestDelegate {
    private let wrapped: Request
    private let closure: @Sendable (ResponseInfo) -> RequestChainAction
    private struct State {
        /// The request that it waits for.
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

    /// Cancels the request that it waits for (S-140, S-255).
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
