import HTTPCore
import Locking

/// How one name server has answered.
public struct NameServerStatistics: Sendable {
    public var address: SocketAddress
    public var questions = 0
    public var answers = 0
    /// Questions that got no answer in time.
    public var timeouts = 0
    /// A smoothed time to an answer; nil before the first.
    public var typicalTime: Duration?
    /// Of the last questions, at most 20: how many were asked, and how many got no answer.
    public var recent = (asked: 0, unanswered: 0)

    /// A sentence for people if the server is slow or silent; otherwise nil.
    public var complaint: String? {
        if recent.unanswered >= 3, recent.unanswered * 4 >= recent.asked {
            return "name server \(address) did not answer \(recent.unanswered) of the last \(recent.asked) questions"
        }
        guard let typicalTime, typicalTime >= .milliseconds(500) else { return nil }
        let components = typicalTime.components
        let milliseconds = components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
        return "name server \(address) is slow: an answer takes \(milliseconds) ms"
    }
}

/// How the name servers answer; shared by all loops.
final class NameServerCounters: Sendable {
    private struct Record {
        var statistics: NameServerStatistics
        /// One bit for each of the last questions, the newest lowest: set if it got no answer.
        var history: UInt32 = 0
        var silentSince: MonotonicTime?

        mutating func note(isAnswered: Bool) {
            history = (history << 1 | (isAnswered ? 0 : 1)) & 0xF_FFFF
            statistics.recent.asked = min(statistics.recent.asked + 1, 20)
            statistics.recent.unanswered = history.nonzeroBitCount
        }
    }

    private struct State {
        var records: [Record] = []
        var turns = 0
    }

    /// After this many questions in a row without an answer, other servers are asked first.
    private static let silence: UInt32 = 0b111
    /// For how long other servers are asked first.
    private static let penalty = Duration.seconds(30)

    private let state = Lock(State())

    var statistics: [NameServerStatistics] { state.withLock { $0.records.map(\.statistics) } }

    /// Drops the counters of all servers but these.
    func keep(_ servers: [SocketAddress]) {
        state.withLock { state in
            state.records = servers.map { server in
                state.records.first { $0.statistics.address == server }
                    ?? Record(statistics: NameServerStatistics(address: server))
            }
        }
    }

    /// The servers in the order to ask them; recently silent ones come last.
    func ordered(_ servers: [SocketAddress], rotates: Bool, now: MonotonicTime) -> [SocketAddress] {
        guard servers.count > 1 else { return servers }
        return state.withLock { state in
            state.turns &+= 1
            let first = rotates ? Int(state.turns.magnitude % UInt(servers.count)) : 0
            let turned = servers[first...] + servers[..<first]
            let silent = state.records.filter { record in
                record.silentSince.map { now < $0 + Self.penalty } ?? false
            }.map(\.statistics.address)
            return turned.filter { !silent.contains($0) } + turned.filter { silent.contains($0) }
        }
    }

    func didAsk(_ server: SocketAddress) { change(server) { $0.statistics.questions += 1 } }

    func didAnswer(_ server: SocketAddress, after time: Duration) {
        change(server) { record in
            record.statistics.answers += 1
            record.note(isAnswered: true)
            record.silentSince = nil
            record.statistics.typicalTime = record.statistics.typicalTime.map { $0 + (time - $0) / 8 } ?? time
        }
    }

    func didNotAnswer(_ server: SocketAddress, now: MonotonicTime) {
        change(server) { record in
            record.statistics.timeouts += 1
            record.note(isAnswered: false)
            if record.history & Self.silence == Self.silence { record.silentSince = now }
        }
    }

    private func change(_ server: SocketAddress, _ body: (inout Record) -> Void) {
        state.withLock { state in
            guard let index = state.records.firstIndex(where: { $0.statistics.address == server }) else { return }
            body(&state.records[index])
        }
    }
}
