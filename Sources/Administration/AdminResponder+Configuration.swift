import Eventing
import HTTPCore
import HTTPServer

extension AdminResponder {
    /// `GET /v1/config`: all settings, or with `?url=` those for that URL.
    func showConfiguration(_ exchange: ServerExchange, _ request: AdminRequest) throws(AdminRefusal) {
        guard let configuration = source.configuration else { throw Self.noConfiguration }
        var uri: TargetURI?
        if let text = request["url"] {
            guard let parsed = try? TargetURI(parsing: text) else {
                throw AdminRefusal(400, "`url` must be an absolute http or https URL")
            }
            uri = parsed
        }
        var method = Method.get
        if let name = request["method"] {
            guard uri != nil, name.utf8.count <= 64, Token.isToken(Array(name.utf8).span) else {
                throw AdminRefusal(400, "`method` must be the name of a method, and needs `url`")
            }
            method = Method(name)
        }
        exchange.reply { configuration.write(uri, method, &$0) }
    }

    /// `POST /v1/reload`: 200 with the changes, or 422 with the fault.
    func reload(_ exchange: ServerExchange) throws(AdminRefusal) {
        guard let configuration = source.configuration else { throw Self.noConfiguration }
        switch exchange.head.framing {
        case .none, .length(0): break
        default: throw AdminRefusal(400, "a reload has no content: the daemon reads its own settings file")
        }
        let bound = LoopBound(exchange, loop: loop)
        configuration.reload { answer in bound.submit { Self.reply(answer, on: $0) } }
    }

    private static func reply(_ answer: ReloadResponse, on exchange: ServerExchange) {
        switch answer {
        case .done(let write): exchange.reply { write(&$0) }
        case .unavailable(let detail): exchange.reply(AdminRefusal(503, detail))
        case .refused(let detail, let members):
            let problem = ProblemDocument(status: 422, detail: detail, members: members)
            exchange.respond(
                422,
                fields: ServerExchange.adminFields(contentType: String(describing: ProblemDocument.mediaType)),
                content: ByteChunk(problem.json)
            )
        }
    }

    private static var noConfiguration: AdminRefusal { AdminRefusal(404, "this daemon has no settings") }
}
