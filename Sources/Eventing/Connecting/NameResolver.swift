public import HTTPCore
import Locking

/// Why a name has no addresses.
public enum NameError: Error, Sendable, Hashable {
    /// Not a host name: too long, an empty or long label, an octet that names do not have.
    case invalid
    /// The name does not exist, or has no address.
    case notFound
    /// No answer in time.
    case timeout
    case failed
    /// Too many look-ups are waiting.
    case busy
}

/// Looks up the addresses of host names by `getaddrinfo` on worker threads.
///
/// Shared by all loops. Answers are kept for a short while, concurrent look-ups of one name are one.
public final class NameResolver: Sendable {
    public typealias Answer = Result<[IPAddress], NameError>

    public struct Options: Sendable {
        /// How long addresses are kept.
        public var lifetime = Duration.seconds(30)
        /// How long it is remembered that a name has none.
        public var failureLifetime = Duration.seconds(5)
        /// How long an address that answered where others did not is told first.
        public var preferenceLifetime = Duration.seconds(600)
        /// How many names are remembered.
        public var capacity = 1024
        /// Names, in lower case, with addresses of their own.
        public var overrides: [String: [IPAddress]] = [:]

        public init() {}
    }

    private struct Entry {
        var answer: Answer
        var expires: MonotonicTime
    }

    private typealias Waiter = @Sendable (Answer) -> Void

    private struct State {
        var overrides: [String: [IPAddress]]
        var entries: [String: Entry] = [:]
        /// Names in the order their entries were made, to drop the oldest.
        var order: [String] = []
        var waiters: [String: [Waiter]] = [:]
        /// Addresses that answered where those told before them did not.
        var preferred: [String: (address: IPAddress, until: MonotonicTime)] = [:]

        /// The preferred address first.
        func ordered(_ addresses: [IPAddress], of name: String, now: MonotonicTime) -> [IPAddress] {
            guard let (address, until) = preferred[name], now < until, addresses.contains(address) else {
                return addresses
            }
            return [address] + addresses.filter { $0 != address }
        }
    }

    private let workers: WorkerPool
    private let options: Options
    private let lookUp: @Sendable (String) -> Answer
    private let state: Lock<State>

    /// Looks names up on `workers`, which should serve nothing else: a slow name server occupies them.
    public convenience init(workers: WorkerPool, options: Options = Options()) {
        self.init(workers: workers, options: options) { SystemNames.lookUp($0) }
    }

    init(workers: WorkerPool, options: Options, lookUp: @escaping @Sendable (String) -> Answer) {
        self.workers = workers
        self.options = options
        self.lookUp = lookUp
        state = Lock(State(overrides: options.overrides))
    }

    /// Names, in lower case, with addresses of their own; takes effect with the next look-up.
    public var overrides: [String: [IPAddress]] {
        get { state.withLock { $0.overrides } }
        set { state.withLock { $0.overrides = newValue } }
    }

    /// Finds the addresses of `host`, a name or an address literal (IPv6 with or without brackets).
    ///
    /// `completion` runs on `loop`, never within this call.
    public func resolve(_ host: [UInt8], on loop: EventLoop, completion: @escaping (Answer) -> Void) {
        guard let name = HostName.canonical(host) else {
            loop.atEndOfTurn { completion(.failure(.invalid)) }
            return
        }
        if let answer = immediateAnswer(name, now: loop.now) {
            loop.atEndOfTurn { completion(answer) }
            return
        }
        let handle = loop.handle
        let waiting = LoopBound(WaitingCaller(completion), loop: loop)
        wait(for: name) { answer in handle.submit { _ in waiting.value.completion(answer) } }
    }

    /// From now on `address` is told first of those of `host`: what was told before it did not answer, or not in time, so
    /// that a dead family costs one race and not one for each connection (RFC 8305 §4).
    public func prefer(_ address: IPAddress, of host: [UInt8]) {
        guard let name = HostName.canonical(host), HostName.literal(name) == nil else { return }
        let until = Clock.monotonic() + options.preferenceLifetime
        state.withLock { state in
            // Forgetting is cheap: it costs a race.
            if state.preferred.count >= options.capacity { state.preferred = [:] }
            state.preferred[name] = (address, until)
        }
    }

    /// What needs no look-up: literals, overrides, names of this machine, remembered answers.
    private func immediateAnswer(_ name: String, now: MonotonicTime) -> Answer? {
        if let literal = HostName.literal(name) { return .success([literal]) }
        let known = state.withLock { state in
            state.overrides[name].map { state.ordered($0, of: name, now: now) }
        }
        if let known { return .success(known) }
        if name.hasSuffix(".localhost") { return .success([.v6(0, 1), .v4(0x7F00_0001)]) }
        return state.withLock { state in
            guard let entry = state.entries[name], now < entry.expires else { return nil }
            return entry.answer.map { state.ordered($0, of: name, now: now) }
        }
    }

    private func wait(for name: String, _ waiter: @escaping Waiter) {
        let isFirst = state.withLock { state in
            state.waiters[name, default: []].append(waiter)
            return state.waiters[name]?.count == 1
        }
        guard isFirst else { return }
        let accepted = workers.submit { [self] in answer(name, lookUp(name), remember: true) }
        if !accepted { answer(name, .failure(.busy), remember: false) }
    }

    private func answer(_ name: String, _ answer: Answer, remember: Bool) {
        let lifetime: Duration
        switch answer {
        case .success: lifetime = options.lifetime
        case .failure: lifetime = options.failureLifetime
        }
        let now = Clock.monotonic()
        let (waiters, told) = state.withLock { state in
            if remember { insert(Entry(answer: answer, expires: now + lifetime), for: name, into: &state) }
            return (
                state.waiters.removeValue(forKey: name) ?? [],
                answer.map { state.ordered($0, of: name, now: now) }
            )
        }
        for waiter in waiters { waiter(told) }
    }

    private func insert(_ entry: Entry, for name: String, into state: inout State) {
        if state.entries.updateValue(entry, forKey: name) == nil { state.order.append(name) }
        guard state.entries.count > options.capacity else { return }
        // A quarter at once, so that the shift of the order is paid seldom.
        let dropped = max(1, options.capacity / 4)
        for name in state.order.prefix(dropped) { state.entries[name] = nil }
        state.order.removeFirst(min(dropped, state.order.count))
    }
}

/// Host names as they may be given to a resolver.
enum HostName {
    /// The name in lower case without a final dot, or a literal without brackets; nil if it is neither.
    static func canonical(_ host: [UInt8]) -> String? {
        var octets = host[...]
        if octets.first == UInt8(ascii: "["), octets.last == UInt8(ascii: "]") {
            let text = String(decoding: octets.dropFirst().dropLast(), as: UTF8.self)
            return IPAddress(text: text).map { _ in text }
        }
        let text = String(decoding: octets, as: UTF8.self)
        if IPAddress(text: text) != nil { return text }
        if octets.last == UInt8(ascii: ".") { octets = octets.dropLast() }
        guard !octets.isEmpty, octets.count <= 253 else { return nil }
        let labels = octets.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.allSatisfy({ (1...63).contains($0.count) && $0.allSatisfy(isNameOctet) }) else { return nil }
        return String(decoding: octets.map(\.asciiLowercased), as: UTF8.self)
    }

    static func literal(_ name: String) -> IPAddress? { IPAddress(text: name) }

    private static func isNameOctet(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}

/// Who is told the addresses, on its loop.
private final class WaitingCaller {
    let completion: (NameResolver.Answer) -> Void

    init(_ completion: @escaping (NameResolver.Answer) -> Void) { self.completion = completion }
}
