import Eventing
import Formats
import HTTPCore
import HTTPServer
import Observability

extension AdminResponder {
    static func requestFilter(_ request: AdminRequest) throws(AdminRefusal) -> RequestFilter {
        guard let text = request["filter"] else { return .all }
        return try RequestFilter(text)
    }

    /// `GET /v1/requests?filter=…&limit=…&cursor=…`: recent requests, the newest first.
    func listRequests(_ exchange: ServerExchange, _ request: AdminRequest) throws(AdminRefusal) {
        let filter = try Self.requestFilter(request)
        let limit = try request.integer(.requestLimit) ?? 1
        var before = RequestID.last
        if let text = request["cursor"] {
            guard let id = RequestID(text: text) else {
                throw AdminRefusal(400, "`cursor` must be the `next` of an earlier page, or the `id` of a request")
            }
            before = id
        }
        try requireRequests()
        let (bound, secrets) = (LoopBound(exchange, loop: loop), options.secrets)
        source.requests.gather(.none) { [before] recent in
            guard let recent else { return bound.submit { $0.reply(Self.tooMany) } }
            let page = RequestPage(recent, filter, limit: limit, before: before, masking: secrets)
            var writer = JSONWriter()
            writer.object { page.write(to: &$0) }
            let bytes = writer.bytes
            bound.submit { $0.reply(json: bytes) }
        }
    }

    /// `GET /v1/requests.har?filter=…`.
    func sendArchive(_ exchange: ServerExchange, _ request: AdminRequest) throws(AdminRefusal) {
        let filter = try Self.requestFilter(request)
        try requireRequests()
        let (bound, secrets, version) = (LoopBound(exchange, loop: loop), options.secrets, source.version)
        source.requests.gather(.none) { recent in
            guard let recent else { return bound.submit { $0.reply(Self.tooMany) } }
            let archive = HARDocument(recent, filter, masking: secrets, version: version)
            var writer = JSONWriter()
            writer.object { archive.write(to: &$0) }
            let bytes = writer.bytes
            bound.submit { $0.reply(json: bytes) }
        }
    }

    /// `GET /v1/requests/stream?filter=…&last=…`: requests as they are answered, behind `Last-Event-ID`.
    ///
    /// A stream that a session has begun ends with it (H-163).
    func followRequests(_ exchange: ServerExchange, _ request: AdminRequest) throws(AdminRefusal) {
        let filter = try Self.requestFilter(request)
        let count = try request.integer(.earlierRequests) ?? 0
        var start = RequestStream.Start.earlier(count)
        if let text = Self.lastEventID(exchange.head) { start = .behind(RequestID(text: text)) }
        try requireRequests()
        requests.subscribe(exchange, start, filter, hasEnded: endOfSession(exchange))
    }

    /// `GET /v1/requests/{id}`: one request, with the reasons in words.
    func showRequest(_ exchange: ServerExchange, _ id: RequestID) throws(AdminRefusal) {
        try requireRequests()
        let (bound, secrets) = (LoopBound(exchange, loop: loop), options.secrets)
        let previous = id.number > 0 ? RequestID(number: id.number - 1) : .none
        source.requests.gather(previous) { recent in
            guard let recent else { return bound.submit { $0.reply(Self.tooMany) } }
            let record = recent.records.first { $0.id == id }
            let (dropped, capacity) = (recent.lastDropped, recent.capacity)
            bound.submit { exchange in
                guard let record else { return exchange.reply(Self.gone(id, dropped, capacity)) }
                exchange.reply { RequestDocument(record, masking: secrets).writeExplained(to: &$0) }
            }
        }
    }

    /// Refuses where no requests are kept: a list would be empty, and a stream would stay silent.
    private func requireRequests() throws(AdminRefusal) {
        if options.recentRequests == 0 { throw AdminRefusal(404, RequestHub.offSentence) }
    }

    /// Why there is no such request.
    private static func gone(_ id: RequestID, _ dropped: RequestID, _ capacity: Int) -> AdminRefusal {
        if id > dropped || id == .none {
            return AdminRefusal(
                404,
                "there is no request `\(id.text)`: the daemon has started since, or the id is wrong"
            )
        }
        return AdminRefusal(
            404,
            "there is no request `\(id.text)`, or newer ones took its place; the last \(capacity) are kept, "
                + "see `admin-recent-requests`"
        )
    }
}
