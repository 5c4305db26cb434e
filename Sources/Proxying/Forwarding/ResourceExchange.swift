import Eventing
import Exchanges
import HTTPCaching
import HTTPCore
import HTTPServer
import Observability
import Outcomes
import ResourceCore
import Transforms

/// Answers one GET or HEAD, or a question, through its resource: from the store, or from a load that other requests may
/// share.
///
/// Bound to its loop.
final class ResourceExchange: ServerExchangeDelegate, StoredContentRecipient {
    let client: ServerExchange
    let kind: RouteKind
    let context: ProxyContext
    private let resource: Resource
    /// End-to-end fields for the origin, still with conditions and Range.
    private let fields: Fields
    private var waiter: Waiter?
    /// Sends content as the client accepts it.
    private var sender: (any ContentSender)?
    /// Counts the content that is sent.
    private var delivered: Counter?
    /// Whether a stored response had damaged content.
    private var hasFoundDamage = false
    /// The first bytes of the content, if that is in a file.
    private var lead: ByteChunk?
    /// The content of a question, and what keeps its memory taken.
    private var question: (Question, HeldContent)?

    /// - Parameter uri: of a question, with its digest.
    init(
        _ client: ServerExchange,
        uri: TargetURI,
        kind: RouteKind,
        fields: Fields,
        question: (Question, HeldContent)? = nil,
        context: ProxyContext
    ) {
        self.client = client
        self.kind = kind
        self.fields = fields
        self.question = question
        self.context = context
        resource = context.service.resourceToServe(uri)
        if question != nil {
            context.service.table.limitQuestions(like: uri, to: resource.configuration.questionLimit)
        }
    }

    /// The method by whose rules it is answered: a question is answered like a GET.
    private var method: Method { question == nil ? client.head.method : .get }

    var uri: TargetURI { resource.uri }

    func start() {
        client.delegate = self
        switch resource.serve(request, to: WaiterRelay(self, loop: client.loop, context: context.deliveryContext)) {
        case .answered(let result, let waiter):
            self.waiter = waiter
            handle(result)
        case .waiting(let waiter): self.waiter = waiter
        }
    }

    /// A request for bytes that the response in progress still needs.
    func ask(for wanted: WantedBytes, to delegate: any WaiterDelegate) -> ServeResult {
        var request = request
        request.wanted = wanted
        return resource.serve(request, to: delegate)
    }

    private var request: ClientRequest {
        var request = context.clientRequest(client, for: resource, kind: kind, fields: fields)
        if let question {
            request.question = question.0
            request.profile.method = .get
        }
        return request
    }

    /// Cache-Status names the key only if the request asks for it (RFC 9211 §2.7).
    private var shownKey: TargetURI? { CacheStatus.asksForKey(fields) ? uri : nil }

    func handle(_ result: CacheResult) {
        guard client.isOpen else { return }
        switch result {
        case .stored(let stored, let outcome):
            check(stored, outcome)
        case .following(let loaded, let outcome):
            follow(loaded, outcome)
        case .assembling(let response, let loaded, let outcome):
            assemble(response, loaded, outcome)
        case .pass(let reason):
            pass(detail: reason.rawValue)
        case .failure(let failure):
            context.respond(to: client, failure: failure)
            release()
        case .refused(let reason):
            context.refuse(client, refusal(reason), CacheOutcome(reason))
        }
    }

    private func count(_ outcome: CacheOutcome) {
        // Counters are read one by one: a variable would copy all metrics.
        if outcome.isHit {
            context.metrics.hits.add()
            delivered = context.metrics.cachedBytes
        } else {
            context.metrics.misses.add()
            delivered = context.metrics.originBytes
        }
    }

    private func refusal(_ reason: CacheRefusal) -> Refusal {
        switch reason {
        case .onlyIfCached:
            Refusal(504, "only-if-cached, and nothing that may be used is stored", type: .proxyInternalResponse)
        case .offline: .notAsked(in: .offline)
        case .replay: .notAsked(in: .replay)
        case .tooManyWaiters: .tooManyWaiters(limit: resource.configuration.values.waiterLimit)
        }
    }

    private func pass(detail: String) {
        // A question changes nothing.
        let held = question.map { (content: $0.1, mayChange: false) }
        // This request no longer follows a load.
        release()
        let outcome = CacheOutcome(isHit: false, forward: .bypass, detail: detail)
        // The response to a HEAD may freshen or invalidate the stored response (C-21.7).
        let request = method == .head ? request : nil
        let target = uri.withoutQuestion
        let pass = PassExchange(client, uri: target, kind: kind, outcome: outcome, context: context, held: held) {
            [resource] head in
            if let request { resource.didReceiveHead(head, for: request) }
        }
        pass.start(fields: fields)
    }

    // MARK: From the store

    /// Serves `stored` once the beginning of its content has been read and verified.
    ///
    /// Otherwise asks the resource again, which then loads it.
    private func check(_ stored: StoredResponse, _ outcome: CacheOutcome) {
        guard case .file(let file) = stored.body, let start = contentStart(of: stored), start < file.count else {
            return serve(stored, outcome)
        }
        let delivery = context.deliveryContext
        let bound = LoopBound(self, loop: client.loop)
        file.verify(start..<min(file.count, StoredContent.blockEnd(start))) { isRight in
            if delivery.isCurrent {
                bound.value.didCheck(stored, outcome, file, start, isRight)
            } else {
                delivery.submit { bound.value.didCheck(stored, outcome, file, start, isRight) }
            }
        }
    }

    /// The offset in the stored content where the response's content begins; nil if it has none.
    private func contentStart(of stored: StoredResponse) -> Int64? {
        guard method == .get, conditionOutcome(of: stored) == .proceed else { return nil }
        switch rangePlan(of: stored) {
        case .whole?: return 0
        case .single(let range)?: return stored.bodyRange(range).lowerBound
        case .multiple(let ranges)?: return ranges.first.map { stored.bodyRange($0).lowerBound }
        case .notSatisfiable?, nil: return nil
        }
    }

    /// What the request's conditions mean for `stored`.
    private func conditionOutcome(of stored: StoredResponse) -> ConditionOutcome {
        let now = client.loop.wallNow
        return client.withFields { stored.metadata.conditionOutcome(method: method, fields: $0, now: now) }
    }

    /// Which parts of `stored` the request wants; nil if it does not hold them.
    private func rangePlan(of stored: StoredResponse) -> RangePlan? {
        let options = resource.configuration.values.caching
        return client.withFields { stored.rangePlan(method: method, $0, options) }
    }

    private func didCheck(
        _ stored: StoredResponse,
        _ outcome: CacheOutcome,
        _ file: any BodyFile,
        _ start: Int64,
        _ isRight: Bool
    ) {
        guard client.isOpen else { return release() }
        if isRight, let lead = StoredContent.lead(of: file, at: start) {
            self.lead = ByteChunk(lead)
            return serve(stored, outcome)
        }
        contentIsDamaged(stored)
        // A second damaged response: assume that the disk fails.
        guard !hasFoundDamage else {
            let failure = ExchangeFailure(.internalError, "what is stored cannot be read")
            return context.respond(to: client, failure: ResourceError(failure, time: client.loop.now))
        }
        hasFoundDamage = true
        waiter?.cancel()
        waiter = nil
        self.start()
    }

    func contentIsDamaged(_ stored: StoredResponse) {
        resource.contentIsDamaged(stored)
    }

    private func serve(_ stored: StoredResponse, _ outcome: CacheOutcome) {
        // After validation a stored part may no longer contain the bytes that the request wants.
        guard let plan = rangePlan(of: stored) else {
            return pass(detail: PassReason.range.rawValue)
        }
        count(outcome)
        if outcome.isHit {
            client.outcome = stored.isFresh(at: client.loop.now) ? .hit : .stale
        } else {
            client.outcome = .revalidated
        }
        switch conditionOutcome(of: stored) {
        case .notModified: return sendHead(304, StoredFields.notModified(stored.reusableFields), stored, outcome)
        case .preconditionFailed: return sendHead(412, Fields(), stored, outcome)
        case .proceed: break
        }
        send(plan, of: stored, outcome)
    }

    /// Sends parts of a response from the store, and as they are loaded.
    private func assemble(_ response: StoredResponse, _ loaded: LoadedResponse?, _ outcome: CacheOutcome) {
        let options = resource.configuration.values.caching
        guard let plan = client.withFields({ response.assemblyPlan($0, options) }) else {
            return pass(detail: PassReason.range.rawValue)
        }
        note(outcome)
        switch conditionOutcome(of: response) {
        case .notModified: return sendHead(304, StoredFields.notModified(response.reusableFields), response, outcome)
        case .preconditionFailed: return sendHead(412, Fields(), response, outcome)
        case .proceed: send(plan, of: response, outcome, assembling: Assembly(beginning: loaded))
        }
    }

    private struct Assembly { let beginning: LoadedResponse? }

    private func send(
        _ plan: RangePlan,
        of stored: StoredResponse,
        _ outcome: CacheOutcome,
        assembling assembly: Assembly? = nil
    ) {
        let length = stored.representationLength
        func storedRange(_ range: Range<Int64>) -> Range<Int64> { assembly == nil ? stored.bodyRange(range) : range }
        switch plan {
        case .whole:
            let length = assembly == nil ? stored.contentLength : length ?? 0
            let fields = complete(stored.reusableFields, stored, outcome)
            let (status, reason) = assembly == nil ? (stored.status, stored.reason) : (200, [])
            client.start(status, reason: reason, fields: fields, content: .length(length))
            if let assembly { return assemble([.content(0..<length)], of: stored, assembly) }
            let schedule = stored.replaySpeed.map {
                ReplaySchedule(stored.pieces, speed: $0, begin: client.loop.now)
            }
            send([.content(0..<length)], of: stored, schedule)
        case .single(let range):
            var fields = complete(stored.reusableFields, stored, outcome)
            fields.append(.contentRange, ContentRange.bytes(of: range, length: length))
            client.start(206, fields: fields, content: .length(Int64(range.count)))
            let pieces = [ContentPiece.content(storedRange(range))]
            if let assembly { assemble(pieces, of: stored, assembly) } else { send(pieces, of: stored) }
        case .multiple(let ranges):
            let pieces = startMultipart(ranges, stored, outcome, storedRange)
            if let assembly { assemble(pieces, of: stored, assembly) } else { send(pieces, of: stored) }
        case .notSatisfiable:
            var fields = Fields()
            fields.append(.contentRange, ContentRange.bytes(unsatisfiedLength: stored.contentLength))
            client.respond(416, fields: complete(fields, stored, outcome), content: ByteChunk([]))
        }
    }

    private func sendHead(_ status: UInt16, _ fields: Fields, _ stored: StoredResponse, _ outcome: CacheOutcome) {
        client.start(status, fields: complete(fields, stored, outcome), content: .none)
        finishUnread()
    }

    /// Returns the pieces of the content.
    private func startMultipart(
        _ ranges: [Range<Int64>],
        _ stored: StoredResponse,
        _ outcome: CacheOutcome,
        _ storedRange: (Range<Int64>) -> Range<Int64>
    ) -> [ContentPiece] {
        let parts = MultipartRanges(
            ranges: ranges,
            length: stored.representationLength,
            contentType: stored.fields.value(of: .contentType),
            boundary: Self.boundary()
        )
        var fields = complete(stored.reusableFields, stored, outcome)
        fields.set(.contentType, parts.contentType)
        client.start(206, fields: fields, content: .length(parts.contentLength))
        return parts.parts.flatMap { [ContentPiece.bytes($0.head), .content(storedRange($0.range))] }
            + [.bytes(parts.end)]
    }

    private func assemble(_ pieces: [ContentPiece], of response: StoredResponse, _ assembly: Assembly) {
        guard method != .head else { return finishUnread() }
        begin(AssembledContent(pieces, of: response, beginning: assembly.beginning, exchange: self))
    }

    /// 128 random bits.
    private static func boundary() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        let text = String(generator.next(), radix: 36) + String(generator.next(), radix: 36)
        return Array(text.utf8)
    }

    private func send(_ pieces: [ContentPiece], of stored: StoredResponse, _ schedule: ReplaySchedule? = nil) {
        guard method != .head else { return finishUnread() }
        begin(StoredContent(pieces, lead: lead.take(), of: stored, exchange: self, schedule: schedule))
    }

    /// The fields of every response from the store.
    private func complete(_ stored: Fields, _ response: StoredResponse, _ outcome: CacheOutcome) -> Fields {
        let now = client.loop.now
        var fields = stored
        noteEquivalents(response.status, stored)
        kind.adapt(&fields, of: uri, for: client)
        context.router.options.via.append(to: &fields, received: .http11)
        fields.append(.age, "\(max(0, response.currentAge(at: now)))")
        let ttl = outcome.isHit ? response.ttl(at: now) : nil
        fields.append(
            .cacheStatus,
            context.cacheStatus(outcome, by: response.metadata.applied, for: client, ttl: ttl, key: shownKey)
        )
        return fields
    }

    /// Notes the resources that the response to a QUERY names as equivalent (C-24.4).
    private func noteEquivalents(_ status: UInt16, _ fields: borrowing Fields) {
        guard question != nil, uri.questionMethod == .query, (200..<300).contains(status) else { return }
        context.options.questions.equivalents.note(fields, of: uri)
    }

    // MARK: Along a load

    /// Counts a response that is about to be sent.
    private func note(_ outcome: CacheOutcome) {
        count(outcome)
        client.outcome = outcome.isHit ? .hit : outcome.isCollapsed ? .collapsed : .miss
    }

    private func follow(_ loaded: LoadedResponse, _ outcome: consuming CacheOutcome) {
        let loop = client.loop
        noteEquivalents(loaded.status, loaded.fields)
        let isKnown = isNotModified(loaded.metadata, at: loop.wallNow)
        let received = isKnown ? StoredFields.notModified(loaded.fields) : sent(loaded)
        var fields = context.relayed(received, kind: kind, of: uri, for: client)
        let age = loaded.currentAge(at: loop.now)
        if age > 0 || fields.contains(.age) { fields.set(.age, "\(age)") }
        if outcome.isCollapsed { context.notes(about: client)?.noteLoad(loaded.number) }
        if !outcome.isHit { outcome.forwardStatus = outcome.forwardStatus ?? loaded.status }
        fields.append(
            .cacheStatus,
            context.cacheStatus(outcome, by: loaded.metadata.applied, for: client, key: shownKey)
        )
        if isKnown {
            note(outcome)
            client.start(304, fields: fields, content: .none)
            return finishUnread()
        }
        guard method != .head else {
            note(outcome)
            client.start(loaded.status, reason: loaded.reason, fields: fields, content: .announced(loaded))
            return finishUnread()
        }
        let whole = loaded.whole
        let content = whole == nil ? LoadedContent(loaded.body, exchange: self) : nil
        guard whole != nil || content != nil else { return pass(detail: "too-late-to-join") }
        note(outcome)
        client.start(loaded.status, reason: loaded.reason, fields: fields, content: .announced(loaded))
        if let whole { send(whole) }
        if let content { begin(content) }
    }

    /// The fields that clients get: of a response that is stored, no tags for caches (C-24.3).
    private func sent(_ loaded: LoadedResponse) -> Fields {
        guard loaded.isStorable, CacheTags.hasLineForCaches(loaded.fields) else { return loaded.fields }
        var fields = loaded.fields
        fields.removeLines { CacheTags.isForCaches($0, of: loaded.fields) }
        return fields
    }

    /// Whether the client has the described representation already.
    private func isNotModified(_ metadata: ResponseMetadata, at now: HTTPDate) -> Bool {
        client.withFields { metadata.conditionOutcome(method: method, fields: $0, now: now) }
            == .notModified
    }

    /// Sends content that is in memory, at once if there is room.
    private func send(_ whole: ByteChunk) {
        guard client.mayWrite else { return begin(WholeContent(whole, exchange: self)) }
        client.write(whole)
        finish(trailers: nil)
    }

    // MARK: Content

    private func begin(_ sender: any ContentSender) {
        self.sender = sender
        sender.send()
    }

    /// All content has been written to the client.
    func finish(trailers: Fields?) {
        countContent()
        client.finish(trailers: trailers)
        // An assembled response may end long before the load that it began with.
        if !(sender is AssembledContent) { waiter.take()?.end() }
        release()
    }

    /// The response is complete without content; it no longer follows the load.
    private func finishUnread() {
        client.finish()
        release()
    }

    /// The rest of the content of `stored` cannot be sent.
    func cut(damaged stored: StoredResponse) {
        contentIsDamaged(stored)
        cut()
    }

    /// The content will not be complete.
    func cut() {
        client.cut()
        release()
    }

    private func countContent() { delivered.take()?.add(Int(clamping: client.contentBytes)) }

    private func release() {
        countContent()
        sender?.cancel()
        sender = nil
        waiter?.cancel()
        waiter = nil
        question = nil
    }

    func exchangeDidDrain(_ exchange: ServerExchange) { sender?.send() }

    func exchangeDidLoseClient(_ exchange: ServerExchange) { release() }
}

extension ResponseContent {
    /// The length that the origin announced.
    static func announced(_ loaded: LoadedResponse) -> ResponseContent {
        loaded.contentLength.map { .length($0) } ?? .unknown
    }

    /// The length that the origin announced.
    static func relayed(_ head: ResponseHead, method: Method) -> ResponseContent {
        if method == .head { return head.contentLength.map { .length($0) } ?? .none }
        return switch head.framing {
        case .none: .none
        case .length(let count): .length(count)
        case .chunked, .untilClose: .unknown
        }
    }
}

/// Passes a resource's results to the exchange, on the exchange's loop.
///
/// `@unchecked Sendable` as `LoopBound` is: it adds no mutable state.
private final class WaiterRelay: LoopBound<ResourceExchange>, WaiterDelegate, @unchecked Sendable {
    let context: any DeliveryContext

    init(_ exchange: ResourceExchange, loop: EventLoop, context: any DeliveryContext) {
        self.context = context
        super.init(exchange, loop: loop)
    }

    func waiterDidReceiveInterim(_ head: ResponseHead) {
        let exchange = value
        var interim = head
        interim.fields = exchange.context.relayed(
            head.fields,
            kind: exchange.kind,
            of: exchange.uri,
            for: exchange.client,
            isFinal: false
        )
        exchange.client.sendInterim(interim)
    }

    func waiterDidReceive(_ result: CacheResult) { value.handle(result) }
}
