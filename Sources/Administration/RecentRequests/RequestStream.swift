import Eventing
import Formats
import HTTPCore
import HTTPServer
import Observability

/// One listener: requests as server-sent events, for as long as its client stays.
final class RequestStream: ServerExchangeDelegate {
    /// Where a stream begins.
    enum Start {
        /// With so many earlier requests that match.
        case earlier(Int)
        /// Behind a request; nil: behind one that is unknown.
        case behind(RequestID?)
    }

    private let exchange: ServerExchange
    private unowned let hub: RequestHub
    private let number: Int
    /// What it is to get next.
    private(set) var wish: RequestBatch.Wish
    /// Whether the client may have missed requests.
    private var isLost = false
    private var lastWrite: MonotonicTime
    /// Whether the session that the stream belongs to has ended; nil: it belongs to none.
    let hasEnded: (() -> Bool)?

    /// - Parameter number: by which the hub knows it.
    init(
        _ exchange: ServerExchange,
        _ hub: RequestHub,
        _ number: Int,
        _ start: Start,
        _ filter: RequestFilter,
        hasEnded: (() -> Bool)?
    ) {
        self.exchange = exchange
        self.hub = hub
        self.number = number
        self.hasEnded = hasEnded
        lastWrite = exchange.loop.now
        wish = RequestBatch.Wish(position: .none, filter: filter)
        switch start {
        case .earlier(let count): wish.earlier = count
        case .behind(let id?): wish.position = id
        case .behind(nil):
            wish.earlier = 0
            isLost = true
        }
    }

    static var fields: Fields { ServerExchange.adminFields(contentType: "text/event-stream") }

    var hasRoom: Bool { exchange.mayWrite }

    func begin() {
        exchange.delegate = self
        exchange.start(200, fields: Self.fields, content: .unknown)
        exchange.write(ByteChunk(": respite\nretry: 1000\n\n"))
    }

    /// Sends what was selected for it, as far as the client has room; the rest is in the rings.
    func send(_ selection: RequestBatch.Selection, of batch: RequestBatch) {
        guard exchange.mayWrite else { return }
        if isLost || selection.hasGap { write(Array("event: gap\ndata: {}\n\n".utf8)) }
        isLost = false
        // If the room ends before the first event, the next batch begins there again.
        if wish.earlier != nil || selection.hasGap {
            wish.earlier = nil
            wish.position = selection.events.first.map { RequestID(number: $0.id.number - 1) } ?? batch.horizon
        }
        for event in selection.events {
            guard exchange.mayWrite else { return }
            wish.position = event.id
            write(event.text)
        }
        wish.position = max(wish.position, batch.horizon)
    }

    private func write(_ bytes: [UInt8]) {
        exchange.write(ByteChunk(bytes))
        lastWrite = exchange.loop.now
    }

    /// Sends a comment if nothing was sent for a while, to keep the connection alive.
    func beat(at now: MonotonicTime, every time: Duration) {
        if now - lastWrite >= time, exchange.mayWrite { write(Array(":\n\n".utf8)) }
    }

    /// Sends the last event and ends the stream (S-213).
    ///
    /// - Parameter reason: a sentence for the client; nil: the daemon stops.
    func end(because reason: String?) {
        var writer = JSONWriter()
        writer.object { if let reason { $0.member("detail", reason) } }
        exchange.write(ByteChunk(Array("event: end\ndata: ".utf8) + writer.bytes + [0x0A, 0x0A]))
        exchange.finish()
    }

    func exchangeDidLoseClient(_ exchange: ServerExchange) { hub.forget(number) }
}
