public import HTTPCore
import Locking
import Synchronization

/// The circuit breakers of all origins, shared by all loops (C-25.3).
///
/// After some failures in a row an origin is down: attempts are made one at a time, with pauses, until it responds.
/// Failures of names, connections and TLS count, and time-outs, but never a status. A failure of TLS counts only for
/// requests with the same TLS settings. Safe from any thread. While no origin fails, it costs two relaxed loads for
/// each exchange.
public final class CircuitBreakers: Sendable {
    public struct Options: Sendable, Equatable {
        /// Whether origins count as down at all.
        public var isEnabled = true
        /// An origin is down after this many failures in a row; at least 1.
        public var failures = 5
        /// The first pause between attempts; each further one is twice as long.
        public var spacing = Duration.seconds(1)
        public var maximumSpacing = Duration.seconds(30)
        /// How long one attempt may prevent others.
        public var probeTime = Duration.seconds(60)
        /// The most origins that are remembered.
        ///
        /// Beyond that, the one whose state changed longest ago is forgotten.
        public var originLimit = 1024

        public init() {}
    }

    /// What happened to an origin, for the log.
    public enum Change: Sendable {
        case down(OriginOutage)
        /// The origin with this name responded again.
        case up(String)
    }

    /// Whether a request may be sent.
    enum Admission {
        case free
        /// As an attempt, for those of its circuit breakers that were down.
        case probe([Probe])
        case refused(OriginOutage)
    }

    /// An attempt to find out whether an origin is up again.
    struct Probe: Sendable {
        let key: CircuitBreakerKey
        let number: UInt64
    }

    fileprivate struct State {
        var options: Options
        var breakers: [CircuitBreakerKey: CircuitBreaker] = [:]
        /// Origins that asked for a pause by Retry-After.
        var pauses: [Origin: (until: MonotonicTime, status: UInt16)] = [:]
        /// Origins whose quota is nearly used up, and when it is whole again.
        var scarceQuotas: [Origin: MonotonicTime] = [:]
        var lastProbe: UInt64 = 0
    }

    private let state: Lock<State>
    /// The number of circuit breakers, for a look without the lock.
    private let count = Atomic<Int>(0)
    private let pauseCount = Atomic<Int>(0)
    private let scarceCount = Atomic<Int>(0)
    private let refusalCount = Atomic<Int>(0)
    private let chance: @Sendable () -> Double
    private let report: @Sendable (Change) -> Void

    /// - Parameters:
    ///   - options: when an origin counts as down, and how long the pauses between attempts are.
    ///   - chance: returns a new number from 0 to 1 with each call, for jitter.
    ///   - report: receives changes, outside the lock, on any thread.
    public init(
        _ options: Options = Options(),
        chance: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
        report: @escaping @Sendable (Change) -> Void = { _ in }
    ) {
        state = Lock(State(options: options))
        self.chance = chance
        self.report = report
    }

    public var options: Options {
        get { state.withLock { $0.options } }
        set {
            state.withLock { state in
                state.options = newValue
                if !newValue.isEnabled { state.breakers = [:] }
                count.store(state.breakers.count, ordering: .relaxed)
            }
        }
    }

    /// The number of requests that were not sent because their origin was down.
    public var refusals: Int { refusalCount.load(ordering: .relaxed) }

    /// The origins that are down now, sorted by name.
    ///
    /// One may occur several times, for different TLS settings.
    public func outages(at now: MonotonicTime) -> [OriginOutage] {
        if isEmpty { return [] }
        return state.withLock { state in
            state.breakers.compactMap { key, breaker in
                // An origin that cannot be reached at all occurs only once.
                guard key.security == nil || state.breakers[CircuitBreakerKey(key.origin)]?.isDown != true else {
                    return nil
                }
                return breaker.outage(of: key.origin, at: now, state.options)
            }
        }
        .sorted { $0.origin < $1.origin }
    }

    /// The outage of the origin of `uri`, for requests with standard TLS; nil if it is up.
    public func outage(of uri: TargetURI, at now: MonotonicTime) -> OriginOutage? {
        outage(on: OriginRoute(Origin(uri), .standard), at: now)
    }

    /// The outage that affects requests on this route; nil if there is none.
    public func outage(on route: OriginRoute, at now: MonotonicTime) -> OriginOutage? {
        if isEmpty { return nil }
        let outages = state.withLock { state in
            route.keys.compactMap { state.breakers[$0]?.outage(of: route.origin, at: now, state.options) }
        }
        return outages.first { !$0.mayAttempt } ?? outages.first
    }

    /// Whether the origin has recovered from such a failure on this route since `time`.
    public func hasRecovered(_ route: OriginRoute, _ kind: ExchangeFailure.Kind, since time: MonotonicTime) -> Bool {
        if isEmpty { return false }
        return state.withLock { $0.breakers[route.key(for: kind)]?.recoveredAt.map { $0 >= time } ?? false }
    }

    /// Whether no failure of any origin is remembered.
    public var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    // MARK: Pauses

    /// Notes that a response of this status asked for a pause; with 200, that a quota is used up.
    func pause(_ origin: Origin, until time: MonotonicTime, status: UInt16, at now: MonotonicTime) {
        state.withLock { state in
            if state.pauses.count >= max(1, state.options.originLimit) {
                state.pauses = state.pauses.filter { $0.value.until > now }
            }
            // If too many origins have pauses already, this one gets none.
            guard state.pauses.count < max(1, state.options.originLimit) || state.pauses[origin] != nil else { return }
            state.pauses[origin] = (time, status)
            pauseCount.store(state.pauses.count, ordering: .relaxed)
        }
    }

    /// Counts a request that is not sent.
    func noteRefusal() { refusalCount.add(1, ordering: .relaxed) }

    /// The failure of requests to an origin that has asked for a pause; nil if it has not, or the pause is over.
    public func pause(of origin: Origin, at now: MonotonicTime) -> ExchangeFailure? {
        if pauseCount.load(ordering: .relaxed) == 0 { return nil }
        let pause: (until: MonotonicTime, status: UInt16)? = state.withLock { state in
            guard let pause = state.pauses[origin] else { return nil }
            if pause.until > now { return pause }
            state.pauses[origin] = nil
            pauseCount.store(state.pauses.count, ordering: .relaxed)
            return nil
        }
        guard let pause else { return nil }
        let isRefusal = pause.status >= 400
        let reason =
            isRefusal ? "answered \(pause.status) and asked for a pause" : "says by RateLimit that its quota is used up"
        var failure = ExchangeFailure(.destinationUnavailable, "\(origin.text) \(reason); this request was not sent")
        failure.retryAfter = pause.until - now
        failure.pausedBy = isRefusal ? pause.status : 429
        failure.ownStatus = failure.pausedBy
        return failure
    }

    /// Notes how long a quota of the origin is nearly used up; nil: it is not.
    func noteScarcity(of origin: Origin, until time: MonotonicTime?, at now: MonotonicTime) {
        if time == nil, scarceCount.load(ordering: .relaxed) == 0 { return }
        state.withLock { state in
            if state.scarceQuotas.count >= max(1, state.options.originLimit) {
                state.scarceQuotas = state.scarceQuotas.filter { $0.value > now }
            }
            let hasRoom = state.scarceQuotas.count < max(1, state.options.originLimit)
            if time == nil || hasRoom || state.scarceQuotas[origin] != nil { state.scarceQuotas[origin] = time }
            scarceCount.store(state.scarceQuotas.count, ordering: .relaxed)
        }
    }

    /// Whether a quota of the origin is nearly used up, so that loads that nobody waits for should not be made.
    public func isQuotaScarce(of origin: Origin, at now: MonotonicTime) -> Bool {
        if scarceCount.load(ordering: .relaxed) == 0 { return false }
        return state.withLock { $0.scarceQuotas[origin].map { $0 > now } ?? false }
    }

    // MARK: Attempts

    /// Decides whether a request may be sent now.
    ///
    /// A caller that gets probes reports how the request ends, by `didRespond`, `didFail` or `abandon`.
    func admit(_ route: OriginRoute, at now: MonotonicTime) -> Admission {
        if isEmpty { return .free }
        // Other origins' failures must not cost this one a random number.
        guard state.withLock({ state in route.keys.contains { state.breakers[$0] != nil } }) else { return .free }
        let chance = chance()
        let admission: Admission = state.withLock { state in
            // Look at both first: a request that one refuses must not become the probe of the other.
            for key in route.keys {
                if let outage = state.breakers[key]?.outage(of: route.origin, at: now, state.options),
                    !outage.mayAttempt
                {
                    return .refused(outage)
                }
            }
            var probes: [Probe] = []
            for key in route.keys {
                let number = state.lastProbe + 1
                guard case .probe? = state.breakers[key]?.admit(number, at: now, state.options, chance) else {
                    continue
                }
                state.lastProbe = number
                probes.append(Probe(key: key, number: number))
            }
            return probes.isEmpty ? .free : .probe(probes)
        }
        if case .refused = admission { noteRefusal() }
        return admission
    }

    /// Notes a response head: the origin is up, and so is TLS with it.
    func didRespond(_ route: OriginRoute, at now: MonotonicTime) {
        if isEmpty { return }
        let wasDown = state.withLock { state in
            // Not `contains`, which would stop at the first.
            let recovered = route.keys.filter { state.recover($0, at: now) }
            count.store(state.breakers.count, ordering: .relaxed)
            return !recovered.isEmpty
        }
        if wasDown { report(.up(route.origin.text)) }
    }

    /// Notes a request that failed before any head.
    func didFail(
        _ route: OriginRoute,
        _ failure: ExchangeFailure,
        probes: [Probe],
        at now: MonotonicTime,
        wall: HTTPDate
    ) {
        let chance = chance()
        let key = route.key(for: failure.kind)
        let (isBack, outage): (Bool, OriginOutage?) = state.withLock { state in
            guard state.options.isEnabled else { return (false, nil) }
            state.abandon(probes.filter { $0.key != key })
            let isBack = failure.kind.isOfSecurity && state.recover(CircuitBreakerKey(route.origin), at: now)
            var breaker = state.breakers[key] ?? CircuitBreaker(now: now)
            let probe = probes.first { $0.key == key }?.number
            let isDownNow = breaker.fail(failure, probe: probe, at: now, wall: wall, state.options, chance)
            if state.breakers[key] == nil, state.breakers.count >= max(1, state.options.originLimit) {
                let oldest = state.breakers.min { $0.value.changedAt < $1.value.changedAt }
                if let oldest { state.breakers[oldest.key] = nil }
            }
            state.breakers[key] = breaker
            count.store(state.breakers.count, ordering: .relaxed)
            return (isBack, isDownNow ? breaker.outage(of: route.origin, at: now, state.options) : nil)
        }
        if isBack { report(.up(route.origin.text)) }
        if let outage { report(.down(outage)) }
    }

    /// Notes that probes ended without a result.
    func abandon(_ probes: [Probe]) { state.withLock { $0.abandon(probes) } }
}

extension CircuitBreakers.State {
    fileprivate mutating func abandon(_ probes: [CircuitBreakers.Probe]) {
        for probe in probes { breakers[probe.key]?.abandon(probe: probe.number) }
    }

    /// Notes a success; returns whether the circuit breaker was down.
    fileprivate mutating func recover(_ key: CircuitBreakerKey, at now: MonotonicTime) -> Bool {
        guard var breaker = breakers[key] else { return false }
        let wasDown = breaker.succeed(at: now)
        // After ten minutes no resource remembers a failure from before the recovery.
        let isOver = breaker.recoveredAt.map { now - $0 > .seconds(600) } ?? true
        breakers[key] = isOver ? nil : breaker
        return wasDown
    }
}
