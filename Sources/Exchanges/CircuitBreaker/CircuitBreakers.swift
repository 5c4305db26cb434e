public import HTTPCore
import Locking
import Synchronization

/// Which origins are down, for all loops: after failures in a row attempts at one are spaced, one at a time, until one is
/// answered (C-25.3).
///
/// Only what keeps a request from being answered counts: names, connections, time-outs, TLS; never a status. What fails in
/// TLS counts for requests that speak it under the same name alone. Safe from any thread. While no origin fails it costs two
/// relaxed loads for each exchange.
public final class CircuitBreakers: Sendable {
    public struct Options: Sendable, Equatable {
        /// Whether attempts are spaced at all.
        public var isEnabled = true
        /// Failures in a row after which an origin is down; at least 1.
        public var failures = 5
        /// The first pause between attempts; each further one is twice as long.
        public var spacing = Duration.seconds(1)
        public var maximumSpacing = Duration.seconds(30)
        /// How long one attempt may keep others from being made.
        public var probeTime = Duration.seconds(60)
        /// Origins that are remembered; the one whose state changed longest ago is forgotten.
        public var originLimit = 1024

        public init() {}
    }

    /// What happened to an origin, for the log.
    public enum Change: Sendable {
        case down(OriginOutage)
        /// It answered again; the name of the origin.
        case up(String)
    }

    /// How an exchange stands to it.
    enum Admission {
        case free
        /// At those of its keys that were shut.
        case probe([Probe])
        case refused(OriginOutage)
    }

    /// An attempt that looks whether a key is open again.
    struct Probe: Sendable {
        let key: CircuitBreakerKey
        let number: UInt64
    }

    fileprivate struct State {
        var options: Options
        var circuits: [CircuitBreakerKey: CircuitBreaker] = [:]
        /// Origins that asked to be left alone.
        var pauses: [Origin: (until: MonotonicTime, status: UInt16)] = [:]
        var lastProbe: UInt64 = 0
    }

    private let state: Lock<State>
    /// Origins of which anything is remembered.
    private let count = Atomic<Int>(0)
    private let pauseCount = Atomic<Int>(0)
    private let refusalCount = Atomic<Int>(0)
    private let chance: @Sendable () -> Double
    private let report: @Sendable (Change) -> Void

    /// - Parameters:
    ///   - options: when an origin counts as down, and how its attempts are spaced.
    ///   - chance: from 0 to 1, anew with each call; what jitter is made of.
    ///   - report: told of changes, under no lock, on whatever thread notices.
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
                if !newValue.isEnabled { state.circuits = [:] }
                count.store(state.circuits.count, ordering: .relaxed)
            }
        }
    }

    /// Requests that were not sent because their origin was down.
    public var refusals: Int { refusalCount.load(ordering: .relaxed) }

    /// The origins that are down now, by name: each once for all, or for the names of TLS under which it refuses.
    public func outages(at now: MonotonicTime) -> [OriginOutage] {
        if isEmpty { return [] }
        return state.withLock { state in
            state.circuits.compactMap { key, circuit in
                // Who cannot be reached at all is told of once.
                guard key.security == nil || state.circuits[CircuitBreakerKey(key.origin)]?.isDown != true else {
                    return nil
                }
                return circuit.outage(of: key.origin, at: now, state.options)
            }
        }
        .sorted { $0.origin < $1.origin }
    }

    /// What is to be told of the origin of `uri`, to whoever goes there by the usual route; nil while it is not down.
    public func outage(of uri: TargetURI, at now: MonotonicTime) -> OriginOutage? {
        outage(on: OriginRoute(Origin(uri), .usual), at: now)
    }

    /// The same, to whoever goes there on this route.
    public func outage(on route: OriginRoute, at now: MonotonicTime) -> OriginOutage? {
        if isEmpty { return nil }
        let outages = state.withLock { state in
            route.keys.compactMap { state.circuits[$0]?.outage(of: route.origin, at: now, state.options) }
        }
        return outages.first { !$0.mayAttempt } ?? outages.first
    }

    /// Whether what failed so on this route since has been open again: it may be tried once more.
    public func hasReopened(_ route: OriginRoute, _ kind: ExchangeFailure.Kind, since time: MonotonicTime) -> Bool {
        if isEmpty { return false }
        return state.withLock { $0.circuits[route.key(for: kind)]?.reopenedAt.map { $0 >= time } ?? false }
    }

    private var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    /// No failure is remembered of any origin: there is nothing to find out about one.
    public var isQuiet: Bool { isEmpty }

    // MARK: Pauses

    /// The origin asks, with `status`, to be left alone.
    func pause(_ origin: Origin, until time: MonotonicTime, status: UInt16, at now: MonotonicTime) {
        state.withLock { state in
            if state.pauses.count >= max(1, state.options.originLimit) {
                state.pauses = state.pauses.filter { $0.value.until > now }
            }
            // With as many that still wait this one is asked as ever.
            guard state.pauses.count < max(1, state.options.originLimit) || state.pauses[origin] != nil else { return }
            state.pauses[origin] = (time, status)
            pauseCount.store(state.pauses.count, ordering: .relaxed)
        }
    }

    /// Nothing is sent to the origin now, since it has asked for that.
    func noteRefusal() { refusalCount.add(1, ordering: .relaxed) }

    /// Why nothing is to be sent to the origin now that it has asked for that; nil if it has not.
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
        let text =
            "\(origin.text) answered \(pause.status) and asked to be left alone for a while; this request was not sent"
        var failure = ExchangeFailure(.destinationUnavailable, text)
        failure.retryAfter = pause.until - now
        failure.pausedBy = pause.status
        failure.ownStatus = pause.status
        return failure
    }

    // MARK: Attempts

    /// Whether an attempt may be made now.
    ///
    /// Who gets a probe tells how it ended: by `didAnswer`, `didFail` or `abandon`.
    func admit(_ route: OriginRoute, at now: MonotonicTime) -> Admission {
        if isEmpty { return .free }
        // What another origin's failures have left costs this one no random number.
        guard state.withLock({ state in route.keys.contains { state.circuits[$0] != nil } }) else { return .free }
        let chance = chance()
        let admission: Admission = state.withLock { state in
            // Nobody takes the turn of others at one key to be sent back at the next.
            for key in route.keys {
                if let outage = state.circuits[key]?.outage(of: route.origin, at: now, state.options),
                    !outage.mayAttempt
                {
                    return .refused(outage)
                }
            }
            var probes: [Probe] = []
            for key in route.keys {
                let number = state.lastProbe + 1
                guard case .probe? = state.circuits[key]?.admit(number, at: now, state.options, chance) else {
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

    /// A head came: both keys are open.
    func didAnswer(_ route: OriginRoute, at now: MonotonicTime) {
        if isEmpty { return }
        let wasDown = state.withLock { state in
            // Each is asked.
            let opened = route.keys.filter { state.open($0, at: now) }
            count.store(state.circuits.count, ordering: .relaxed)
            return !opened.isEmpty
        }
        if wasDown { report(.up(route.origin.text)) }
    }

    /// An attempt failed before any head.
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
            let isBack = failure.kind.isOfSecurity && state.open(CircuitBreakerKey(route.origin), at: now)
            var circuit = state.circuits[key] ?? CircuitBreaker(now: now)
            let probe = probes.first { $0.key == key }?.number
            let isDownNow = circuit.fail(failure, probe: probe, at: now, wall: wall, state.options, chance)
            if state.circuits[key] == nil, state.circuits.count >= max(1, state.options.originLimit) {
                let oldest = state.circuits.min { $0.value.changedAt < $1.value.changedAt }
                if let oldest { state.circuits[oldest.key] = nil }
            }
            state.circuits[key] = circuit
            count.store(state.circuits.count, ordering: .relaxed)
            return (isBack, isDownNow ? circuit.outage(of: route.origin, at: now, state.options) : nil)
        }
        if isBack { report(.up(route.origin.text)) }
        if let outage { report(.down(outage)) }
    }

    /// Probes that ended without telling anything of the origin.
    func abandon(_ probes: [Probe]) { state.withLock { $0.abandon(probes) } }
}

extension CircuitBreakers.State {
    fileprivate mutating func abandon(_ probes: [CircuitBreakers.Probe]) {
        for probe in probes { circuits[probe.key]?.abandon(probe: probe.number) }
    }

    /// A key proved open; true if it was shut.
    fileprivate mutating func open(_ key: CircuitBreakerKey, at now: MonotonicTime) -> Bool {
        guard var circuit = circuits[key] else { return false }
        let wasDown = circuit.succeed(at: now)
        // What is remembered of failures there is older than that.
        let isOver = circuit.reopenedAt.map { now - $0 > .seconds(600) } ?? true
        circuits[key] = isOver ? nil : circuit
        return wasDown
    }
}
