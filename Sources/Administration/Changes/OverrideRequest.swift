import Eventing
import HTTPCore
import HTTPServer
import Observability
import ResourceCore

/// Reads the content of a PUT, puts it in the place of a resource's data, and answers once the store has committed that.
final class OverrideRequest: ServerExchangeDelegate {
    /// What is to hold besides the content.
    struct Terms: Sendable {
        let uri: TargetURI
        let status: UInt16
        /// Nil: the configured expiration time.
        let lifetime: Duration?
        let isDurable: Bool

        /// Reads `status`, `ttl` (seconds) and `durable` of the query.
        init(_ uri: TargetURI, _ request: AdminRequest) throws(AdminRefusal) {
            self.uri = uri
            status = UInt16(try request.integer("status", in: 200...599) ?? 200)
            lifetime = try request.integer("ttl", in: 0...315_360_000).map { .seconds($0) }
            switch request["durable"] {
            case nil, "false": isDurable = false
            case "true": isDurable = true
            default: throw AdminRefusal(400, "`durable` must be true or false")
            }
        }

        static let parameters = ["status", "ttl", "durable"]
    }

    private let terms: Terms
    private let source: AdminSource
    /// Nil: as it is.
    private let type: [UInt8]?
    private var content: ReceivedContent

    private init(_ terms: Terms, _ source: AdminSource, type: [UInt8]?, _ content: ReceivedContent) {
        self.terms = terms
        self.source = source
        self.type = type
        self.content = content
    }

    static func receive(
        _ exchange: ServerExchange,
        _ terms: Terms,
        _ source: AdminSource,
        limit: Int
    ) throws(AdminRefusal) {
        let fields = exchange.head.fields
        guard fields.count(of: .contentType) <= 1 else { throw AdminRefusal(400, "Content-Type is there twice") }
        guard !fields.contains(.contentEncoding) else {
            throw AdminRefusal(415, "the content must be plain, without a content coding")
        }
        let content = try ReceivedContent(of: exchange, limit: limit)
        let request = OverrideRequest(terms, source, type: fields.value(of: .contentType), content)
        exchange.delegate = request
        exchange.requestContent(limit + 1)
    }

    func exchange(_ exchange: ServerExchange, didReceive chunk: ByteChunk) {
        if let refusal = content.append(chunk) { exchange.reply(refusal) }
    }

    func exchangeDidReceiveEnd(_ exchange: ServerExchange, trailers: Fields?) {
        guard exchange.status == nil else { return }
        let resource = source.service.resource(for: terms.uri)
        var fields = Fields()
        fields.append(.contentType, type ?? resource.contentType ?? Array("application/octet-stream".utf8))
        let bound = LoopBound(exchange, loop: exchange.loop)
        let (uri, count) = (resource.uri, content.octets.count)
        resource.override(
            content: content.octets,
            fields: fields,
            status: terms.status,
            lifetime: terms.lifetime,
            isDurable: terms.isDurable
        ) { isDurable in
            bound.submit { exchange in
                exchange.reply { writer in
                    writer.member("uri", octets: uri.octets)
                    writer.member("size", count)
                    writer.member("durable", isDurable)
                }
            }
        }
    }
}

extension Resource {
    /// Of what is held.
    fileprivate var contentType: [UInt8]? {
        let snapshot = snapshot
        return (snapshot.latestResponse ?? snapshot.variants.last)?.fields.value(of: .contentType)
    }
}
