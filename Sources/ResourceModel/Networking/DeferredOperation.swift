import Exchanges
import Locking

/// A request that begins once its files are open; perhaps several requests, one after the other.
package final class DeferredOperation: RequestNetworking {
    private struct State {
        var operation: (any RequestNetworking)?
        var isCancelled = false
    }

    /// Where files are opened, read and written.
    private let files = FileQueue()
    private let state = Lock(State())

    package init() {}

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Runs `work` where it may block, after what was submitted before.
    package func submit(_ work: @escaping @Sendable () -> Void) { files.submit(work) }

    /// From now on this is the operation of `operation`; cancels it if this was cancelled meanwhile.
    package func follow(_ operation: any RequestNetworking) {
        let isCancelled = state.withLock { state in
            state.operation = operation
            return state.isCancelled
        }
        if isCancelled { operation.cancel() }
    }

    package func cancel() {
        let operation = state.withLock { state in
            state.isCancelled = true
            return state.operation
        }
        operation?.cancel()
    }

    package var transferMetrics: RequestTransferMetrics {
        state.withLock { $0.operation }?.transferMetrics ?? RequestTransferMetrics()
    }

    /// What a request that was cancelled before its beginning brings.
    package static var cancellation: NetworkingResult {
        NetworkingResult(error: ExchangeFailure(.cancelled, "the request was cancelled"))
    }
}
