import Formats
import HTTPServer

extension AdminResponder {
    /// `GET /v1/openapi.json`.
    func sendDocument(_ exchange: ServerExchange) {
        let document = OpenAPIDocument(version: source.version, cookieName: SessionCookie.name(for: exchange.head))
        exchange.reply { document.write(to: &$0) }
    }
}
