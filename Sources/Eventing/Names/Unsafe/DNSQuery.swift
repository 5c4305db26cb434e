import CCares
import CLinux
import LibC
import HTTPCore

/// One look-up at name servers, through a c-ares channel of its own.
///
/// So each look-up has source ports of its own, which an attacker must guess, and can be cancelled alone. Bound to its
/// loop, which keeps it alive until it has an answer or is cancelled.
@safe
final class DNSQuery: IOSource {
    /// What the records of the name servers contain.
    struct Records {
        var addresses: [IPAddress]
        /// The shortest lifetime of the records that led to the addresses.
        var timeToLive: Duration
    }

    typealias Completion = (Result<Records, NameError>) -> Void

    private let configuration: ResolverConfiguration
    private let traffic: DNSTraffic
    private var completion: Completion?
    private var channel: ares_channel?
    private var sockets: [Int32: DNSSocket] = [:]
    private var retryTimer: LoopTimer?
    private var limitTimer: LoopTimer?
    /// The result, kept until c-ares has returned.
    private var outcome: Result<Records, NameError>?
    private var depth = 0

    init(loop: EventLoop, configuration: ResolverConfiguration, counters: NameServerCounters) {
        self.configuration = configuration
        traffic = DNSTraffic(counters)
        super.init(loop: loop, descriptor: -1)
    }

    deinit { precondition(unsafe channel == nil, "a look-up is dropped before its end") }

    /// Asks for the addresses of `name`.
    ///
    /// `completion` is called once on the loop, never within this call, and not after `end()`.
    func start(_ name: String, limit: Duration, completion: @escaping Completion) {
        self.completion = completion
        register()
        let servers = traffic.order(configuration, now: loop.now)
        guard Self.isLibraryReady, let channel = unsafe makeChannel(servers) else { return finishLater(.failed) }
        unsafe self.channel = channel
        limitTimer = loop.schedule(after: limit) { [weak self] in self?.finish(.failure(.timeout)) }
        depth += 1
        var hints = ares_addrinfo_hints()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe ares_getaddrinfo(channel, name, nil, &hints, Self.didAnswer, context)
        depth -= 1
        // An immediate result is reported later.
        if outcome != nil { loop.atEndOfTurn { [self] in proceed() } } else { proceed() }
    }

    /// Cancels the look-up.
    func end() {
        completion = nil
        finish(.failure(.failed))
    }

    private func finishLater(_ error: NameError) {
        outcome = .failure(error)
        loop.atEndOfTurn { [self] in proceed() }
    }

    /// Makes c-ares read from or write to its sockets, or handle time-outs; -1: no socket.
    fileprivate func process(reads: Int32 = -1, writes: Int32 = -1) {
        guard let channel = unsafe channel else { return }
        depth += 1
        traffic.now = loop.now
        unsafe ares_process_fd(channel, reads, writes)
        depth -= 1
        proceed()
    }

    /// Finishes if there is a result; otherwise waits for the next time-out.
    private func proceed() {
        guard depth == 0 else { return }
        if let outcome { return finish(outcome) }
        guard let channel = unsafe channel else { return }
        let microseconds = unsafe respite_ares_wait(channel)
        guard microseconds >= 0 else { return }
        let timer = retryTimer ?? LoopTimer(loop: loop) { [weak self] in self?.process() }
        retryTimer = timer
        // A millisecond more, so that the time has passed for c-ares, too.
        timer.rearm(after: .microseconds(microseconds) + .milliseconds(1))
    }

    private func finish(_ result: Result<Records, NameError>) {
        outcome = result
        // The channel must stay while c-ares is running; `proceed` is called again later.
        guard depth == 0 else { return }
        retryTimer?.cancel()
        limitTimer?.cancel()
        if let channel = unsafe channel {
            unsafe self.channel = nil
            // Destroying the channel calls back for open questions, and closes its sockets.
            depth += 1
            unsafe ares_destroy(channel)
            depth -= 1
        }
        traffic.end(now: loop.now)
        leaveLoop()
        let completion = completion.take()
        completion?(result)
    }

    // MARK: The channel

    /// Whether the library is initialized; evaluated once.
    private static let isLibraryReady = respite_ares_succeeded(ares_library_init(ARES_LIB_INIT_ALL)) != 0

    /// Sets all options, so that c-ares reads no file.
    private func makeChannel(_ servers: [SocketAddress]) -> ares_channel? {
        var options = unsafe ares_options()
        unsafe options.flags = ARES_FLAG_NOALIASES | (configuration.usesTCP ? ARES_FLAG_USEVC : 0)
        unsafe options.timeout = Int32(configuration.tryTime.milliseconds)
        unsafe options.tries = Int32(configuration.rounds)
        unsafe options.ndots = Int32(configuration.dots)
        unsafe options.sock_state_cb = Self.socketDidChange
        unsafe options.sock_state_cb_data = unsafe Unmanaged.passUnretained(self).toOpaque()
        let lookups = unsafe strdup("b")
        let domains = unsafe configuration.domains.map { unsafe strdup($0) }
        defer {
            unsafe free(lookups)
            unsafe domains.forEach { unsafe free($0) }
        }
        unsafe options.lookups = unsafe lookups
        var none = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
        let mask =
            ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_NDOTS | ARES_OPT_SOCK_STATE_CB
            | ARES_OPT_LOOKUPS
            | ARES_OPT_DOMAINS | ARES_OPT_SERVERS | ARES_OPT_SORTLIST | ARES_OPT_NOROTATE
        var made: ares_channel?
        var list = unsafe domains
        let code = unsafe list.withUnsafeMutableBufferPointer { list in
            unsafe withUnsafeMutablePointer(to: &none) { server in
                unsafe options.domains = list.baseAddress
                unsafe options.ndomains = Int32(list.count)
                // Replaced below; without any server here c-ares would read resolv.conf.
                unsafe options.servers = unsafe server
                unsafe options.nservers = 1
                return unsafe ares_init_options(&made, &options, mask)
            }
        }
        guard respite_ares_succeeded(code) != 0, let channel = unsafe made else { return nil }
        let text = servers.map(\.description).joined(separator: ",")
        unsafe ares_set_socket_functions(channel, Self.socketCalls, unsafe Unmanaged.passUnretained(self).toOpaque())
        guard respite_ares_succeeded(unsafe ares_set_servers_ports_csv(channel, text)) != 0 else {
            unsafe ares_destroy(channel)
            return nil
        }
        return unsafe channel
    }

    private static func query(_ context: UnsafeMutableRawPointer?) -> DNSQuery? {
        unsafe context.map { unsafe Unmanaged<DNSQuery>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Called by c-ares with an answer, or when it gives up.
    private static let didAnswer: ares_addrinfo_callback = { context, status, _, found in
        defer { unsafe ares_freeaddrinfo(found) }
        guard let query = unsafe DNSQuery.query(context), query.outcome == nil else { return }
        query.outcome = unsafe DNSQuery.read(status, found)
    }

    private static func read(
        _ status: Int32,
        _ found: UnsafeMutablePointer<ares_addrinfo>?
    ) -> Result<Records, NameError> {
        guard respite_ares_succeeded(status) != 0 else { return .failure(NameError(cares: status)) }
        var records = Records(addresses: [], timeToLive: .seconds(Int64(Int32.max)))
        var node = unsafe found?.pointee.nodes
        while let entry = unsafe node {
            if let address = unsafe SocketAddress(entry.pointee.ai_addr)?.ipAddress,
                !records.addresses.contains(address)
            {
                records.addresses.append(address)
            }
            records.timeToLive = unsafe min(records.timeToLive, .seconds(Int64(entry.pointee.ai_ttl)))
            unsafe node = entry.pointee.ai_next
        }
        var alias = unsafe found?.pointee.cnames
        while let entry = unsafe alias {
            records.timeToLive = unsafe min(records.timeToLive, .seconds(Int64(entry.pointee.ttl)))
            unsafe alias = entry.pointee.next
        }
        return records.addresses.isEmpty ? .failure(.notFound) : .success(records)
    }

    // MARK: Its sockets

    private static let socketDidChange: ares_sock_state_cb = { context, descriptor, reads, writes in
        guard let query = unsafe DNSQuery.query(context) else { return }
        query.watch(descriptor, reads: reads != 0, writes: writes != 0)
    }

    private func watch(_ descriptor: Int32, reads: Bool, writes: Bool) {
        let socket: DNSSocket
        if let known = sockets[descriptor] {
            socket = known
        } else {
            // c-ares also reports sockets that it closes.
            guard reads || writes else { return }
            socket = DNSSocket(loop: loop, descriptor: descriptor, query: self)
            sockets[descriptor] = socket
            socket.register()
        }
        socket.watchReads(reads)
        socket.watchWrites(writes)
    }

    fileprivate func close(_ descriptor: Int32) {
        traffic.forget(descriptor)
        if let socket = sockets.removeValue(forKey: descriptor) {
            socket.release(closing: true)
        } else {
            SocketCalls.close(descriptor)
        }
    }

    /// The loop ends; called for this look-up or for one of its sockets.
    override func loopWillEnd() { finish(.failure(.failed)) }

    private func connect(_ descriptor: Int32, to address: SocketAddress) -> Int32 {
        // c-ares does not know interfaces; our address has the scope that a link-local address needs.
        let server = configuration.servers.first { $0.ipAddress == address.ipAddress && $0.port == address.port }
        if let server { traffic.didConnect(descriptor, to: server) }
        return unsafe (server ?? address).withSockaddr { unsafe LibC.connect(descriptor, $0, $1) } ?? -1
    }

    /// Initialized once, here.
    nonisolated(unsafe) private static let socketCalls: UnsafePointer<ares_socket_functions> = {
        let calls = UnsafeMutablePointer<ares_socket_functions>.allocate(capacity: 1)
        unsafe calls.initialize(
            to: ares_socket_functions(
                asocket: { family, type, kind, context in
                    let descriptor = socket(family, type | Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), kind)
                    if type == Int32(SOCK_DGRAM.rawValue), let query = unsafe DNSQuery.query(context) {
                        query.traffic.didOpenDatagramSocket(descriptor)
                    }
                    return descriptor
                },
                aclose: { descriptor, context in
                    if let query = unsafe DNSQuery.query(context) { query.close(descriptor) }
                    return 0
                },
                aconnect: { descriptor, address, _, context in
                    guard let query = unsafe DNSQuery.query(context), let address = unsafe SocketAddress(address) else {
                        return -1
                    }
                    return query.connect(descriptor, to: address)
                },
                arecvfrom: { descriptor, buffer, count, flags, peer, peerCount, context in
                    let received = unsafe recvfrom(descriptor, buffer, count, flags, peer, peerCount)
                    guard let query = unsafe DNSQuery.query(context) else { return received }
                    if received == 0, query.traffic.isDatagram(descriptor) {
                        // An empty datagram does not mean the end.
                        errno = EAGAIN
                        return -1
                    }
                    if received >= 2, let buffer = unsafe buffer {
                        let id = unsafe buffer.loadUnaligned(as: UInt16.self)
                        query.traffic.didReceive(id, by: descriptor)
                    }
                    return received
                },
                asendv: { descriptor, vectors, count, context in
                    let sent = unsafe writev(descriptor, vectors, count)
                    if sent > 0, let query = unsafe DNSQuery.query(context),
                        let first = unsafe vectors?.pointee.iov_base
                    {
                        query.traffic.didSend(unsafe first.loadUnaligned(as: UInt16.self), by: descriptor)
                    }
                    return sent
                }
            )
        )
        return unsafe UnsafePointer(calls)
    }()
}

/// A socket of a look-up; c-ares opens and closes it.
private final class DNSSocket: IOSource {
    private let query: DNSQuery

    init(loop: EventLoop, descriptor: Int32, query: DNSQuery) {
        self.query = query
        super.init(loop: loop, descriptor: descriptor)
    }

    override func descriptorIsReadable() { query.process(reads: descriptor) }
    override func descriptorIsWritable() { query.process(writes: descriptor) }

    override func loopWillEnd() {
        query.loopWillEnd()
        release(closing: true)
    }
}

extension NameError {
    /// Converts a status of c-ares.
    fileprivate init(cares status: Int32) {
        if respite_ares_found_nothing(status) != 0 {
            self = .notFound
        } else {
            self = respite_ares_timed_out(status) != 0 ? .timeout : .failed
        }
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
