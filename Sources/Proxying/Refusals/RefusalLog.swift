import Eventing
import HTTPCore
import HTTPServer
import Locking
public import Observability

/// Logs refusals that a setting would lift, and names the setting.
///
/// Each kind of refusal gets a line at once, then one line a minute with a count. So no peer can fill the log.
public final class RefusalLog: Sendable {
    private struct Record {
        var next: MonotonicTime
        var more = 0
    }

    private static let interval = Duration.seconds(60)
    /// How many kinds are remembered; more are not logged until a minute is over.
    private static let limit = 64

    private let log: Logger
    private let records = Lock<[String: Record]>([:])

    public init(_ log: Logger) { self.log = log }

    /// - Parameters:
    ///   - kind: one of a bounded set, whatever peers send.
    ///   - detail: as in the response.
    func note(_ exchange: ServerExchange, _ status: UInt16, kind: String, _ detail: String) {
        guard let more = turn(kind, at: exchange.loop.now) else { return }
        log.warning(
            "refused",
            [
                "status": Int(status), "reason": detail, "client": exchange.peer.ipAddress?.description ?? "unix",
                "host": exchange.head.fields.text(of: .host).map { String($0.prefix(255)) } ?? "", "more": more,
            ]
        )
    }

    /// Logs that the SOCKS of a client is not understood, for an operator who looks for the reason.
    func note(_ fault: SOCKSFault, from client: SocketAddress, at now: MonotonicTime) {
        guard let more = turn("socks \(fault.rawValue)", at: now) else { return }
        log.debug(
            "SOCKS refused",
            ["reason": fault.userMessage, "client": client.ipAddress?.description ?? "unix", "more": more]
        )
    }

    /// How many lines of a kind were skipped since the last one; nil if this one is skipped, too.
    func turn(_ kind: String, at now: MonotonicTime) -> Int? {
        records.withLock { records in
            if let known = records[kind], now < known.next {
                records[kind]?.more += 1
                return nil
            }
            let more = records.removeValue(forKey: kind)?.more ?? 0
            if records.count >= Self.limit { records = records.filter { now < $0.value.next } }
            guard records.count < Self.limit else { return nil }
            records[kind] = Record(next: now + Self.interval)
            return more
        }
    }
}

extension Refusal {
    /// Whether a setting would allow the request; only then is the refusal worth a line in the log.
    var concernsSettings: Bool { !isByRule && (status == 403 || status == 405 || status == 421) }
    /// The refusal without the parts that vary between requests.
    var kind: String { "\(status) \(type.rawValue) \(detail.filter { !$0.isNumber }.prefix(48))" }
}
