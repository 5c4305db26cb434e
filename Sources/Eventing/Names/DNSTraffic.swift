import HTTPCore

/// Counts the datagrams of one look-up, to judge name servers by them; bound to its loop.
final class DNSTraffic {
    private struct Question {
        var server: SocketAddress
        var descriptor: Int32
        var asked: MonotonicTime
    }

    /// A question that was unanswered for less time than this does not count against its server.
    private static let patience = Duration.seconds(1)

    private let statistics: NameServerCounters
    private var datagramSockets: Set<Int32> = []
    /// The servers by the datagram sockets connected to them; TCP is used only after a datagram.
    private var servers: [Int32: SocketAddress] = [:]
    /// Unanswered questions, by their identifiers.
    private var open: [UInt16: Question] = [:]
    /// The time of the current call of c-ares; set before each.
    var now = MonotonicTime(nanoseconds: 0)

    init(_ statistics: NameServerCounters) { self.statistics = statistics }

    /// The servers in the order to ask them.
    func order(_ configuration: ResolverConfiguration, now: MonotonicTime) -> [SocketAddress] {
        self.now = now
        return statistics.ordered(configuration.servers, rotates: configuration.rotates, now: now)
    }

    func didSend(_ id: UInt16, by descriptor: Int32) {
        guard let server = servers[descriptor] else { return }
        // The question is repeated: the server asked before did not answer in time.
        if let former = open[id] { statistics.didNotAnswer(former.server, now: now) }
        open[id] = Question(server: server, descriptor: descriptor, asked: now)
        statistics.didAsk(server)
    }

    func didReceive(_ id: UInt16, by descriptor: Int32) {
        guard let question = open[id], question.descriptor == descriptor else { return }
        open[id] = nil
        statistics.didAnswer(question.server, after: now - question.asked)
    }

    func didOpenDatagramSocket(_ descriptor: Int32) { datagramSockets.insert(descriptor) }

    func isDatagram(_ descriptor: Int32) -> Bool { datagramSockets.contains(descriptor) }

    func didConnect(_ descriptor: Int32, to server: SocketAddress) {
        if isDatagram(descriptor) { servers[descriptor] = server }
    }

    func forget(_ descriptor: Int32) {
        servers[descriptor] = nil
        datagramSockets.remove(descriptor)
    }

    /// The look-up is over: the questions still open ran out of time or were cancelled.
    func end(now: MonotonicTime) {
        for question in open.values where now - question.asked >= Self.patience {
            statistics.didNotAnswer(question.server, now: now)
        }
        open = [:]
    }
}
