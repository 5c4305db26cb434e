import Eventing
import HTTPCore
import HTTPServer

extension AdminResponder {
    /// `GET /`: the shell of the dashboard for a browser with a session, else the login page.
    func sendShell(_ exchange: ServerExchange) {
        guard mayLook(exchange), let shell = DashboardFile.shell else { return sendLogin(exchange, status: 401) }
        exchange.reply(page: shell, status: 200)
    }

    /// The login page: of `GET /login`, and instead of every page for which a session is missing.
    func sendLogin(_ exchange: ServerExchange, status: UInt16) {
        guard let page = DashboardFile.login else { return exchange.reply(AdminRefusal(404, "there are no pages")) }
        exchange.reply(page: page, status: status)
    }

    /// `GET /assets/NAME`: what pages consist of.
    func sendAsset(_ exchange: ServerExchange, _ file: DashboardFile) {
        var fields = ServerExchange.pageFields(contentType: file.contentType, cacheControl: "no-cache")
        fields.append(.etag, file.tag)
        let known = exchange.head.fields.values(of: .ifNoneMatch)
        guard known.contains(Array(file.tag.utf8)) else {
            return exchange.respond(200, fields: fields, content: ByteChunk(file.bytes))
        }
        fields.remove(.contentType)
        exchange.respond(304, fields: fields, content: ByteChunk([]))
    }

    /// Whether the request may see the shell, which holds no data: a cookie is enough.
    private func mayLook(_ exchange: ServerExchange) -> Bool {
        if access.hasToken(exchange.head.fields) { return true }
        return sessions.holds(SessionCookie.values(of: exchange.head), at: now)
    }

    /// Answers a browser that asks for a service worker with one that removes itself.
    ///
    /// None is ours. Another program that held our port while the daemon was down may have left one, and browsers ask
    /// for it anew when somebody comes here.
    ///
    /// - Returns: false if the request is for no service worker.
    func answeredWorker(_ exchange: ServerExchange) -> Bool {
        guard exchange.head.method == .get, let file = DashboardFile.named("unregister.js"),
            exchange.head.fields.values(named: Array("service-worker".utf8)) == [Array("script".utf8)]
        else { return false }
        var fields = ServerExchange.pageFields(contentType: file.contentType, cacheControl: "no-store")
        fields.append(name: "Service-Worker-Allowed", value: "/")
        exchange.respond(200, fields: fields, content: ByteChunk(file.bytes))
        return true
    }

    /// Answers a person's visit to an address of the API without session or token with the login page.
    ///
    /// It does not count as refused, like a visit to `/`: links of any page can lead here.
    /// - Returns: false if the request is no such visit.
    func answeredVisit(_ exchange: ServerExchange, _ route: MatchedRoute?) -> Bool {
        let head = exchange.head
        guard head.isNavigation, route.map({ !$0.route.isPage && $0.need(head.method) != .none }) ?? true,
            !head.fields.contains(.authorization), !sessions.holds(SessionCookie.values(of: head), at: now)
        else { return false }
        sendLogin(exchange, status: 401)
        return true
    }
}
