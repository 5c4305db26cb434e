import Eventing
import Formats
import HTTPCore
import HTTPServer
import Observability
import ResourceCore

/// Reads the content of a PUT, puts it in the place of a resource's data, and answers once the store has committed that.
///
/// The content of a PATCH takes the place of the former content alone: status and fields of what is held stay, but for
/// those that describe or validate that content (S-200). Where nothing is held, the type is `application/binary`.
enum OverrideRequest {
    /// What is to hold besides the content.
    struct Terms: Sendable {
        let uri: TargetURI
        let status: UInt16
        /// Status and fields are those of what is held.
        let keepsFields: Bool
        /// Nil: the configured expiration time.
        let lifetime: Duration?
        let isDurable: Bool

        /// Reads `status`, `ttl` (seconds) and `durable` of the query.
        init(_ uri: TargetURI, _ request: AdminRequest, keepsFields: Bool = false) throws(AdminRefusal) {
            self.uri = uri
            self.keepsFields = keepsFields
            status = UInt16(try request.integer("status", in: 200...599) ?? 200)
            lifetime = try request.integer("ttl", in: 0...315_360_000).map { .seconds($0) }
            switch request["durable"] {
            case nil, "false": isDurable = false
            case "true": isDurable = true
            default: throw AdminRefusal(400, "`durable` must be true or false")
            }
        }

        static func parameters(of method: Method) -> [String] {
            method == .patch ? ["ttl", "durable"] : ["status", "ttl", "durable"]
        }
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
        guard !terms.keepsFields || !fields.contains(.contentType) else {
            throw AdminRefusal(400, "the content keeps the type of what is held; give no Content-Type, or use PUT")
        }
        let type = fields.value(of: .contentType)
        try ReceivedContent.take(of: exchange, limit: limit) { bytes, exchange in
            put(Replacement(terms: terms, content: bytes, source: source), type: type, exchange)
        }
    }

    /// - Parameter type: nil: as it is.
    private static func put(_ replacement: Replacement, type: [UInt8]?, _ exchange: ServerExchange) {
        let (terms, source) = (replacement.terms, replacement.source)
        let bound = LoopBound(exchange, loop: exchange.loop)
        guard terms.keepsFields else {
            let held = source.service.resource(for: terms.uri).contentType
            var fields = Fields()
            fields.append(.contentType, type ?? held ?? Array("application/octet-stream".utf8))
            return replacement.run(terms.status, fields, bound)
        }
        GatheredResource.gather(terms.uri, source) { gathered in
            guard let held = gathered.variants.first(where: \.isShared) else {
                var fields = Fields()
                fields.append(.contentType, "application/binary")
                return replacement.run(200, fields, bound)
            }
            replacement.run(held.status, Resource.fieldsForOtherContent(held.fields), bound)
        }
    }
}

/// What takes the place of a resource's data; safe from any thread.
private struct Replacement: Sendable {
    let terms: OverrideRequest.Terms
    let content: [UInt8]
    let source: AdminSource

    /// Answers once it is done, and durable if that was asked for.
    func run(_ status: UInt16, _ fields: Fields, _ bound: LoopBound<ServerExchange>) {
        let resource = source.service.resource(for: terms.uri)
        let (uri, count) = (resource.uri, content.count)
        resource.override(
            content: content,
            fields: fields,
            status: status,
            lifetime: terms.lifetime,
            isDurable: terms.isDurable
        ) { isDurable in
            bound.submit { exchange in
                exchange.reply { writer in
                    writer.member("uri", bytes: uri.bytes)
                    writer.member("status", Int(status))
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
