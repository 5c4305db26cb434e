public import HTTPCore
import Locking

/// Hashes passwords on threads that may block, a few at a time.
///
/// Requests with the same login wait for one hash. Other logins wait in a queue, whose length is limited, in all and
/// for each client. Any thread may use it.
public final class LoginQueue: Sendable {
    /// The result of a check.
    public enum Verdict: Sendable, Equatable {
        case right, wrong
        /// Too many logins wait.
        case busy
    }

    /// Limits of the work.
    public struct Limits: Sendable {
        /// How many passwords are hashed at the same time; each takes some 16 MiB.
        public var running = 2
        /// How many different logins may wait.
        public var waiting = 128
        /// How many of these may come from one client.
        public var waitingPerClient = 32

        /// The defaults.
        public init() {}
    }

    /// Events since the start.
    public struct Statistics: Sendable, Equatable {
        /// Passwords hashed.
        public var hashes = 0
        /// Logins that were wrong.
        public var wrong = 0
        /// Logins that were not checked, because too many waited.
        public var refused = 0
    }

    private struct Key: Hashable {
        var table: ObjectIdentifier
        var digest: [UInt8]
    }

    private struct Job {
        var key: Key
        var table: LoginTable
        var credentials: BasicCredentials
        /// The client's address, or network.
        var client: IPAddress?
    }

    private struct State {
        var running = 0
        var waiting: [Job] = []
        /// The callers that wait for a job, also for one that runs.
        var completions: [Key: [@Sendable (Verdict) -> Void]] = [:]
        var statistics = Statistics()
    }

    private let limits: Limits
    private let submit: @Sendable (@escaping @Sendable () -> Void) -> Bool
    private let state = Lock(State())

    /// - Parameter submit: runs a job on a thread that may block; returns false if it accepts no more.
    public init(limits: Limits = Limits(), submit: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool) {
        self.limits = limits
        self.submit = submit
    }

    public var statistics: Statistics { state.withLock { $0.statistics } }

    /// Checks a login.
    ///
    /// - Parameters:
    ///   - client: the client's address, for its share of the queue.
    ///   - completion: called once: at once if too many wait, else on a thread of the workers.
    public func check(
        _ credentials: BasicCredentials,
        of table: LoginTable,
        from client: IPAddress?,
        completion: @escaping @Sendable (Verdict) -> Void
    ) {
        let key = Key(table: ObjectIdentifier(table), digest: table.digest(credentials))
        let client = client.map(Self.network)
        let job = Job(key: key, table: table, credentials: credentials, client: client)
        let isTaken = state.withLock { state in
            if state.completions[key] != nil {
                state.completions[key]?.append(completion)
                return true
            }
            guard state.running < limits.running || hasRoom(for: client, state) else {
                state.statistics.refused += 1
                return false
            }
            state.completions[key] = [completion]
            state.waiting.append(job)
            return true
        }
        isTaken ? runNext() : completion(.busy)
    }

    /// What counts as one client: an IPv4 address, or a network of 64 bits, of which one client may have every address.
    private static func network(_ address: IPAddress) -> IPAddress {
        let address = address.unmapped
        guard case .v6(let high, _) = address else { return address }
        return .v6(high, 0)
    }

    private func hasRoom(for client: IPAddress?, _ state: State) -> Bool {
        state.waiting.count < limits.waiting
            && state.waiting.count { $0.client == client } < limits.waitingPerClient
    }

    /// Starts the job that has waited longest, if one may run.
    private func runNext() {
        let next = state.withLock { state -> Job? in
            guard state.running < limits.running, !state.waiting.isEmpty else { return nil }
            state.running += 1
            return state.waiting.removeFirst()
        }
        guard let next else { return }
        let isRunning = submit { [self] in
            let isRight = next.table.check(next.credentials)
            end(next.key, isRight ? .right : .wrong)
        }
        if !isRunning { end(next.key, .busy) }
    }

    private func end(_ key: Key, _ verdict: Verdict) {
        let completions = state.withLock { state in
            state.running -= 1
            switch verdict {
            case .right: state.statistics.hashes += 1
            case .wrong:
                state.statistics.hashes += 1
                state.statistics.wrong += 1
            case .busy: state.statistics.refused += 1
            }
            return state.completions.removeValue(forKey: key) ?? []
        }
        for completion in completions { completion(verdict) }
        runNext()
    }
}
