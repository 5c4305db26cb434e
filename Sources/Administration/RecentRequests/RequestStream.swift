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
    private let filter: RequestFilter
    private let secrets: SecretParameters
    /// Earlier requests that are still to be sent; nil once they have been.
    private var earlier: Int?
    /// Whether the client may have missed requests.
    private var isLost = false
    /// The last request that was sent or passed over.
    private(set) var position = RequestID.none
    private var lastWrite: MonotonicTime

    init(
        _ exchange: ServerExchange,
        hub: RequestHub,
        start: Start,
        filter: RequestFilter,
        secrets: SecretParameters
    ) {
        self.exchange = exchange
        self.hub = hub
        self.filter = filter
        self.secrets = secrets
        lastWrite = exchange.loop.now
        switch start {
        case .earlier(let count): earlier = count
        case .behind(let id?): position = id
        case .behind(nil):
            earlier = 0
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

    /// Sends the requests that are new for it, as far as the client has room; the rest is in the rings.
    func send(_ batch: RequestBatch) {
        // A batch that begins later was made before this stream began, or while it had no room.
        guard exchange.mayWrite, batch.start <= position else { return }
        if position > batch.horizon {
            // The identifier of an earlier daemon.
            isLost = true
            position = batch.horizon
        }
        if let count = earlier.take() {
            position = batch.position(before: count, filter, secrets)
        } else if batch.lastDropped > position {
            isLost = true
        }
        if isLost {
            isLost = false
            write(Array("event: gap\ndata: {}\n\n".utf8))
        }
        for entry in batch.entries(after: position) {
            guard exchange.mayWrite else { return }
            position = entry.id
            let document = entry.document(secrets)
            if filter.matches(document) { write(entry.event(document)) }
        }
        position = max(position, batch.horizon)
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
    func end() {
        exchange.write(ByteChunk("event: end\ndata: {}\n\n"))
        exchange.finish()
    }

    func exchangeDidLoseClient(_ exchange: ServerExchange) { hub.forget(self) }
}

/// The requests of one time, with the texts that several listeners get made once.
final class RequestBatch {
    /// One request.
    final class Entry {
        private let record: RequestRecord
        private var made: RequestDocument?
        private var text: [UInt8]?

        fileprivate init(_ record: RequestRecord) { self.record = record }

        var id: RequestID { record.id }

        /// All listeners mask the same parameters, except around a reload.
        func document(_ secrets: SecretParameters) -> RequestDocument {
            if let made { return made }
            let document = RequestDocument(record, masking: secrets)
            made = document
            return document
        }

        /// The event, a block of lines.
        func event(_ document: RequestDocument) -> [UInt8] {
            if let text { return text }
            var writer = JSONWriter()
            writer.object { document.write(to: &$0) }
            let event = Array("id: \(id.text)\nevent: request\ndata: ".utf8) + writer.bytes + [0x0A, 0x0A]
            text = event
            return event
        }
    }

    private let all: [Entry]
    let horizon: RequestID
    let lastDropped: RequestID
    /// It has the requests behind this one.
    let start: RequestID

    init(_ recent: RecentRecords, after start: RequestID) {
        self.start = start
        // A loop may still get requests with identifiers between those of the others.
        all = recent.records.filter { $0.id <= recent.horizon }.map { Entry($0) }
        horizon = recent.horizon
        lastDropped = recent.lastDropped
    }

    func entries(after id: RequestID) -> ArraySlice<Entry> {
        all[(all.firstIndex { $0.id > id } ?? all.endIndex)...]
    }

    /// The position behind which `count` matching requests follow, or all if there are fewer.
    func position(before count: Int, _ filter: RequestFilter, _ secrets: SecretParameters) -> RequestID {
        var left = count
        guard left > 0 else { return horizon }
        for (index, entry) in all.enumerated().reversed() where filter.matches(entry.document(secrets)) {
            left -= 1
            if left == 0 { return index > 0 ? all[index - 1].id : .none }
        }
        return .none
    }
}
