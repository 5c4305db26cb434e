import Eventing
import HTTPCore
import HTTPServer
public import Observability

/// Writes one line per request, if the settings ask for it.
public struct AccessLog: Sendable {
    private let log: Logger
    private let format: LogFormat
    private let secrets: SecretParameters

    /// - Parameter secrets: query parameters whose values are omitted (H-158).
    public init(log: Logger, format: LogFormat, secrets: SecretParameters) {
        self.log = log
        self.format = format
        self.secrets = secrets
    }

    /// Writes the line of an exchange that has ended.
    func write(_ exchange: ServerExchange, isComplete: Bool) {
        let duration = exchange.loop.now - exchange.arrivalTime
        let entry = AccessLogEntry(
            milliseconds: Logger.wallMilliseconds - duration.wholeNanoseconds / 1_000_000,
            client: exchange.peer.ipAddress?.description ?? "unix",
            method: exchange.head.method.bytes,
            target: secrets.redacted(Self.target(of: exchange)),
            status: Int(exchange.status ?? 0),
            contentBytes: Int(clamping: exchange.contentBytes),
            duration: duration,
            cache: exchange.outcome.text.description,
            isComplete: isComplete
        )
        log.write(line: entry.line(format: format))
    }

    /// The request target as sent; inside a CONNECT the whole URI.
    private static func target(of exchange: ServerExchange) -> [UInt8] {
        guard let origin = exchange.origin, exchange.head.form == .origin else { return exchange.head.target }
        return origin.prefix + exchange.head.target
    }
}
