import LibC
public import HTTPCore
import Platform

/// One attempt to reach a host, by as many of its addresses as needed.
///
/// Bound to its loop. The resolver keeps it alive, then its sockets do.
public final class ConnectAttempt {
    private let loop: EventLoop
    private let target: String
    private let policy: AddressPolicy
    /// The name, or an address literal, in canonical form; empty where the caller gave an address.
    var host = ""
    /// Host and port of the parent proxy; nil if none is used.
    private let parent: String?
    private let stagger: Duration
    /// Nil once it has been called, or after a cancellation.
    private var completion: Connector.Completion?
    /// Addresses not tried yet, the next one last.
    private var waiting: [SocketAddress] = []
    private var running: [ConnectingSocket] = []
    private var timers: [LoopTimer] = []
    private var staggerTimer: LoopTimer?
    /// The first address tried.
    private var first: SocketAddress?
    /// Called with the connected address, if others were tried before it.
    var didFallOver: ((IPAddress) -> Void)?
    /// The stages still to run on the connection, the next one last.
    private var stages: [any ConnectStage] = []
    /// The connected stream and its current stage.
    private var current: (stream: Stream, stage: any ConnectStage)?
    /// The look-up in progress, which keeps the attempt alive.
    weak var lookUp: NameLookUp?
    /// Whether the target's addresses are being looked up, before the parent proxy's.
    var looksUpTarget = false
    /// How long the parts took that have ended.
    public private(set) var timings = UpstreamTimings()
    /// When the current part began.
    private var partStart: MonotonicTime
    /// The most informative failure so far.
    private var worst: (reason: ConnectError.Reason, address: SocketAddress?)?

    init(
        loop: EventLoop,
        target: String,
        policy: AddressPolicy,
        parent: String? = nil,
        stagger: Duration,
        _ completion: @escaping Connector.Completion
    ) {
        self.loop = loop
        self.target = target
        self.parent = parent
        self.policy = policy
        self.stagger = stagger
        self.completion = completion
        partStart = loop.now
    }

    /// Cancels the attempt; its completion is not called.
    public func cancel() {
        completion = nil
        tidyUp()
    }

    /// Adds `stage` to run before the stages added earlier.
    func precede(by stage: any ConnectStage) { stages.append(stage) }

    /// Whether the result is still needed.
    var isWanted: Bool { completion != nil }

    func limit(to timeout: Duration) {
        timers.append(loop.schedule(after: timeout) { [weak self] in self?.timeOut() })
    }

    func didResolve(_ answer: NameResolver.Resolution, port: UInt16) {
        switch answer {
        case .success(let found):
            noteLookUp(found.source)
            race(Self.interleaved(found.addresses).map { .ip($0, port: port) }, found.source)
        case .failure(let error): fail(.name(error), nil)
        }
    }

    /// Races the allowed addresses, in this order.
    ///
    /// - Parameter source: where the addresses come from.
    func race(_ addresses: [SocketAddress], _ source: ResolvedName.Source = .literal) {
        guard completion != nil else { return }
        var allowed: [SocketAddress] = []
        for address in addresses {
            switch host.isEmpty ? policy.judge(address) : policy.judge(address, of: host, from: source) {
            case .allowed: allowed.append(address)
            case .loop: note(.loop, address)
            case .forbidden(let reason): note(.forbidden(reason), address)
            }
        }
        // An address of our own listeners makes it a loop, whatever the other addresses are.
        if let worst, worst.reason == .loop { return fail(.loop, worst.address) }
        waiting = allowed.reversed()
        first = allowed.first
        startNext()
    }

    /// Alternates between the families, beginning with that of the first address (RFC 8305 §4).
    static func interleaved(_ addresses: [IPAddress]) -> [IPAddress] {
        guard let first = addresses.first else { return [] }
        let same = addresses.filter { $0.isIPv4 == first.isIPv4 }
        let other = addresses.filter { $0.isIPv4 != first.isIPv4 }
        var result: [IPAddress] = []
        for index in 0..<max(same.count, other.count) {
            if index < same.count { result.append(same[index]) }
            if index < other.count { result.append(other[index]) }
        }
        return result
    }

    // MARK: The race

    private func startNext() {
        while let address = waiting.popLast() {
            switch ConnectingSocket.open(to: address, for: self, loop: loop) {
            case .success(let socket):
                running.append(socket)
                if !waiting.isEmpty { armStagger() }
                return
            case .failure(let error):
                note(ConnectError.Reason(error.code), address)
            }
        }
        if running.isEmpty { fail(worst?.reason ?? .name(.notFound), worst?.address) }
    }

    private func armStagger() {
        let timer = staggerTimer ?? LoopTimer(loop: loop) { [weak self] in self?.startNext() }
        staggerTimer = timer
        timer.rearm(after: stagger)
    }

    func didConnect(_ socket: ConnectingSocket) {
        let stream = socket.makeStream()
        guard completion != nil else { return stream.close() }
        if let local = stream.localAddress, let peer = stream.peerAddress {
            switch policy.judgeConnection(local: local, peer: peer) {
            case .allowed: break
            case .loop:
                stream.close()
                return fail(.loop, peer)
            case .forbidden(let reason):
                stream.close()
                return fail(.forbidden(reason), peer)
            }
        }
        if socket.address != first, let address = socket.address.ipAddress { didFallOver?(address) }
        // The race is won; the time limit stays.
        endRace()
        timings.connect = endPart()
        advance(stream, stream.peerAddress)
    }

    /// Runs the next stage on the connection, if there is one.
    private func advance(_ stream: Stream, _ peer: SocketAddress?) {
        guard let stage = stages.popLast() else {
            current = nil
            return finish(.success(stream))
        }
        current = (stream, stage)
        stage.run(on: stream) { [self] reason in
            guard completion != nil else { return }
            if let reason { return fail(reason, peer) }
            note(stage)
            advance(stream, peer)
        }
    }

    /// Notes how long a look-up took, if there was one.
    func noteLookUp(_ source: ResolvedName.Source) {
        let time = endPart()
        if source != .literal { timings.name = (timings.name ?? 0) + time }
    }

    /// Notes how long a stage took.
    private func note(_ stage: any ConnectStage) {
        let time = endPart()
        if stage is SecurityStage { timings.handshake = time } else { timings.connect = (timings.connect ?? 0) + time }
    }

    /// Notes how long the part took that failed.
    private func noteFailure(_ reason: ConnectError.Reason) {
        if let stage = current?.stage {
            note(stage)
        } else if first != nil {
            timings.connect = endPart()
        } else if case .name = reason {
            timings.name = (timings.name ?? 0) + endPart()
        }
    }

    /// Returns how long the current part took, in nanoseconds; the next one begins.
    private func endPart() -> Int64 {
        defer { partStart = loop.now }
        return loop.now.nanoseconds(since: partStart)
    }

    func didFail(_ socket: ConnectingSocket, _ code: Int32) {
        running.removeAll { $0 === socket }
        note(ConnectError.Reason(code), socket.address)
        if waiting.isEmpty {
            if running.isEmpty { fail(worst?.reason ?? .timeout, worst?.address) }
        } else {
            startNext()
        }
    }

    private func timeOut() {
        if let current { return fail(current.stage.timeout, nil) }
        if looksUpTarget { return refuse(.name(.timeout)) }
        // Report a slow name and an unresponsive address as different errors.
        if running.isEmpty { fail(.name(.timeout), nil) } else { fail(.timeout, running.first?.address) }
    }

    private func note(_ reason: ConnectError.Reason, _ address: SocketAddress) {
        if let worst, worst.reason.weight >= reason.weight { return }
        worst = (reason, address)
    }

    private func fail(_ reason: ConnectError.Reason, _ address: SocketAddress?) {
        var error = ConnectError(reason: reason, target: target, address: address)
        if let parent { error.stage = current == nil ? .parent(parent) : .behind(parent) }
        finish(.failure(error))
    }

    /// Ends the attempt: the target may not be connected to, or has no address.
    func refuse(_ reason: ConnectError.Reason) {
        finish(.failure(ConnectError(reason: reason, target: target)))
    }

    private func finish(_ result: Result<Stream, ConnectError>) {
        guard let completion else { return }
        self.completion = nil
        if case .failure(let error) = result { noteFailure(error.reason) }
        tidyUp()
        completion(result)
    }

    private func endRace() {
        for socket in running where socket.descriptor >= 0 { socket.release(closing: true) }
        running = []
        waiting = []
        staggerTimer?.cancel()
    }

    private func tidyUp() {
        endRace()
        lookUp?.cancel()
        lookUp = nil
        stages = []
        didFallOver = nil
        current?.stream.close()
        current = nil
        for timer in timers { timer.cancel() }
        timers = []
    }
}

/// A socket that connects to one address.
final class ConnectingSocket: IOSource {
    let address: SocketAddress
    private let attempt: ConnectAttempt

    private init(loop: EventLoop, descriptor: Int32, address: SocketAddress, attempt: ConnectAttempt) {
        self.address = address
        self.attempt = attempt
        super.init(loop: loop, descriptor: descriptor)
    }

    /// Begins to connect.
    ///
    /// The attempt gets the result later, even if the system has it at once.
    static func open(
        to address: SocketAddress,
        for attempt: ConnectAttempt,
        loop: EventLoop
    ) -> Result<ConnectingSocket, SystemError> {
        switch SocketCalls.makeSocket(family: address.family) {
        case .failure(let error): return .failure(error)
        case .success(let descriptor):
            SocketCalls.setSending(descriptor, address: address)
            if case .failed(let code) = SocketCalls.connect(descriptor, to: address) {
                SocketCalls.close(descriptor)
                return .failure(SystemError(code))
            }
            let socket = ConnectingSocket(loop: loop, descriptor: descriptor, address: address, attempt: attempt)
            socket.register()
            socket.watchWrites(true)
            return .success(socket)
        }
    }

    override func descriptorIsWritable() {
        let code = SocketCalls.pendingError(descriptor)
        guard code != 0 else { return attempt.didConnect(self) }
        release(closing: true)
        attempt.didFail(self, code)
    }

    /// Makes a stream of the connected socket.
    func makeStream() -> Stream {
        let connected = descriptor
        release(closing: false)
        return Stream(adopting: connected, loop: loop)
    }
}
