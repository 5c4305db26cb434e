import Eventing
import HTTPCore
import HTTPServer
import JSON
import Settings

/// Receives the whole content of a request, up to a limit, and then handles it.
final class ReceivedContent: ServerExchangeDelegate {
    /// Handles the content: it responds, or throws why it cannot.
    typealias Work = (_ bytes: [UInt8], _ exchange: ServerExchange) throws(AdminRefusal) -> Void

    private let limit: Int
    private let work: Work
    private var bytes: [UInt8] = []

    private init(limit: Int, work: @escaping Work) {
        self.limit = limit
        self.work = work
    }

    /// - Parameter limit: the most bytes of content.
    /// - Throws: 413 if the request announces more.
    static func take(
        of exchange: ServerExchange,
        limit: Int,
        work: @escaping Work
    ) throws(AdminRefusal) {
        let content = ReceivedContent(limit: limit, work: work)
        if case .length(let count) = exchange.head.framing, count > Int64(limit) { throw content.tooLarge }
        exchange.delegate = content
        exchange.requestContent(limit + 1)
    }

    /// Receives content that must be JSON, within the limits of `options`.
    ///
    /// - Parameters:
    ///   - limit: the most bytes; nil: those of `options`.
    ///   - read: decodes the content; an error becomes a 400 that locates the fault (H-146).
    /// - Throws: 415 if the content is not JSON.
    static func takeJSON<Value>(
        of exchange: ServerExchange,
        _ options: AdminOptions,
        limit: Int? = nil,
        read: @escaping (JSONCursor) throws(JSONError) -> Value,
        work: @escaping (Value, ServerExchange) throws(AdminRefusal) -> Void
    ) throws(AdminRefusal) {
        let fields = exchange.head.fields
        let type = fields.value(of: .contentType).flatMap { MediaType($0) }
        guard type?.essence == Array("application/json".utf8), fields.count(of: .contentType) == 1 else {
            throw AdminRefusal(415, "the content must be application/json")
        }
        let (limit, depth) = (limit ?? options.contentLimit, options.contentDepth)
        try take(of: exchange, limit: limit) { bytes, exchange throws(AdminRefusal) in
            let value: Value
            do throws(JSONError) {
                value = try read(JSONCursor(try JSONReader.parse(bytes, sizeLimit: limit, depthLimit: depth)))
            } catch {
                throw AdminRefusal(400, "the content is wrong at \(error)", path: error.path)
            }
            try work(value, exchange)
        }
    }

    private var tooLarge: AdminRefusal { AdminRefusal(413, "the content has more than \(limit) bytes") }

    func exchange(_ exchange: ServerExchange, didReceive chunk: ByteChunk) {
        guard bytes.count + chunk.count <= limit else { return exchange.reply(tooLarge) }
        bytes += chunk.bytes
    }

    func exchangeDidReceiveEnd(_ exchange: ServerExchange, trailers: Fields?) {
        guard exchange.status == nil else { return }
        do throws(AdminRefusal) {
            try work(bytes, exchange)
        } catch {
            exchange.reply(error)
        }
    }
}
