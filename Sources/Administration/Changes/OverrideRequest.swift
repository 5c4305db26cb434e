import Eventing
import Formats
import HTTPCore
import HTTPServer
import Observability
import ResourceCore

/// Replaces a resource's data by the content of a PUT or PATCH, and responds once the store has committed it.
///
/// A PATCH replaces only the content: status and fields of the stored response stay, except those that describe or
/// validate the old content (S-200). If nothing is stored, the type is `application/binary`.
enum OverrideRequest {
    /// The parameters of the replacement, besides the content.
    struct Terms: Sendable {
        let uri: TargetURI
        let status: UInt16
        /// Whether status and fields of the stored response stay.
        let keepsFields: Bool
        /// Nil: the setting `cache.expiration-time`.
        let lifetime: Duration?
        let isDurable: Bool

        /// Reads `status`, `ttl` (seconds) and `durable` from the query.
        init(_ uri: TargetURI, _ request: AdminRequest, keepsFields: Bool = false) throws(AdminRefusal) {
            self.uri = uri
            self.keepsFields = keepsFields
            status = UInt16(keepsFields ? 200 : try request.integer(.status) ?? 200)
            lifetime = try request.integer(.lifetime).map { .seconds($0) }
            isDurable = try request.boolean(.isDurable)
        }
    }

    static func receive(
        _ exchange: ServerExchange,
        _ terms: Terms,
        _ source: AdminSource,
        limit: Int
    ) throws(AdminRefusal) {
        let fields = exchange.head.fields
        guard fields.count(of: .contentType) <= 1 else { throw AdminRefusal(400, "there are two Content-Type fields") }
        guard !fields.contains(.contentEncoding) else {
            throw AdminRefusal(415, "the content must not have a content coding")
        }
        guard !terms.keepsFields || !fields.contains(.contentType) else {
            throw AdminRefusal(400, "PATCH keeps the stored type; send no Content-Type, or use PUT")
        }
        let type = fields.value(of: .contentType)
        try ReceivedContent.take(of: exchange, limit: limit) { bytes, exchange in
            put(Replacement(terms: terms, content: bytes, source: source), type: type, exchange)
        }
    }

    /// - Parameter type: nil: unchanged.
    private static func put(_ replacement: Replacement, type: [UInt8]?, _ exchange: ServerExchange) {
        let (terms, source) = (replacement.terms, replacement.source)
        let bound = LoopBound(exchange, loop: exchange.loop)
        guard terms.keepsFields else {
            let current = source.service.resource(for: terms.uri).contentType
            var fields = Fields()
            fields.append(.contentType, type ?? current ?? Array("application/octet-stream".utf8))
            return replacement.run(terms.status, fields, bound)
        }
        GatheredResource.gather(terms.uri, source) { gathered in
            guard let current = gathered.variants.first(where: \.isShared) else {
                var fields = Fields()
                fields.append(.contentType, "application/binary")
                return replacement.run(200, fields, bound)
            }
            replacement.run(current.status, Resource.fieldsForOtherContent(current.fields), bound)
        }
    }
}

/// The new data of a resource; safe from any thread.
private struct Replacement: Sendable {
    let terms: OverrideRequest.Terms
    let content: [UInt8]
    let source: AdminSource

    /// Responds once the data is replaced, and durable if that was requested.
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
    /// The Content-Type of the current content.
    fileprivate var contentType: [UInt8]? {
        let snapshot = snapshot
        return (snapshot.latestResponse ?? snapshot.variants.last)?.fields.value(of: .contentType)
    }
}
