public import HTTPCore
import Locking
public import Platform

/// Looks up the addresses of host names: by name servers on the loops, or by `getaddrinfo` on worker threads.
///
/// Shared by all loops. Answers are kept as long as their records allow. Concurrent look-ups of one name share one.
public final class NameResolver: Sendable {
    public typealias Resolution = Result<ResolvedName, NameError>

    /// How to look up names that this machine does not know itself.
    public enum Kind: Sendable, Hashable {
        /// By this resolver, unless nsswitch.conf names a source that only the C library knows.
        case builtIn
        /// By the C library.
        case system
    }

    public struct Options: Sendable {
        public var kind = Kind.builtIn
        /// Name servers to use instead of those in resolv.conf.
        public var servers: [SocketAddress] = []
        /// How long an address comes first after it answered and others did not.
        public var preferenceLifetime = Duration.seconds(600)
        /// The most names that are remembered.
        public var capacity = 1024
        /// The most look-ups in progress.
        public var limit = 512
        /// Names, in lower case, with configured addresses.
        public var overrides: [String: [IPAddress]] = [:]
        var lifetimes = NameCache.Lifetimes()
        /// After this time the last good addresses are used, if there are any.
        var patience = Duration.milliseconds(500)
        /// How long one look-up may take.
        var timeLimit = Duration.seconds(10)
        var tryTime: Duration?
        var hostsPath = "/etc/hosts"
        var resolvPath = "/etc/resolv.conf"
        var switchPath = "/etc/nsswitch.conf"

        public init() {}
    }

    /// The name servers and sources in use; when they change, earlier answers are dropped.
    private struct Context: Sendable, Equatable {
        var kind: Kind
        var configuration: ResolverConfiguration
        var sources: NameSwitch
    }

    private struct State {
        var kind: Kind
        var servers: [SocketAddress]
        var overrides: [String: [IPAddress]]
        var context: Context?
        var cache: NameCache
        var lookUps: LookUpTable
        var lastWaiter: UInt64 = 0
        /// Addresses that answered when others of the same name did not.
        var preferred: [String: (address: IPAddress, until: MonotonicTime)] = [:]

        /// The addresses with the preferred one first.
        func ordered(_ found: ResolvedName, of name: String, now: MonotonicTime) -> ResolvedName {
            guard let (address, until) = preferred[name], now < until, found.addresses.contains(address) else {
                return found
            }
            return ResolvedName(
                addresses: [address] + found.addresses.filter { $0 != address },
                source: found.source
            )
        }
    }

    private let options: Options
    private let blocking: SystemLookUps
    private let hosts: HostsFile
    private let resolvFile: WatchedFile<ResolverConfiguration>
    private let switchFile: WatchedFile<NameSwitch>
    private let counters = NameServerCounters()
    private let state: Lock<State>

    /// Makes a resolver whose blocking look-ups run on `workers`, which should do nothing else.
    public convenience init(workers: WorkerPool, options: Options = Options()) {
        self.init(workers: workers, options: options) { SystemNames.lookUp($0) }
    }

    /// - Parameter lookUp: takes the place of `getaddrinfo`.
    init(
        workers: WorkerPool,
        options: Options,
        lookUp: @escaping @Sendable (String) -> Result<[IPAddress], NameError>
    ) {
        self.options = options
        blocking = SystemLookUps(workers: workers, lookUp: lookUp)
        hosts = HostsFile(path: options.hostsPath)
        resolvFile = WatchedFile(options.resolvPath) { ResolverConfiguration(parsing: $0) }
        switchFile = WatchedFile(options.switchPath) { NameSwitch(parsing: $0) }
        state = Lock(
            State(
                kind: options.kind,
                servers: options.servers,
                overrides: options.overrides,
                cache: NameCache(lifetimes: options.lifetimes, capacity: options.capacity),
                lookUps: LookUpTable(limit: options.limit)
            )
        )
    }

    /// Replaces the options for the next look-ups.
    public func apply(_ options: Options) {
        state.withLock { state in
            state.kind = options.kind
            state.servers = options.servers
            state.overrides = options.overrides
        }
    }

    /// The current counts.
    public var statistics: NameStatistics {
        let (count, refused) = state.withLock { ($0.lookUps.count, $0.lookUps.refused) }
        return NameStatistics(underWay: count, refused: refused, servers: counters.statistics)
    }

    /// Finds the addresses of `host`, a name or an address literal (IPv6 with or without brackets).
    ///
    /// `completion` is called on `loop`, never within this call, and not after `cancel()`.
    @discardableResult
    public func resolve(
        _ host: [UInt8],
        for asker: NameAsker = NameAsker(),
        on loop: EventLoop,
        completion: @escaping (Resolution) -> Void
    ) -> NameLookUp {
        let lookUp = NameLookUp(completion)
        guard let name = HostName.canonical(host) else {
            loop.atEndOfTurn { lookUp.deliver(.failure(.invalid)) }
            return lookUp
        }
        if let literal = HostName.literal(name) {
            loop.atEndOfTurn { lookUp.deliver(.success(ResolvedName(addresses: [literal], source: .literal))) }
            return lookUp
        }
        let context = context()
        if let answer = immediateAnswer(name, context, now: loop.now) {
            loop.atEndOfTurn { lookUp.deliver(answer) }
        } else {
            join(name, asker, lookUp, context, loop)
        }
        return lookUp
    }

    /// Puts `address` first among those of `host`: the addresses before it did not answer, or not in time.
    ///
    /// So a dead address family costs one race, not one for each connection (RFC 8305 §4).
    public func prefer(_ address: IPAddress, of host: [UInt8]) {
        guard let name = HostName.canonical(host), HostName.literal(name) == nil else { return }
        let until = MonotonicTime.now + options.preferenceLifetime
        state.withLock { state in
            // Dropping all is cheap: each costs a race.
            if state.preferred.count >= options.capacity { state.preferred = [:] }
            state.preferred[name] = (address, until)
        }
    }

    // MARK: What needs no look-up

    /// Answers at once from overrides and names of this machine.
    private func immediateAnswer(_ name: String, _ context: Context, now: MonotonicTime) -> Resolution? {
        let written = state.withLock { $0.overrides[name] }
        if let written { return known(written, .override, of: name, now) }
        if HostName.isLocalhost(name) {
            return known([.v6(0, 1), .v4(0x7F00_0001)], .localhost, of: name, now)
        }
        if context.kind == .builtIn, context.sources.readsHostsFile {
            let addresses = hosts.addresses(of: name)
            if !addresses.isEmpty { return known(addresses, .hostsFile, of: name, now) }
        }
        return nil
    }

    private func known(
        _ addresses: [IPAddress],
        _ source: ResolvedName.Source,
        of name: String,
        _ now: MonotonicTime
    ) -> Resolution {
        let found = ResolvedName(addresses: addresses, source: source)
        return .success(state.withLock { $0.ordered(found, of: name, now: now) })
    }

    /// Reads the system's files if they have changed, and drops answers of other name servers or sources.
    private func context() -> Context {
        var configuration = resolvFile.value()
        let sources = switchFile.value()
        let (context, isOther) = state.withLock { state in
            if !state.servers.isEmpty { configuration.servers = state.servers }
            if let tryTime = options.tryTime { configuration.tryTime = tryTime }
            let current = Context(kind: state.kind, configuration: configuration, sources: sources)
            let isOther = state.context != current
            if isOther { state.cache.removeAll() }
            state.context = current
            return (current, isOther)
        }
        if isOther { counters.keep(context.kind == .builtIn ? context.configuration.servers : []) }
        return context
    }

    // MARK: Look-ups

    /// How a request for a name goes on.
    private enum Joined {
        /// There is a remembered answer.
        case answered(Resolution)
        case waiting(number: UInt64, LookUpTable.JoinAction, lastGood: ResolvedName?)
    }

    private func join(
        _ name: String,
        _ asker: NameAsker,
        _ lookUp: NameLookUp,
        _ context: Context,
        _ loop: EventLoop
    ) {
        let (handle, bound, now) = (loop.handle, LoopBound(lookUp, loop: loop), loop.now)
        let waiter = LookUpTable.Waiter(asker: asker) { answer in handle.submit { _ in bound.value.deliver(answer) } }
        let joined = state.withLock { state -> Joined in
            // Under the lock of what follows: a look-up may end on another thread at any moment.
            if let answer = state.cache.answer(name, now: now) {
                return .answered(answer.map { state.ordered($0, of: name, now: now) })
            }
            state.lastWaiter += 1
            let good = state.cache.lastGood(name, now: now).map { state.ordered($0, of: name, now: now) }
            let action = state.lookUps.join(name, state.lastWaiter, waiter, hasLastGood: good != nil, now: now)
            return .waiting(number: state.lastWaiter, action, lastGood: good)
        }
        switch joined {
        case .answered(let answer): loop.atEndOfTurn { lookUp.deliver(answer) }
        case .waiting(let number, let action, let lastGood):
            lookUp.leave = { [self] in state.withLock { $0.lookUps.leave(name, number) }?.stop?() }
            follow(action, name, lastGood, asker, lookUp, context, loop)
        }
    }

    /// Does for a new waiter what the table of look-ups returns.
    private func follow(
        _ action: LookUpTable.JoinAction,
        _ name: String,
        _ lastGood: ResolvedName?,
        _ asker: NameAsker,
        _ lookUp: NameLookUp,
        _ context: Context,
        _ loop: EventLoop
    ) {
        switch action {
        case .wait: break
        case .refuse: loop.atEndOfTurn { lookUp.deliver(.failure(.busy)) }
        case .late:
            let answer = lastGood.map { Resolution.success($0) } ?? .failure(.failed)
            loop.atEndOfTurn { lookUp.deliver(answer) }
        case .start(let started, let giver):
            giver?.end(.failure(.busy), stops: true)
            start(name, started, asker, context, loop)
            guard lastGood != nil else { return }
            loop.schedule(after: options.patience) { [weak self] in self?.becomeLate(name, started) }
        }
    }

    private func start(
        _ name: String,
        _ number: UInt64,
        _ asker: NameAsker,
        _ context: Context,
        _ loop: EventLoop
    ) {
        let configuration = context.configuration
        let stop: @Sendable () -> Void
        switch context.kind == .system
            ? .system : context.sources.route(of: name, asksStub: configuration.asksStub)
        {
        case .dns:
            let query = DNSQuery(loop: loop, configuration: configuration, counters: counters)
            let bound = LoopBound(query, loop: loop)
            query.start(name, limit: options.timeLimit) { [self] result in
                let answer = result.map { ResolvedName(addresses: $0.addresses, source: .dns) }
                finish(name, number, answer, timeToLive: try? result.get().timeToLive, context)
            }
            stop = { if bound.isHere { bound.value.end() } else { bound.submit { $0.end() } } }
        case .system:
            blocking.start(name, number, for: asker.client) { [self] result in
                let answer = result.map { ResolvedName(addresses: $0, source: source(of: $0, for: name)) }
                finish(name, number, answer, timeToLive: nil, context)
            }
            stop = { [blocking] in blocking.stop(number) }
        }
        if !state.withLock({ $0.lookUps.didStart(name, number, stop: stop) }) { stop() }
    }

    /// Whether the C library found the addresses in the hosts file, or in another source.
    private func source(of addresses: [IPAddress], for name: String) -> ResolvedName.Source {
        let written = hosts.addresses(of: name)
        return !addresses.isEmpty && addresses.allSatisfy(written.contains) ? .hostsFile : .system
    }

    /// - Parameter context: the servers and sources that were asked.
    private func finish(
        _ name: String,
        _ number: UInt64,
        _ answer: Resolution,
        timeToLive: Duration?,
        _ context: Context
    ) {
        let now = MonotonicTime.now
        let (ended, result) = state.withLock { state -> (LookUpTable.Ended?, Resolution) in
            guard let ended = state.lookUps.finish(name, number) else { return (nil, answer) }
            // Answers from the servers of a former network are not kept.
            let isCurrent = state.context == context
            let result = isCurrent ? state.cache.didLookUp(name, answer, timeToLive: timeToLive, now: now) : answer
            return (ended, result.map { state.ordered($0, of: name, now: now) })
        }
        ended?.end(result, stops: false)
    }

    private func becomeLate(_ name: String, _ number: UInt64) {
        let now = MonotonicTime.now
        let (waiters, good) = state.withLock { state -> ([LookUpTable.Waiter], ResolvedName?) in
            guard let good = state.cache.lastGood(name, now: now) else { return ([], nil) }
            return (state.lookUps.becomeLate(name, number), state.ordered(good, of: name, now: now))
        }
        guard let good else { return }
        for waiter in waiters { waiter.deliver(.success(good)) }
    }
}

/// Counts of look-ups, and how name servers answer.
public struct NameStatistics: Sendable {
    /// Look-ups in progress.
    public var underWay = 0
    /// Look-ups refused or given up because too many were in progress.
    public var refused = 0
    /// The servers that we ask, in the configured order; none while the C library asks them.
    public var servers: [NameServerStatistics] = []

    public init() {}

    public init(underWay: Int, refused: Int, servers: [NameServerStatistics]) {
        self.underWay = underWay
        self.refused = refused
        self.servers = servers
    }
}
