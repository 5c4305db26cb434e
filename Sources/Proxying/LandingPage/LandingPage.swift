import HTTPCore
import HTTPServer

/// The page on `/` of a forward proxy: what this is, and how to point clients at it.
///
/// Browsers get a document without scripts, tools get plain text. Both name the host that the client used.
struct LandingPage {
    /// One service as the page shows it.
    struct Service {
        var name: String
        var base: String
        var injects: Bool
        /// Its URL for this client: by path, on this page's own origin.
        var link: String
        /// Its URL on a host of its own, for browsers; nil if the client could not resolve that name.
        var host: String?
    }

    /// Host and port as the client wrote them.
    let authority: String
    let services: [Service]
    let adminURL: String?
    let hasPrefixGateway: Bool
    /// Whether there is a script for browsers.
    let hasScript: Bool
    /// `http://` or `https://`.
    let scheme: String
    /// The form of a service's host for Docker, which has no path; nil for a client beyond loopback.
    let registryMirror: String?
    /// How many tunnels have passed unread; not where to, since everybody who reaches the proxy sees the page.
    let passedTunnels: Int

    init(_ head: RequestHead, _ options: ProxyOptions, passedTunnels: Int) {
        self.passedTunnels = passedTunnels
        let host = head.fields.text(of: .host) ?? ""
        let authority = host.isEmpty ? "127.0.0.1:3128" : host
        self.authority = authority
        adminURL = options.adminURL
        hasPrefixGateway = options.routes.contains(.prefix)
        hasScript = options.routes.contains(.forward)
        let scheme = options.scheme
        self.scheme = scheme
        // Names below localhost lead a client to its own machine: to us only if it came by loopback.
        let isLocal = BrowserGuard.isLoopback(head)
        let port = head.parts.port.map { ":\($0)" } ?? ""
        registryMirror = isLocal ? "\(scheme)registry.localhost\(port)" : nil
        services = options.services.map { route in
            // Another host is another site for a browser, and services refuse links from other sites: the user types
            // this one.
            Service(
                name: route.name,
                base: route.base.text,
                injects: route.injects,
                link: "\(scheme)\(authority)/\(route.name)/",
                host: isLocal ? "\(scheme)\(route.name).localhost\(port)/" : nil
            )
        }
    }

    static func respond(to exchange: ServerExchange, options: ProxyOptions, passedTunnels: Int) {
        let page = LandingPage(exchange.head, options, passedTunnels: passedTunnels)
        var fields = Fields()
        var content: String
        if wantsDocument(exchange.head) {
            let nonce = nonce()
            content = page.document(nonce: nonce)
            fields.append(.contentType, "text/html; charset=utf-8")
            for (name, value) in protection(nonce: nonce) { fields.append(name: name, value: value) }
        } else {
            content = page.text
            fields.append(.contentType, "text/plain; charset=utf-8")
            fields.append(name: "X-Content-Type-Options", value: "nosniff")
        }
        fields.append(.cacheControl, "no-store")
        fields.append(.vary, "Accept, Host")
        exchange.respond(200, fields: fields, content: ByteChunk(content))
    }

    /// Whether the client names `text/html`, as browsers do and tools do not.
    static func wantsDocument(_ head: RequestHead) -> Bool {
        ListMembers.members(of: .accept, in: head.fields).contains { member in
            guard let type = MediaType(member), type.essence == Array("text/html".utf8) else { return false }
            let weight = type.parameter("q") ?? [0x31]
            return !weight.allSatisfy { $0 == 0x30 || $0 == 0x2E }
        }
    }

    /// 128 random bits.
    private static func nonce() -> String {
        let bits = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
        return String(bits.0, radix: 16) + String(bits.1, radix: 16)
    }

    /// The fields that keep the document from loading, embedding or running anything else.
    private static func protection(nonce: String) -> [(name: String, value: String)] {
        [
            (
                "Content-Security-Policy",
                "default-src 'none'; style-src 'nonce-\(nonce)'; img-src data:; base-uri 'none'; form-action 'none'; "
                    + "frame-ancestors 'none'"
            ),
            ("X-Content-Type-Options", "nosniff"),
            ("X-Frame-Options", "DENY"),
            ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ]
    }
}
