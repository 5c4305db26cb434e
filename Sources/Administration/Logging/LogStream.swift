import Eventing
import HTTPCore
import HTTPServer
import Observability

/// One listener: lines of the log as server-sent events, for as long as its client stays.
///
/// It looks at the log's latest lines at intervals. They are its queue, so one that never reads costs nothing more.
final class LogStream: ServerExchangeDelegate {
    private let exchange: ServerExchange
    private let lines: RecentLines
    /// The least important level that is sent.
    private let level: LogLevel
    /// The number of the last line that was sent or passed over.
    private var position: Int64
    private let interval: Duration
    private let heartbeat: Duration
    private var lastWrite: MonotonicTime
    private var timer: LoopTimer?
    /// Whether the session that the stream belongs to has ended; nil: it belongs to none.
    private let hasEnded: (() -> Bool)?
    private let whenDone: (LogStream) -> Void

    /// - Parameter position: the last line that the client has; nil: it begins with the next one.
    init(
        _ exchange: ServerExchange,
        _ lines: RecentLines,
        level: LogLevel,
        behind position: Int64?,
        options: AdminOptions,
        hasEnded: (() -> Bool)?,
        whenDone: @escaping (LogStream) -> Void
    ) {
        self.exchange = exchange
        self.lines = lines
        self.level = level
        self.position = position ?? lines.latest
        self.hasEnded = hasEnded
        self.whenDone = whenDone
        interval = options.progressInterval
        heartbeat = options.heartbeat
        lastWrite = exchange.loop.now
    }

    static var fields: Fields { ServerExchange.adminFields(contentType: "text/event-stream") }

    func begin() {
        exchange.delegate = self
        exchange.start(200, fields: Self.fields, content: .unknown)
        exchange.write(ByteChunk(": respite\nretry: 1000\n\n"))
        timer = exchange.loop.schedule(after: interval) { [weak self] in self?.look() }
        send()
    }

    private func look() {
        if hasEnded?() == true { return end() }
        send()
        if exchange.loop.now - lastWrite >= heartbeat, exchange.mayWrite { write(Array(":\n\n".utf8)) }
        timer?.rearm(after: interval)
    }

    /// Sends new lines, as far as the client has room; the rest stays where it is.
    private func send() {
        guard exchange.mayWrite, lines.latest != position else { return }
        let (found, hasGap) = lines.lines(behind: position)
        if hasGap { write(Array("event: gap\ndata: {}\n\n".utf8)) }
        // A position beyond the latest line is of a daemon whose clock was ahead.
        if found.isEmpty { position = lines.latest }
        for line in found {
            guard exchange.mayWrite else { return }
            position = line.number
            if line.level <= level { write(LogLineDocument(line).event) }
        }
    }

    private func write(_ bytes: [UInt8]) {
        exchange.write(ByteChunk(bytes))
        lastWrite = exchange.loop.now
    }

    /// Sends the last event and ends the stream (S-213).
    func end() {
        write(Array("event: end\ndata: {}\n\n".utf8))
        exchange.finish()
        forget()
    }

    func exchangeDidLoseClient(_ exchange: ServerExchange) { forget() }

    private func forget() {
        timer?.cancel()
        timer = nil
        whenDone(self)
    }
}
