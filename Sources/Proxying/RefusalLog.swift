import Eventing
import HTTPCore
import HTTPServer
import Locking
public import Observability

/// Tells an operator in the log what is refused by a setting, and which one.
///
/// Each kind of refusal gets a line at once and then one a minute, with the count of those in between: a peer fills no log.
public final class RefusalLog: Sendable {
    private struct Record {
        var next: MonotonicTime
        var more = 0
    }

    private static let interval = Duration.seconds(60)
    /// Kinds remembered; beyond that nothing is told until the minute is over.
    private static let limit = 64

    private let log: Logger
    private let records = Lock<[String: Record]>([:])

    public init(_ log: Logger) { self.log = log }

    /// - Parameters:
    ///   - kind: bounded in number, whatever peers send.
    ///   - detail: what the client is told.
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

    /// How many of a kind were left out since the last line; nil if this one is, too.
    func turn(_ kind: String, at now: MonotonicTime) -> Int? {
        records.withLock { records in
            if let known = records[kind], now < known.next {
                records[kind]?.more += 1
                return nil
            }
            if records.count >= Self.limit { records = records.filter { now < $0.value.next } }
            guard records[kind] != nil || records.count < Self.limit else { return nil }
            let more = records[kind]?.more ?? 0
            records[kind] = Record(next: now + Self.interval)
            return more
        }
    }
}

extension Refusal {
    /// Whether a setting would allow what is refused: worth a line in the log.
    ///
    /// Else it is the request that is at fault.
    var concernsSettings: Bool { status == 403 || status == 405 || status == 421 }
    /// The refusal without what differs from request to request.
    var kind: String { "\(status) \(type.rawValue) \(detail.filter { !$0.isNumber }.prefix(48))" }
}
