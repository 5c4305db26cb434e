import Exchanges
import Locking
import ResourceCore
import ResourceModel
import UpstreamClient

/// An event loop with a client, on a thread that starts when it is first needed.
final class LazyLoop: DeliveryContext {
    private enum Phase { case idle, starting, ready, ended }

    private struct State {
        var phase = Phase.idle
        /// Work that was submitted while the thread was being started.
        var waiting: [@Sendable () -> Void] = []
        var running: RunningLoop?
        /// Why there is no client.
        var failure = ExchangeFailure(.internalError, "the client has ended")
        /// Runs the work if the client could not be made; that work finds no client.
        var substitute: SerialDelivery?

        var context: (any DeliveryContext)? { running?.client.context ?? substitute }
    }

    private enum Step {
        case start
        case run(any DeliveryContext)
        case nothing
    }

    private let options: HTTPClient.Options
    private let state = Lock(State())

    init(_ options: HTTPClient.Options) { self.options = options }

    /// Fails if the client could not be made, or the loop has ended.
    var client: Result<UpstreamClient, ExchangeFailure> {
        state.withLock { state in state.running.map { .success($0.client) } ?? .failure(state.failure) }
    }

    var isCurrent: Bool { state.withLock { $0.context }?.isCurrent ?? false }

    func submit(_ work: @escaping @Sendable () -> Void) {
        let step: Step = state.withLock { state in
            switch state.phase {
            case .idle:
                state.phase = .starting
                state.waiting = [work]
                return .start
            case .starting:
                state.waiting.append(work)
                return .nothing
            case .ready:
                return state.context.map { .run($0) } ?? .nothing
            case .ended:
                return .nothing
            }
        }
        switch step {
        case .start: start()
        case .run(let context): context.submit(work)
        case .nothing: break
        }
    }

    private func start() {
        let started = RunningLoop.start(options)
        let isEnded = state.withLock { state in
            guard state.phase != .ended else { return true }
            switch started {
            case .success(let running): state.running = running
            case .failure(let failure):
                state.failure = failure
                state.substitute = SerialDelivery()
            }
            return false
        }
        if isEnded { return (try? started.get())?.end() ?? () }
        while let (works, context) = takeWaiting() { for work in works { context.submit(work) } }
    }

    /// The work that waits, in order; nil once there is none, and later work goes straight to the context.
    private func takeWaiting() -> ([@Sendable () -> Void], any DeliveryContext)? {
        state.withLock { state in
            guard state.phase == .starting, let context = state.context, !state.waiting.isEmpty else {
                if state.phase == .starting { state.phase = .ready }
                return nil
            }
            defer { state.waiting = [] }
            return (state.waiting, context)
        }
    }

    /// Makes the threads end, without waiting for them; connections are closed.
    func end() {
        let last = state.withLock { state -> State in
            defer { state = State(phase: .ended) }
            return state
        }
        last.running?.end()
    }
}
