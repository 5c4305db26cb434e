import Eventing
import Exchanges
import Formats
import HTTPCore
import HTTPServer
import ResourceCore

extension AdminResponder {
    var now: MonotonicTime { source.service.table.environment.timekeeper.now }

    /// The right of the session that a request shows with cookie and proof; nil without one.
    ///
    /// A request to a Unix socket has none: nothing there shows which name a browser would have used.
    func session(of exchange: ServerExchange) -> SessionTable.Session? {
        let head = exchange.head
        guard exchange.peer.ipAddress != nil, !head.parts.host.isEmpty, access.isOwnPage(head) else { return nil }
        let proofs = head.fields.values(named: Array("respite-session".utf8))
        guard proofs.count == 1, let proof = proofs.first else { return nil }
        return sessions.session(SessionCookie.values(of: head), proof: String(decoding: proof, as: UTF8.self), at: now)
    }

    /// Whether the session that a request belongs to has ended by now; nil: a token, not a session, gives its right.
    func endOfSession(_ exchange: ServerExchange) -> (() -> Bool)? {
        guard !exchange.head.fields.contains(.authorization), let session = session(of: exchange) else { return nil }
        return { [weak self] in self.map { !$0.sessions.lasts(session, at: $0.now) } ?? true }
    }

    /// `GET /v1/sessions`: what the session or token of this request may do.
    func showSession(_ exchange: ServerExchange) {
        let session = session(of: exchange)
        let mayChange = session.map { $0.need == .all } ?? access.hasAdminToken(exchange.head.fields)
        exchange.reply { writer in
            writer.member("mayChange", mayChange)
            if let session { writer.member("secondsLeft", session.end.wholeSeconds(since: now)) }
        }
    }

    /// `POST /v1/sessions`: a link that gives one browser a session.
    ///
    /// The code stands in the fragment, which no browser sends to any server, so that no log can have it.
    func makeLink(_ exchange: ServerExchange) throws(AdminRefusal) {
        // A session that could make links would renew itself, and outlive its own end.
        guard access.hasAdminToken(exchange.head.fields) else {
            noteRefusal()
            throw AdminRefusal(403, "a session makes no links; this needs the admin token")
        }
        guard exchange.head.isWithoutContent else { throw AdminRefusal(400, "this request has no content") }
        guard let authority = browserAuthority(exchange) else {
            throw AdminRefusal(409, "the admin API has no address that a browser could open; `admin` sets one")
        }
        let code = sessions.makeLink(at: now)
        exchange.reply { writer in
            writer.member("url", "http://\(authority)/login#code=\(code)")
            writer.member("secondsLeft", SessionTable.linkLifetime.components.seconds)
        }
    }

    /// The authority under which a browser finds this API: the one that the client used, or the first listener's.
    private func browserAuthority(_ exchange: ServerExchange) -> String? {
        if exchange.peer.ipAddress != nil, let authority = exchange.head.authority {
            return String(decoding: authority, as: UTF8.self)
        }
        return options.addresses.lazy.compactMap { address -> String? in
            guard let ip = address.ipAddress, let port = address.port else { return nil }
            guard ip.addressClass == .unspecified else { return address.description }
            return ip.isIPv4 ? "127.0.0.1:\(port)" : "[::1]:\(port)"
        }.first
    }

    /// `POST /login`: a session for a browser that shows a link's code or a token.
    func login(_ exchange: ServerExchange) throws(AdminRefusal) {
        guard access.isOwnPage(exchange.head) else {
            noteRefusal()
            throw AdminRefusal(403, "only the login page may log in")
        }
        try ReceivedContent.takeJSON(of: exchange, loginOptions, read: LoginRequest.init(json:)) {
            [self]
            request,
            exchange throws(AdminRefusal) in
            guard let need = right(of: request) else {
                noteRefusal()
                throw AdminRefusal(401, Self.wrongLogin(request), fields: [(.wwwAuthenticate, "Bearer")])
            }
            if let session = session(of: exchange) { sessions.end(session) }
            let secrets = sessions.begin(need, at: now)
            events.endStreamsOfEndedSessions()
            var writer = JSONWriter()
            writer.object { writer in
                writer.member("proof", secrets.proof)
                writer.member("mayChange", need == .all)
            }
            exchange.reply(json: writer.bytes, cookie: SessionCookie.field(secrets.cookie, for: exchange.head))
        }
    }

    /// The limits of a login's content: any client that reaches the listener may send one, without a token.
    private var loginOptions: AdminOptions {
        var options = options
        options.contentLimit = 4096
        options.contentDepth = 2
        return options
    }

    private func right(of request: LoginRequest) -> TokenNeed? {
        switch request {
        case .code(let code): sessions.useLink(code, at: now) ? .all : nil
        case .token(let token): access.right(of: Array(token.utf8))
        }
    }

    private static func wrongLogin(_ request: LoginRequest) -> String {
        switch request {
        case .code: "this link has been used, or is older than a minute; `respite dashboard` makes another one"
        case .token:
            "this is not the token; it is in the file `admin-token` of the store, unless `admin-token-file` is set"
        }
    }

    /// `POST /logout`: ends the session of this request.
    func logout(_ exchange: ServerExchange) {
        if let session = session(of: exchange) { sessions.end(session) }
        events.endStreamsOfEndedSessions()
        exchange.reply(json: Array("{}".utf8), cookie: SessionCookie.removal(for: exchange.head))
    }
}

extension ServerExchange {
    fileprivate func reply(json bytes: [UInt8], cookie: [UInt8]) {
        var fields = Self.adminFields(contentType: "application/json")
        fields.append(.setCookie, cookie)
        respond(200, fields: fields, content: ByteChunk(bytes + [UInt8(ascii: "\n")]))
    }
}
