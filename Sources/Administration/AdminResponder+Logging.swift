import Exchanges
import Formats
import HTTPCore
import HTTPServer
import Observability

extension AdminResponder {
    /// `GET /v1/log` and `PUT /v1/log`.
    func log(_ exchange: ServerExchange) throws(AdminRefusal) {
        let log = source.log
        guard exchange.head.method == .put else {
            return exchange.reply { LogDocument(log.enabled()).write(to: &$0) }
        }
        try ReceivedContent.takeJSON(of: exchange, options, read: LogDocument.init(json:)) { wanted, exchange in
            log.enable(wanted.enabled)
            exchange.reply { LogDocument(log.enabled()).write(to: &$0) }
        }
    }

    /// `GET /v1/log/lines?level=…`: the latest lines, the oldest first.
    func showLines(_ exchange: ServerExchange, _ request: AdminRequest) throws(AdminRefusal) {
        let level = try Self.level(request)
        let found = source.log.lines.lines(behind: 0).lines.filter { $0.level <= level }
        exchange.reply { writer in
            writer.memberArray("lines") { writer in
                for line in found { writer.object { LogLineDocument(line).write(to: &$0) } }
            }
            writer.member("kept", RecentLines.capacity)
        }
    }

    /// `GET /v1/log/stream?level=…`: lines as they are written, behind `Last-Event-ID`.
    ///
    /// A stream that a session has begun ends with it (H-163).
    func followLines(_ exchange: ServerExchange, _ request: AdminRequest) throws(AdminRefusal) {
        let level = try Self.level(request)
        guard exchange.head.method == .get else {
            exchange.start(200, fields: LogStream.fields, content: .unknown)
            return exchange.finish()
        }
        let stream = LogStream(
            exchange,
            source.log.lines,
            level: level,
            behind: Self.lastEventID(exchange.head).map { Int64($0) ?? 0 },
            options: options,
            hasEnded: endOfSession(exchange)
        ) { [weak self] stream in self?.logStreams[ObjectIdentifier(stream)] = nil }
        logStreams[ObjectIdentifier(stream)] = stream
        stream.begin()
    }

    private static func level(_ request: AdminRequest) throws(AdminRefusal) -> LogLevel {
        guard let text = request["level"] else { return .debug }
        guard let level = LogLevel(rawValue: text) else {
            let names = LogLevel.allCases.map(\.rawValue).joined(separator: ", ")
            throw AdminRefusal(400, "`level` must be one of \(names)")
        }
        return level
    }
}
