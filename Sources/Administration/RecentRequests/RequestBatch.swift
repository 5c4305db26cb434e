import Formats
import Observability

/// The requests of one time as events, selected for each stream; made on a worker.
struct RequestBatch: Sendable {
    /// What a stream is to get.
    struct Wish: Sendable {
        /// The last request that it got or passed over.
        var position: RequestID
        /// How many earlier requests that match it begins with; nil: it has begun.
        var earlier: Int?
        var filter: RequestFilter
    }

    struct Event: Sendable {
        var id: RequestID
        /// A block of lines.
        var text: [UInt8]
    }

    /// What a stream gets.
    struct Selection: Sendable {
        var events: [Event] = []
        /// Whether requests are missing before the events.
        var hasGap = false
    }

    /// By the numbers of the streams.
    private(set) var selections: [Int: Selection] = [:]
    /// Later requests have larger identifiers.
    let horizon: RequestID

    init(_ recent: RecentRecords, for wishes: [Int: Wish], masking secrets: SecretParameters) {
        horizon = recent.horizon
        // A loop may still get requests with identifiers between those of the others.
        let documents = recent.records.prefix { $0.id <= recent.horizon }.map {
            RequestDocument($0, masking: secrets)
        }
        // Streams that show the same request share its text.
        var texts = [[UInt8]?](repeating: nil, count: documents.count)
        for (number, wish) in wishes {
            var selection = Selection()
            for index in Self.indices(wish, recent, documents, &selection.hasGap) {
                let text = texts[index] ?? Self.text(documents[index])
                texts[index] = text
                selection.events.append(Event(id: documents[index].record.id, text: text))
            }
            selections[number] = selection
        }
    }

    /// The positions of the documents that a stream gets.
    private static func indices(
        _ wish: Wish,
        _ recent: RecentRecords,
        _ documents: [RequestDocument],
        _ hasGap: inout Bool
    ) -> ArraySlice<Int> {
        if let count = wish.earlier {
            var found: [Int] = []
            for index in documents.indices.reversed() {
                guard found.count < count else { break }
                if wish.filter.matches(documents[index]) { found.append(index) }
            }
            return found.reversed()[...]
        }
        // Beyond the horizon is an identifier of an earlier daemon only.
        hasGap = wish.position > recent.horizon || recent.lastDropped > wish.position
        return documents.indices.filter {
            documents[$0].record.id > wish.position && wish.filter.matches(documents[$0])
        }[...]
    }

    private static func text(_ document: RequestDocument) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { document.write(to: &$0) }
        return Array("id: \(document.record.id.text)\nevent: request\ndata: ".utf8) + writer.bytes + [0x0A, 0x0A]
    }
}
