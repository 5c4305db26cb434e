import Eventing
import HTTPCore
import HTTPServer
import Observability
import Settings

/// What a POST asks to change: one resource by its URI, or those a filter fits.
struct ChangeTarget: Sendable {
    enum Selection: Sendable {
        case uri(TargetURI)
        case matching(ResourceFilter)
    }

    let selection: Selection

    /// Reads `{"uri": "http://…"}` or `{"filter": "http://host/**"}` (H-146).
    init(json octets: [UInt8], limit: Int, depth: Int = 64) throws(AdminRefusal) {
        do throws(JSONError) {
            let root = JSONCursor(try JSONReader.parse(octets, sizeLimit: limit, depthLimit: depth))
            try root.requireObject(members: ["uri", "filter"])
            switch (root.member("uri"), root.member("filter")) {
            case (let uri?, nil): selection = .uri(try Self.uri(uri))
            case (nil, let filter?): selection = .matching(try Self.filter(filter))
            case (nil, nil): throw root.error("needs \"uri\" or \"filter\"")
            case (_, let filter?): throw filter.error("stands beside \"uri\"; give one of them")
            }
        } catch {
            throw AdminRefusal(400, "the content is wrong at \(error)", path: error.path)
        }
    }

    private static func uri(_ cursor: JSONCursor) throws(JSONError) -> TargetURI {
        do {
            return try TargetURI(parsing: try cursor.text())
        } catch let error as JSONError {
            throw error
        } catch {
            throw cursor.error("must be an absolute http or https URL")
        }
    }

    private static func filter(_ cursor: JSONCursor) throws(JSONError) -> ResourceFilter {
        let text = try cursor.text()
        do throws(AdminRefusal) {
            let filter = try ResourceFilter(text)
            guard !filter.isEmpty else { throw AdminRefusal(400, "must not be empty; ** is everything") }
            guard filter.isAboutURIs else { throw AdminRefusal(400, "must be about URLs only here") }
            return filter
        } catch {
            throw cursor.error(error.detail)
        }
    }
}

/// Reads the content of a POST and has done what it asks for.
final class ChangeRequest: ServerExchangeDelegate {
    private let depth: Int
    typealias Work = (ChangeTarget, LoopBound<ServerExchange>) throws(AdminRefusal) -> Void

    private let work: Work
    private var content: ReceivedContent

    private init(_ content: ReceivedContent, depth: Int, work: @escaping Work) {
        self.content = content
        self.depth = depth
        self.work = work
    }

    /// Makes a change, and answers once it is durable.
    static func receive(
        _ exchange: ServerExchange,
        limit: Int,
        depth: Int,
        make: @escaping (ChangeTarget) -> Change
    ) throws(AdminRefusal) {
        try receive(exchange, limit: limit, depth: depth) { target, bound throws(AdminRefusal) in
            let change = make(target)
            change.run { count in
                bound.submit { exchange in
                    exchange.reply { $0.member(change.countName, count) }
                }
            }
        }
    }

    static func receive(
        _ exchange: ServerExchange,
        limit: Int,
        depth: Int,
        work: @escaping Work
    ) throws(AdminRefusal) {
        try requireJSON(exchange)
        let content = try ReceivedContent(of: exchange, limit: limit)
        let request = ChangeRequest(content, depth: depth, work: work)
        exchange.delegate = request
        exchange.requestContent(limit + 1)
    }

    static func requireJSON(_ exchange: ServerExchange) throws(AdminRefusal) {
        let type = exchange.head.fields.value(of: .contentType).flatMap { MediaType($0) }
        guard type?.essence == Array("application/json".utf8), exchange.head.fields.count(of: .contentType) == 1 else {
            throw AdminRefusal(415, "the content must be application/json")
        }
    }

    func exchange(_ exchange: ServerExchange, didReceive chunk: ByteChunk) {
        if let refusal = content.append(chunk) { exchange.reply(refusal) }
    }

    func exchangeDidReceiveEnd(_ exchange: ServerExchange, trailers: Fields?) {
        guard exchange.status == nil else { return }
        do throws(AdminRefusal) {
            let target = try ChangeTarget(json: content.octets, limit: content.limit, depth: depth)
            try work(target, LoopBound(exchange, loop: exchange.loop))
        } catch {
            exchange.reply(error)
        }
    }
}
