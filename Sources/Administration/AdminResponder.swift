public import HTTPServer
import HTTPCore

/// Answers the requests of the admin listener.
public final class AdminResponder: Responder {
    public init() {}

    public func respond(to exchange: ServerExchange) {
        guard exchange.head.target == Array("/healthz".utf8) else {
            return exchange.respond(ProblemDocument(status: 404, detail: "there is nothing at this path"))
        }
        exchange.respond(200, fields: Fields(), content: ByteChunk("ok\n"))
    }
}
