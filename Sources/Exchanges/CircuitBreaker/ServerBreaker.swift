public import HTTPCore
import Locking
import Synchronization

/// The circuit breaker of one server that is no origin: after some failures in a row it is left out for a while.
///
/// Safe from any thread. While nothing fails, it costs one relaxed load for each request.
public final class ServerBreaker: Sendable {
    private struct State {
        var breaker: CircuitBreaker
        var lastProbe: UInt64 = 0
    }

    private let options: CircuitBreakers.Options
    private let chance: @Sendable () -> Double
    private let state = Lock(State(breaker: CircuitBreaker(now: MonotonicTime(nanoseconds: 0))))
    private let hasFailed = Atomic<Bool>(false)

    /// - Parameters:
    ///   - options: after how many failures it opens, and for how long.
    ///   - chance: returns a new number from 0 to 1 with each call, for jitter.
    public init(
        _ options: CircuitBreakers.Options = CircuitBreakers.Options(),
        chance: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        (self.options, self.chance) = (options, chance)
    }

    /// The permission to ask the server; nil if it is left out.
    ///
    /// The caller reports how that ends.
    public func admit(at now: MonotonicTime) -> ServerAdmission? {
        guard hasFailed.load(ordering: .relaxed) else { return ServerAdmission(probe: nil) }
        let chance = chance()
        return state.withLock { state in
            state.lastProbe += 1
            switch state.breaker.admit(state.lastProbe, at: now, options, chance) {
            case .free: return ServerAdmission(probe: nil)
            case .probe: return ServerAdmission(probe: state.lastProbe)
            case .refused: return nil
            }
        }
    }

    /// The server has answered in time.
    public func didRespond(at now: MonotonicTime) {
        guard hasFailed.load(ordering: .relaxed) else { return }
        state.withLock { state in
            _ = state.breaker.succeed(at: now)
            hasFailed.store(false, ordering: .relaxed)
        }
    }

    /// The server has not answered in time, or refused.
    public func didFail(_ reason: String, _ admission: ServerAdmission, at now: MonotonicTime, wall: HTTPDate) {
        let failure = ExchangeFailure(.destinationUnavailable, reason)
        let chance = chance()
        state.withLock { state in
            hasFailed.store(true, ordering: .relaxed)
            _ = state.breaker.fail(failure, probe: admission.probe, at: now, wall: wall, options, chance)
        }
    }

    /// Whether the server is left out.
    public var isDown: Bool { state.withLock { $0.breaker.isDown } }
}

/// The permission to ask a server.
public struct ServerAdmission: Sendable {
    /// The number of the attempt to find out whether the server is up again.
    let probe: UInt64?
}
