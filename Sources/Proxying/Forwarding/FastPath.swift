import Eventing
import HTTPCaching
import HTTPCore
import HTTPServer
import Observability
import ResourceCore
import Transforms

/// The path of a hit: from the request's bytes to the response's without an exchange, a task or an allocation.
///
/// It answers only requests that need no decision: a GET without special fields, or with If-None-Match or
/// If-Modified-Since. The resource must have one stored response, which is shared, unvarying and fresh. All other
/// requests take the general path, which knows every rule.
///
/// A class, because each request would copy a value with all its properties.
final class FastPath {
    /// Requests with any of these fields need a decision.
    ///
    /// Requests with credentials need none: the one stored response is in the shared partition.
    private static let special: KnownFieldSet = [
        .cacheControl, .pragma, .range, .ifRange, .ifMatch, .ifUnmodifiedSince, .expect, .upgrade, .via, .cacheStatus,
    ]
    /// Conditions that are evaluated here.
    private static let conditions: KnownFieldSet = [.ifNoneMatch, .ifModifiedSince]
    /// Content up to this size is copied behind the head: that is cheaper than a second piece in the system call.
    private static let copyLimit = 8192

    private let router: HitRouter
    private let service: Service
    private let table: ResourceTable
    private let hits: LoopCounter
    /// Bytes of content sent.
    private let bytes: LoopCounter
    /// Responses by the first digit of their status, from 1.
    private let responses: [LoopCounter]
    private let timing: HitTiming
    /// Nil: requests are not logged.
    private let accessLog: LoopAccessLog?
    /// Nil: recent requests are not kept.
    private let ring: RequestRing?
    /// How the request in progress named its target.
    private var form = RouteKind.Form.forward
    private let via: [UInt8]
    /// Field lines for responses on routes where a path names the origin: `via`, and lines that limit documents there.
    private let sharedLines: [UInt8]
    private let sandboxLine: [UInt8]
    /// The key of the request in progress; reused.
    private let key = KeyBuffer()
    private let questions: FastQuestions

    convenience init(_ router: Router, _ context: ProxyContext) {
        self.init(
            router: router,
            service: context.service,
            metrics: context.metrics,
            accessLog: context.accessLog,
            ring: context.ring,
            loop: context.loop.handle.index,
            contentLimit: context.options.questions.contentLimit
        )
    }

    /// - Parameters:
    ///   - loop: the index of the calling loop.
    ///   - contentLimit: the most bytes of a question's content.
    init(
        router: Router,
        service: Service,
        metrics: ProxyMetrics,
        accessLog: LoopAccessLog? = nil,
        ring: RequestRing? = nil,
        loop: Int = -1,
        contentLimit: Int = 0
    ) {
        self.router = router.hits
        self.service = service
        table = service.table
        questions = FastQuestions(service, limit: contentLimit)
        hits = metrics.hits.counting(on: loop)
        bytes = metrics.cachedBytes.counting(on: loop)
        responses = metrics.responses.map { $0.counting(on: loop) }
        timing = HitTiming(metrics.durations(.hit))
        self.accessLog = accessLog
        self.ring = ring
        via = router.options.via.line(received: .http11)
        sharedLines = via + SharedOriginFields.lines
        sandboxLine = via + SharedOriginFields.sandboxLine
    }

    /// - Parameters:
    ///   - origin: the origin of the connection's requests, inside a CONNECT.
    ///   - date: the wall clock; read only if dates are compared.
    ///   - client: where the request came from; read only if requests are logged or recent ones are kept.
    ///   - hasLogins: whether clients must log in.
    func answer(
        _ head: RequestHead,
        within origin: ConnectionOrigin? = nil,
        now: MonotonicTime,
        date: @autoclosure () -> HTTPDate,
        closes: Bool,
        client: ServerConnection? = nil,
        hasLogins: Bool = false,
        into output: inout [UInt8]
    ) -> FastPathResult {
        guard head.method == .get, head.fields.present.isDisjoint(with: Self.special) else { return .unhandled }
        var need = SharedOriginFields.Need.unknown
        guard let stored = lookUp(head, within: origin, &need), stored.isFresh(at: now),
            !stored.isRefreshedAhead(at: now)
        else { return .unhandled }
        if !head.fields.present.isDisjoint(with: Self.conditions) {
            switch stored.metadata.conditionOutcome(method: .get, fields: head.fields, now: date()) {
            case .proceed: break
            case .preconditionFailed: return .unhandled
            case .notModified:
                guard let prepared = stored.notModifiedHead else { return .unhandled }
                append(prepared, need, of: stored, at: now, closes: closes, content: [], to: &output)
                note(stored, status: 304, contentBytes: 0, at: now)
                if ring != nil { record(stored, 304, 0, head, origin, client, hasLogins, now) }
                if accessLog != nil { log(stored, 304, 0, head, origin, client, hasLogins, now) }
                return .answered
            }
        }
        guard case .bytes(let content) = stored.body else {
            let result = answer(fromFileOf: stored, need, now: now, closes: closes, into: &output)
            if case .answeredWithFile = result {
                let count = Int(stored.body.count)
                if ring != nil { record(stored, stored.status, count, head, origin, client, hasLogins, now) }
                if accessLog != nil { log(stored, stored.status, count, head, origin, client, hasLogins, now) }
            }
            return result
        }
        let isCopied = content.count <= Self.copyLimit
        append(
            stored.prepared,
            need,
            of: stored,
            at: now,
            closes: closes,
            content: isCopied ? content : [],
            to: &output
        )
        note(stored, status: stored.status, contentBytes: content.count, at: now)
        if ring != nil { record(stored, stored.status, content.count, head, origin, client, hasLogins, now) }
        if accessLog != nil { log(stored, stored.status, content.count, head, origin, client, hasLogins, now) }
        return isCopied ? .answered : .answeredWithBody(ByteChunk(content))
    }

    /// Answers a question that has come whole, in the same way: a request whose content belongs to its key (RFC 10008).
    ///
    /// - Parameter content: all of it.
    func answer(
        _ head: RequestHead,
        content: Span<UInt8>,
        within origin: ConnectionOrigin?,
        now: MonotonicTime,
        closes: Bool,
        client: ServerConnection? = nil,
        hasLogins: Bool = false,
        into output: inout [UInt8]
    ) -> FastPathResult {
        guard head.method == .post || head.method == .query,
            head.fields.present.isDisjoint(with: Self.special), head.fields.present.isDisjoint(with: Self.conditions)
        else { return .unhandled }
        var need = SharedOriginFields.Need.unknown
        guard let stored = lookUp(head, content, within: origin, &need), stored.isFresh(at: now),
            !stored.isRefreshedAhead(at: now), case .bytes(let body) = stored.body
        else { return .unhandled }
        let isCopied = body.count <= Self.copyLimit
        append(
            stored.prepared,
            need,
            of: stored,
            at: now,
            closes: closes,
            content: isCopied ? body : [],
            to: &output
        )
        note(stored, status: stored.status, contentBytes: body.count, at: now)
        if ring != nil { record(stored, body.count, head, content.count, origin, client, hasLogins, now) }
        if accessLog != nil { log(stored, stored.status, body.count, head, origin, client, hasLogins, now) }
        return isCopied ? .answered : .answeredWithBody(ByteChunk(body))
    }

    /// Keeps a question that was a hit among the recent requests.
    private func record(
        _ stored: StoredResponse,
        _ contentBytes: Int,
        _ head: RequestHead,
        _ requestBytes: Int,
        _ origin: ConnectionOrigin?,
        _ client: ServerConnection?,
        _ hasLogins: Bool,
        _ now: MonotonicTime
    ) {
        let notes = RequestNotes(
            hit: Array(stored.uri.withoutQuestion.bytes.prefix(RequestRecord.targetLimit + 1)),
            service: form.namesService ? router.serviceName(of: head, within: origin) : nil,
            user: hasLogins ? client?.login?.user : nil,
            method: head.method,
            requestBytes: requestBytes
        )
        recordUnusual(stored, stored.status, contentBytes, client, now, notes)
    }

    /// Answers from a file, if its content has been verified and is small enough for one step.
    @inline(never)
    private func answer(
        fromFileOf stored: StoredResponse,
        _ need: SharedOriginFields.Need,
        now: MonotonicTime,
        closes: Bool,
        into output: inout [UInt8]
    ) -> FastPathResult {
        guard case .file(let file) = stored.body, file.count <= StoredContent.step, file.isVerified(0..<file.count)
        else { return .unhandled }
        guard let lead = StoredContent.lead(of: file, at: 0),
            case .file(let rest) = file.piece(Int64(lead.count)..<file.count), rest.count + lead.count == file.count
        else { return .unhandled }
        append(stored.prepared, need, of: stored, at: now, closes: closes, content: lead, to: &output)
        note(stored, status: stored.status, contentBytes: Int(file.count), at: now)
        return .answeredWithFile(Eventing.FileRegion(sending: rest))
    }

    /// Counts a hit.
    @inline(__always)
    private func note(_ stored: StoredResponse, status: UInt16, contentBytes: Int, at now: MonotonicTime) {
        stored.noteUse()
        hits.add()
        bytes.add(contentBytes)
        responses[ProxyMetrics.index(ofStatus: status)].add()
        timing.countHit(since: now)
    }

    /// Keeps a hit among the recent requests.
    @inline(__always)
    private func record(
        _ stored: StoredResponse,
        _ status: UInt16,
        _ contentBytes: Int,
        _ head: RequestHead,
        _ origin: ConnectionOrigin?,
        _ client: ServerConnection?,
        _ hasLogins: Bool,
        _ now: MonotonicTime
    ) {
        guard !hasLogins, !form.namesService, stored.uri.bytes.count <= RequestRecord.targetLimit else {
            let service = router.serviceName(of: head, within: origin)
            let user = hasLogins ? client?.login?.user : nil
            let notes = RequestNotes(hit: stored.uri.bytes, service: service, user: user)
            return recordUnusual(stored, status, contentBytes, client, now, notes)
        }
        ring?
            .recordHit(
                stored,
                status: status,
                contentBytes: contentBytes,
                form: form,
                client: client?.clientAddress,
                since: now,
                notes: nil
            )
    }

    @inline(never)
    private func recordUnusual(
        _ stored: StoredResponse,
        _ status: UInt16,
        _ contentBytes: Int,
        _ client: ServerConnection?,
        _ now: MonotonicTime,
        _ notes: RequestNotes
    ) {
        ring?
            .recordHit(
                stored,
                status: status,
                contentBytes: contentBytes,
                form: form,
                client: client?.clientAddress,
                since: now,
                notes: notes
            )
    }

    @inline(never)
    private func log(
        _ stored: StoredResponse,
        _ status: UInt16,
        _ contentBytes: Int,
        _ head: RequestHead,
        _ origin: ConnectionOrigin?,
        _ client: ServerConnection?,
        _ hasLogins: Bool,
        _ now: MonotonicTime
    ) {
        accessLog?.writeHit(
            stored,
            status: status,
            contentBytes: contentBytes,
            head: head,
            within: origin,
            client: LoggedClient(client, hasLogins: hasLogins),
            since: now,
            service: router.serviceName(of: head, within: origin)
        )
    }

    @inline(__always)
    private func append(
        _ prepared: PreparedHead,
        _ need: SharedOriginFields.Need,
        of stored: StoredResponse,
        at now: MonotonicTime,
        closes: Bool,
        content: [UInt8],
        to output: inout [UInt8]
    ) {
        prepared.append(
            to: &output,
            age: stored.currentAge(at: now),
            ttl: stored.ttl(at: now),
            connection: closes ? .close : .none,
            via: need == .unknown ? via : need == .lines ? sharedLines : sandboxLine,
            content: content
        )
    }

    /// - Parameter need: set to what the head needs on a route where a path names the origin; unchanged on other
    ///   routes.
    @inline(__always)
    private func lookUp(
        _ head: RequestHead,
        within origin: ConnectionOrigin?,
        _ need: inout SharedOriginFields.Need
    ) -> StoredResponse? {
        key.lend { bytes in
            guard let form = router.appendKey(of: head, within: origin, to: &bytes) else { return nil }
            self.form = form
            if table.mayHaveQueryRules, bytes.contains(0x3F) { identify(&bytes) }
            return hit(of: bytes, form, &need)
        }
    }

    /// The same for a question.
    private func lookUp(
        _ head: RequestHead,
        _ content: Span<UInt8>,
        within origin: ConnectionOrigin?,
        _ need: inout SharedOriginFields.Need
    ) -> StoredResponse? {
        key.lend { bytes in
            guard let form = router.appendKey(of: head, within: origin, to: &bytes),
                questions.identify(&bytes, head, content)
            else { return nil }
            self.form = form
            return hit(of: bytes, form, &need)
        }
    }

    @inline(__always)
    private func hit(of key: [UInt8], _ form: RouteKind.Form, _ need: inout SharedOriginFields.Need) -> StoredResponse?
    {
        guard let stored = table.sharedHit(of: key.span) else { return nil }
        // On all routes but the forward route the general path rewrites references in a response.
        if form != .forward, stored.hasReferences { return nil }
        guard form.sharesOrigin else { return stored }
        need = Self.need(of: stored)
        return need == .change ? nil : stored
    }

    /// The need of a stored response, computed once for each.
    private static func need(of stored: StoredResponse) -> SharedOriginFields.Need {
        let known = SharedOriginFields.Need(rawValue: stored.headNote) ?? .unknown
        if known != .unknown { return known }
        let need = SharedOriginFields.need(of: stored.prepared.fields)
        stored.noteHead(need.rawValue)
        return need
    }

    /// Replaces `key` by the key of the resource that the query rules select.
    private func identify(_ key: inout [UInt8]) {
        guard let uri = try? TargetURI(parsing: key) else { return }
        key = service.identity(of: uri).bytes
    }
}

/// One array that each request uses in turn.
private final class KeyBuffer {
    private var bytes: [UInt8] = []

    /// Lends the array, empty.
    func lend<Result>(_ body: (inout [UInt8]) -> Result) -> Result {
        var lent: [UInt8] = []
        swap(&lent, &bytes)
        defer {
            lent.removeAll(keepingCapacity: true)
            swap(&lent, &bytes)
        }
        return body(&lent)
    }
}
