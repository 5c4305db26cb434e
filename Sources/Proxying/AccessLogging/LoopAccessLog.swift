import Eventing
import HTTPCaching
import HTTPCore
import HTTPServer
import Observability
import ResourceCore

/// Logs the requests of one loop.
///
/// Bound to its loop.
final class LoopAccessLog {
    private let log: AccessLog
    private var formatter: AccessLogFormatter
    /// The line in progress; reused.
    private var line: [UInt8] = []
    private var random = RandomDistance(seed: .random(in: 1...UInt32.max))
    /// Requests left until the next one that is logged.
    private var distance: Int
    /// Nanoseconds from the monotonic clock to the wall clock, as of `offsetTime`.
    private var wallOffset: Int64 = 0
    private var offsetTime = Int64.min

    init(_ log: AccessLog) {
        self.log = log
        formatter = AccessLogFormatter(format: log.format, secrets: log.secrets)
        distance = random.next(mean: log.sample)
    }

    /// Logs a hit that was answered without an exchange.
    ///
    /// - Parameters:
    ///   - receivedAt: the time of the loop's turn.
    ///   - service: the name of the service whose path or host was used.
    func writeHit(
        _ stored: StoredResponse,
        status: UInt16,
        contentBytes: Int,
        head: RequestHead,
        within origin: ConnectionOrigin?,
        client: LoggedClient,
        since receivedAt: MonotonicTime,
        service: String?
    ) {
        guard isLogged() else { return }
        let now = MonotonicTime.now.nanoseconds
        let entry = AccessLogEntry(
            milliseconds: wallMilliseconds(at: receivedAt, now: now),
            client: client.address,
            version: head.version,
            status: Int(status),
            contentBytes: Int64(contentBytes),
            duration: now - receivedAt.nanoseconds,
            outcome: RequestOutcome.hit.text,
            isComplete: true
        )
        let rule = stored.metadata.applied?.lifetime?.rule
        let hasNotes = rule != nil || service != nil || client.user != nil
        let notes = hasNotes ? AccessLogNotes(rule: rule, service: service, user: client.user) : nil
        write(entry, head, origin, notes)
    }

    /// Logs an exchange that has ended.
    func write(_ exchange: ServerExchange, _ notes: AccessLogNotes?, isComplete: Bool) {
        guard isLogged() else { return }
        var notes = notes
        if let user = exchange.login?.user {
            notes = notes ?? AccessLogNotes()
            notes?.user = user
        }
        let now = MonotonicTime.now.nanoseconds
        let entry = AccessLogEntry(
            milliseconds: wallMilliseconds(at: exchange.receivedAt, now: now),
            client: exchange.peer.ipAddress,
            version: exchange.head.version,
            status: Int(exchange.status ?? 0),
            contentBytes: exchange.contentBytes,
            duration: now - exchange.receivedAt.nanoseconds,
            outcome: exchange.outcome.text,
            isComplete: isComplete
        )
        write(entry, exchange.head, exchange.origin, notes)
    }

    private func write(
        _ entry: AccessLogEntry,
        _ head: RequestHead,
        _ origin: ConnectionOrigin?,
        _ notes: AccessLogNotes?
    ) {
        line.removeAll(keepingCapacity: true)
        let prefix = head.form == .origin ? (origin?.named(in: head) ?? origin)?.prefix ?? [] : []
        formatter.append(entry, of: head, behind: prefix, notes, to: &line)
        log.output(line)
    }

    /// Milliseconds since 1970 UTC at a time of the monotonic clock.
    ///
    /// The wall clock is read once a second: a read takes some 50 ns.
    private func wallMilliseconds(at time: MonotonicTime, now: Int64) -> Int64 {
        if now &- 1_000_000_000 >= offsetTime {
            wallOffset = Logger.wallMilliseconds * 1_000_000 - now
            offsetTime = now
        }
        return (time.nanoseconds + wallOffset) / 1_000_000
    }

    // MARK: Sampling

    private func isLogged() -> Bool {
        distance -= 1
        guard distance <= 0 else { return false }
        distance = random.next(mean: log.sample)
        return true
    }
}
