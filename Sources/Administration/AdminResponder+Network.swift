import Eventing
import Formats
import HTTPCore
import HTTPServer
import Platform
import ResourceCore

extension AdminResponder {
    /// `GET /v1/tunnels?limit=…`.
    func listTunnels(_ exchange: ServerExchange, limit: Int) throws(AdminRefusal) {
        let (tunnels, now) = (source.tunnels, now)
        try list(on: exchange) { TunnelDocument(tunnels, limit: limit, at: now).write(to: &$0) }
    }

    /// `GET /v1/origins?limit=…`.
    func listOrigins(_ exchange: ServerExchange, limit: Int) throws(AdminRefusal) {
        let (origins, service) = (source.origins, source.service)
        try list(on: exchange) { OriginDocument(origins(limit), service).write(to: &$0) }
    }

    /// Writes a document on a worker: there may be tens of thousands of entries.
    private func list(
        on exchange: ServerExchange,
        _ write: @escaping @Sendable (inout JSONWriter) -> Void
    ) throws(AdminRefusal) {
        let bound = LoopBound(exchange, loop: loop)
        let isTaken = source.workers.submit {
            var writer = JSONWriter()
            writer.object { write(&$0) }
            let bytes = writer.bytes
            bound.submit { $0.reply(json: bytes) }
        }
        if !isTaken { throw AdminRefusal(503, "too many listings are in progress") }
    }
}
