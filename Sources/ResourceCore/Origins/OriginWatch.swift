public import HTTPCore
import Locking
import Synchronization

/// Which origins are down, for all loops: after failures in a row attempts at one are spaced, one at a time, until one is
/// answered (C-25.3).
///
/// Only what keeps a request from being answered counts: names, connections, time-outs; never a status. Safe from any
/// thread. While no origin fails it costs one relaxed load for each exchange.
public final class OriginWatch: Sendable {
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
        case probe(UInt64)
        case refused(OriginOutage)
    }

    private struct State {
        var options: Options
        var circuits: [Origin: OriginCircuit] = [:]
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

    /// The origins that are down now, by name.
    public func outages(at now: MonotonicTime) -> [OriginOutage] {
        if isEmpty { return [] }
        return state.withLock { state in
            state.circuits.compactMap { $1.outage(of: $0, at: now, state.options) }
        }
        .sorted { $0.origin < $1.origin }
    }

    /// What is to be told of the origin of `uri`; nil while it is not down.
    public func outage(of uri: TargetURI, at now: MonotonicTime) -> OriginOutage? {
        if isEmpty { return nil }
        let origin = Origin(uri)
        return state.withLock { $0.circuits[origin]?.outage(of: origin, at: now, $0.options) }
    }

    /// Whether the origin of `uri` has come back since: what failed there before may be tried again.
    func hasReopened(_ uri: TargetURI, since time: MonotonicTime) -> Bool {
        if isEmpty { return false }
        let origin = Origin(uri)
        return state.withLock { $0.circuits[origin]?.reopenedAt.map { $0 >= time } ?? false }
    }

    private var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

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

    /// Why nothing is sent to the origin now that it has asked for that; nil if it has not.
    func pause(of origin: Origin, at now: MonotonicTime) -> ExchangeFailure? {
        if pauseCount.load(ordering: .relaxed) == 0 { return nil }
        let pause: (until: MonotonicTime, status: UInt16)? = state.withLock { state in
            guard let pause = state.pauses[origin] else { return nil }
            if pause.until > now { return pause }
            state.pauses[origin] = nil
            pauseCount.store(state.pauses.count, ordering: .relaxed)
            return nil
        }
        guard let pause else { return nil }
        refusalCount.add(1, ordering: .relaxed)
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
    func admit(_ origin: Origin, at now: MonotonicTime) -> Admission {
        if isEmpty { return .free }
        let chance = chance()
        let admission: Admission = state.withLock { state in
            let number = state.lastProbe + 1
            switch state.circuits[origin]?.admit(number, at: now, state.options, chance) {
            case .free?, nil: return .free
            case .probe?:
                state.lastProbe = number
                return .probe(number)
            case .refused?:
                guard let outage = state.circuits[origin]?.outage(of: origin, at: now, state.options) else {
                    return .free
                }
                return .refused(outage)
            }
        }
        if case .refused = admission { refusalCount.add(1, ordering: .relaxed) }
        return admission
    }

    /// A head came: everything at the origin is open.
    func didAnswer(_ origin: Origin, at now: MonotonicTime) {
        if isEmpty { return }
        let wasDown = state.withLock { state in
            guard var circuit = state.circuits[origin] else { return false }
            let wasDown = circuit.succeed(at: now)
            // What is remembered of failures there is older than that.
            let isOver = circuit.reopenedAt.map { now - $0 > .seconds(600) } ?? true
            state.circuits[origin] = isOver ? nil : circuit
            count.store(state.circuits.count, ordering: .relaxed)
            return wasDown
        }
        if wasDown { report(.up(origin.text)) }
    }

    /// An attempt failed before any head.
    func didFail(_ origin: Origin, _ failure: ExchangeFailure, probe: UInt64?, at now: MonotonicTime, wall: HTTPDate) {
        let chance = chance()
        let outage: OriginOutage? = state.withLock { state in
            guard state.options.isEnabled else { return nil }
            var circuit = state.circuits[origin] ?? OriginCircuit(now: now)
            let isDownNow = circuit.fail(failure, probe: probe, at: now, wall: wall, state.options, chance)
            if state.circuits[origin] == nil, state.circuits.count >= max(1, state.options.originLimit) {
                let oldest = state.circuits.min { $0.value.changedAt < $1.value.changedAt }
                if let oldest { state.circuits[oldest.key] = nil }
            }
            state.circuits[origin] = circuit
            count.store(state.circuits.count, ordering: .relaxed)
            return isDownNow ? circuit.outage(of: origin, at: now, state.options) : nil
        }
        if let outage { report(.down(outage)) }
    }

    /// A probe ended without telling anything of the origin.
    func abandon(_ origin: Origin, probe: UInt64) {
        state.withLock { $0.circuits[origin]?.abandon(probe: probe) }
    }
}
