import HTTPCore
import Testing

@testable import Eventing

/// How name servers do, and which of them is asked first.
@Suite struct NameServerCountersTests {
    private static let servers = (1...3).map { SocketAddress.ip(.v4(0xC000_0200 + UInt32($0)), port: 53) }
    private static let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

    private static func make() -> NameServerCounters {
        let counters = NameServerCounters()
        counters.keep(servers)
        return counters
    }

    @Test("questions, answers and their typical time are counted for each server")
    func counts() {
        let counters = Self.make()
        counters.didAsk(Self.servers[1])
        counters.didAsk(Self.servers[1])
        counters.didAnswer(Self.servers[1], after: .milliseconds(80))
        #expect(counters.statistics[1].typicalTime == .milliseconds(80))
        counters.didAnswer(Self.servers[1], after: .milliseconds(160))
        counters.didNotAnswer(Self.servers[1], now: Self.start)
        counters.didAsk(.ip(.v4(1), port: 53))
        let (first, second) = (counters.statistics[0], counters.statistics[1])
        #expect(first.questions == 0 && first.answers == 0 && first.timeouts == 0 && first.typicalTime == nil)
        #expect(second.questions == 2 && second.answers == 2 && second.timeouts == 1)
        #expect(second.typicalTime == .milliseconds(90) && second.recent == (3, 1))
        #expect(counters.statistics.map(\.address) == Self.servers)
        counters.keep([Self.servers[1], Self.servers[0]])
        #expect(counters.statistics.map(\.answers) == [2, 0])
    }

    @Test("the last twenty questions count, and no more")
    func recent() {
        let counters = Self.make()
        let server = Self.servers[0]
        for _ in 0..<25 { counters.didNotAnswer(server, now: Self.start) }
        #expect(counters.statistics[0].recent == (20, 20) && counters.statistics[0].timeouts == 25)
        for _ in 0..<19 { counters.didAnswer(server, after: .zero) }
        #expect(counters.statistics[0].recent == (20, 1))
        counters.didAnswer(server, after: .zero)
        #expect(counters.statistics[0].recent == (20, 0))
    }

    @Test("a server that was silent three times in a row is asked last for half a minute, or until it answers")
    func silence() {
        let counters = Self.make()
        let late = [Self.servers[1], Self.servers[2], Self.servers[0]]
        func order(after delay: Duration) -> [SocketAddress] {
            counters.ordered(Self.servers, rotates: false, now: Self.start + delay)
        }
        for _ in 0..<2 { counters.didNotAnswer(Self.servers[0], now: Self.start) }
        #expect(order(after: .zero) == Self.servers)
        counters.didNotAnswer(Self.servers[0], now: Self.start)
        #expect(order(after: .zero) == late && order(after: .seconds(30) - .nanoseconds(1)) == late)
        #expect(order(after: .seconds(30)) == Self.servers)
        counters.didAnswer(Self.servers[0], after: .zero)
        #expect(order(after: .zero) == Self.servers)
        for _ in 0..<2 { counters.didNotAnswer(Self.servers[0], now: Self.start) }
        #expect(order(after: .zero) == Self.servers)
    }

    @Test("servers take turns where they are to")
    func rotation() {
        let counters = Self.make()
        let firsts = (0..<6).map { _ in counters.ordered(Self.servers, rotates: true, now: Self.start) }
        #expect(firsts.map { $0[0] } == [1, 2, 0, 1, 2, 0].map { Self.servers[$0] })
        #expect(firsts[0] == [Self.servers[1], Self.servers[2], Self.servers[0]])
        #expect(counters.ordered([Self.servers[0]], rotates: true, now: Self.start) == [Self.servers[0]])
        #expect(counters.ordered([], rotates: true, now: Self.start) == [])
    }

    @Test("a server is complained of that leaves a quarter of its questions unanswered, or is slow")
    func complaints() {
        func complaint(_ asked: Int, _ unanswered: Int, _ time: Duration? = nil) -> String? {
            var statistics = NameServerStatistics(address: Self.servers[0])
            statistics.recent = (asked, unanswered)
            statistics.typicalTime = time
            return statistics.complaint
        }
        #expect(complaint(12, 3) == "name server 192.0.2.1:53 did not answer 3 of the last 12 questions")
        #expect(complaint(13, 3) == nil && complaint(2, 2) == nil && complaint(20, 0) == nil)
        #expect(complaint(20, 0, .milliseconds(500)) == "name server 192.0.2.1:53 is slow: an answer takes 500 ms")
        #expect(complaint(20, 0, .milliseconds(499)) == nil)
        #expect(complaint(0, 0, .milliseconds(12_345))?.hasSuffix(" 12345 ms") == true)
    }

    @Test("what goes through datagram sockets is counted, each question once")
    func traffic() {
        let counters = Self.make()
        let traffic = DNSTraffic(counters)
        var configuration = ResolverConfiguration()
        configuration.servers = Self.servers
        #expect(traffic.order(configuration, now: Self.start) == Self.servers)
        traffic.didOpenDatagramSocket(5)
        #expect(traffic.isDatagram(5) && !traffic.isDatagram(6))
        traffic.didConnect(5, to: Self.servers[0])
        traffic.didConnect(6, to: Self.servers[1])
        traffic.didSend(1, by: 5)
        traffic.didSend(2, by: 6)
        traffic.now = Self.start + .milliseconds(40)
        traffic.didReceive(1, by: 6)
        traffic.didReceive(9, by: 5)
        #expect(counters.statistics.map(\.questions) == [1, 0, 0] && counters.statistics[0].answers == 0)
        traffic.didReceive(1, by: 5)
        traffic.didReceive(1, by: 5)
        #expect(counters.statistics[0].answers == 1 && counters.statistics[0].typicalTime == .milliseconds(40))
        traffic.didSend(3, by: 5)
        traffic.didSend(3, by: 5)
        #expect(counters.statistics[0].timeouts == 1 && counters.statistics[0].questions == 3)
        traffic.forget(5)
        traffic.didSend(4, by: 5)
        #expect(!traffic.isDatagram(5) && counters.statistics[0].questions == 3)
    }

    @Test("at the end a question that has waited for a second counts as unanswered")
    func ending() {
        for (wait, timeouts) in [(.milliseconds(999), 0), (.seconds(1), 1)] as [(Duration, Int)] {
            let counters = Self.make()
            let traffic = DNSTraffic(counters)
            traffic.now = Self.start
            traffic.didOpenDatagramSocket(5)
            traffic.didConnect(5, to: Self.servers[0])
            traffic.didSend(1, by: 5)
            traffic.end(now: Self.start + wait)
            traffic.end(now: Self.start + .seconds(60))
            #expect(counters.statistics[0].timeouts == timeouts)
        }
    }
}
