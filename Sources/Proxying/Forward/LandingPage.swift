import HTTPCore
import HTTPServer

/// The page on `/` of a forward proxy: what this is, and how clients are pointed at it.
enum LandingPage {
    private static let text = """
        Respite: a caching HTTP proxy.

        As a proxy:        curl -x http://HOST:PORT http://example.org/
                           http_proxy=http://HOST:PORT https_proxy=http://HOST:PORT apt-get update
        As a gateway:      curl http://HOST:PORT/http://example.org/

        Every answer says in Cache-Status what happened. `respite ls` shows what is held.

        """

    static func respond(to exchange: ServerExchange) {
        let host = exchange.head.fields.text(of: .host) ?? "127.0.0.1:3128"
        let content = text.split(separator: "HOST:PORT", omittingEmptySubsequences: false).joined(separator: host)
        var fields = Fields()
        fields.append(.contentType, "text/plain; charset=utf-8")
        fields.append(.cacheControl, "no-store")
        exchange.respond(200, fields: fields, content: ByteChunk(content))
    }
}
