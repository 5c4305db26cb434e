import HTTPCore
import HTTPServer

/// The content of an administrator's request, taken whole, up to a limit.
struct ReceivedContent {
    let limit: Int
    private(set) var octets: [UInt8] = []

    /// - Parameter limit: octets.
    /// - Throws: 413 if the request announces more.
    init(of exchange: ServerExchange, limit: Int) throws(AdminRefusal) {
        self.limit = limit
        if case .length(let count) = exchange.head.framing, count > Int64(limit) { throw tooLarge }
    }

    /// Takes `chunk`, or tells that it is one too many.
    mutating func append(_ chunk: ByteChunk) -> AdminRefusal? {
        guard octets.count + chunk.count <= limit else { return tooLarge }
        octets += chunk.octets
        return nil
    }

    private var tooLarge: AdminRefusal { AdminRefusal(413, "the content has more than \(limit) octets") }
}
