import HTTPCore
import HTTPServer

/// One listener: server-sent events for as long as its client stays.
final class EventStream: ServerExchangeDelegate {
    private let exchange: ServerExchange
    private unowned let hub: EventHub
    private let filter: ResourceFilter
    /// The number of the event to be sent next.
    private var next: Int
    /// Whether the client's last event is unknown, so that it may have missed events.
    private var isLost = false
    private var isPumping = false
    /// Whether the session that the stream belongs to has ended; nil: it belongs to none.
    let hasEnded: (() -> Bool)?

    init(_ exchange: ServerExchange, hub: EventHub, filter: ResourceFilter, next: Int, hasEnded: (() -> Bool)?) {
        self.exchange = exchange
        self.hub = hub
        self.filter = filter
        self.next = next
        self.hasEnded = hasEnded
    }

    static var fields: Fields { ServerExchange.adminFields(contentType: "text/event-stream") }

    /// Continues after the event with this number; nil: the client's last event is no longer known.
    func resume(behind number: Int?) {
        if let number { next = number + 1 } else { isLost = true }
    }

    /// - Parameter beginning: the bytes to send first.
    func begin(_ beginning: [UInt8]) {
        exchange.delegate = self
        exchange.start(200, fields: Self.fields, content: .unknown)
        exchange.write(ByteChunk(": respite\nretry: 1000\n\n"))
        if !beginning.isEmpty { exchange.write(ByteChunk(beginning)) }
        if isLost { exchange.write(ByteChunk("event: gap\ndata: {}\n\n")) }
        pump()
    }

    /// Sends as many pending events as the client has room for.
    func pump() {
        guard !isPumping else { return }
        isPumping = true
        defer { isPumping = false }
        if next < hub.start {
            guard exchange.mayWrite else { return }
            exchange.write(ByteChunk("event: gap\ndata: {\"missed\":\(hub.start - next)}\n\n"))
            next = hub.start
        }
        while exchange.mayWrite, let entry = hub[next] {
            next += 1
            if filter.matches(entry.uri) { exchange.write(ByteChunk(entry.bytes)) }
        }
    }

    /// Sends the last event and ends the stream (S-213).
    func end() {
        pump()
        close()
    }

    /// Ends the stream without the events that are pending.
    func close() {
        exchange.write(ByteChunk("event: end\ndata: {}\n\n"))
        exchange.finish()
    }

    /// Sends a comment to a client without events, to keep the connection alive.
    func beat() {
        if exchange.mayWrite { exchange.write(ByteChunk(":\n\n")) }
    }

    func exchangeDidDrain(_ exchange: ServerExchange) { pump() }

    func exchangeDidLoseClient(_ exchange: ServerExchange) { hub.forget(self) }
}
