import Formats
import Observability

/// A page of recent requests.
struct RequestPage {
    private var documents: [RequestDocument] = []
    /// Where older requests go on; nil if there are none that match.
    private var next: RequestID?
    private let capacity: Int

    init(
        _ recent: RecentRecords,
        _ filter: RequestFilter,
        limit: Int,
        before: RequestID,
        masking secrets: SecretParameters
    ) {
        capacity = recent.capacity
        for record in recent.records.reversed() where record.id < before {
            let document = RequestDocument(record, masking: secrets)
            guard filter.matches(document) else { continue }
            if documents.count == limit {
                next = documents.last?.record.id
                return
            }
            documents.append(document)
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.memberArray("requests") { writer in
            for document in documents { writer.object { document.write(to: &$0) } }
        }
        writer.member("kept", capacity)
        if let next { writer.member("next", next.text) }
    }
}
