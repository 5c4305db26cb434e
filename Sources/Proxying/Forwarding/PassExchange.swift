import Eventing
import Exchanges
import HTTPCaching
import HTTPCore
import HTTPServer
import Observability
import Outcomes
import ResourceCore
import Transforms

/// Streams one request to its origin and the response back, past the store.
///
/// Bound to its loop. Neither direction buffers more than its credit (H-128, H-129). Bytes that the client does not
/// accept are not requested from the origin, nor the other way round.
final class PassExchange: ServerExchangeDelegate {
    let client: ServerExchange
    let context: ProxyContext
    private let uri: TargetURI
    private let kind: RouteKind
    private let outcome: CacheOutcome
    /// Called with the final head before the client gets it.
    private let onHead: (ResponseHead) -> Void
    private var upstream: (any Exchange)?
    /// Bytes delivered to the client for which the origin has no new credit yet.
    private var owedCredit = 0
    private var hasBegun = false
    /// The protocol the client wants to switch to.
    private var upgrade: [UInt8]?
    /// Transforms the origin's response, if a pipeline applies.
    private var transformation: PassTransformation?
    /// Stores the response to a POST, if that may be a representation of the target.
    private var post: PostedRequest?
    /// The first content of a request that might have been a question.
    private let held: HeldContent?
    /// Whether the request may change what is stored, if its method is unsafe: a question does not.
    private let mayChange: Bool
    /// A response that waits until the store has marked what it invalidates.
    private var deferred: DeferredResponse?

    init(
        _ client: ServerExchange,
        uri: TargetURI,
        kind: RouteKind,
        outcome: CacheOutcome,
        context: ProxyContext,
        held: (content: HeldContent, mayChange: Bool)? = nil,
        onHead: @escaping (ResponseHead) -> Void = { _ in }
    ) {
        self.client = client
        self.uri = uri
        self.kind = kind
        self.outcome = outcome
        self.context = context
        self.held = held?.content
        mayChange = held?.mayChange ?? true
        self.onHead = onHead
    }

    /// - Parameter upgrade: passed on to the origin as `Upgrade`.
    func start(fields: Fields, isAsterisk: Bool = false, upgrade: [UInt8]? = nil) {
        let configuration = context.service.configuration(for: uri, method: client.head.method).values
        guard configuration.mode.mayLoad else { return context.refuse(client, .notAsked(in: configuration.mode)) }
        self.upgrade = upgrade
        client.delegate = self
        client.outcome = .pass
        if !isAsterisk {
            transformation = context.service.passedRendition(for: uri, method: client.head.method) {
                clientRequest(fields)
            }.map { PassTransformation($0) }
        }
        if client.head.method == .post, held == nil, transformation == nil, !context.options.bypassesStore {
            post = PostedRequest(context.service.resource(for: uri), fields)
        }
        var fields = transformation?.upstream(fields) ?? fields
        kind.injector?.inject(into: &fields)
        let request = OriginRequest(
            method: client.head.method,
            uri: uri,
            fields: fields,
            framing: framing,
            // Held content has been asked for already.
            expectsContinue: client.head.expectsContinue && held == nil,
            isServerWide: isAsterisk,
            client: context.requesting(client),
            upgrade: upgrade,
            policies: configuration.policies,
            credential: kind.injector?.route.credential,
            identity: kind.injector?.route.identity,
            host: context.originHost(client, kind)
        )
        upstream = context.provider(for: client).start(request, receiver: ExchangeRelay(self, loop: client.loop))
    }

    private func clientRequest(_ fields: Fields) -> ClientRequest {
        ClientRequest(
            uri: uri,
            fields: fields,
            profile: RequestProfile(method: client.head.method, directives: RequestDirectives(fields)),
            arrival: client.receivedAt,
            provider: context.provider,
            gatewayHost: kind.form == .prefix ? client.head.fields.value(of: .host) : nil,
            gatewayIsSecure: kind.form == .prefix && client.isSecure
        )
    }

    private var isUnsafe: Bool { mayChange && !client.head.method.isSafe }

    /// The framing as received; a request without content states so if its method usually has some (H-051).
    private var framing: Framing {
        switch (client.head.framing, client.head.method) {
        case (.none, .post), (.none, .put), (.none, .patch): .length(0)
        default: client.head.framing
        }
    }

    // MARK: From the client

    func exchange(_ exchange: ServerExchange, didReceive chunk: ByteChunk) {
        // What comes before the origin has asked for everything held comes after that.
        if let held, !held.isSent { _ = held.append(chunk) } else { upstream?.send(chunk) }
    }

    func exchangeDidReceiveEnd(_ exchange: ServerExchange, trailers: Fields?) {
        if let held, !held.isSent { held.end(trailers: trailers) } else { upstream?.finish(trailers: trailers) }
    }

    func exchange(_ exchange: ServerExchange, didFailContent failure: RequestContentFailure) {
        abandon()
        if hasBegun { client.cut() }
    }

    func exchangeDidDrain(_ exchange: ServerExchange) {
        if transformation?.send() != true { giveCredit() }
    }

    func exchangeDidLoseClient(_ exchange: ServerExchange) { abandon() }

    /// Abandons the exchange with the origin; whether an unsafe request took effect is then unknown (S-134).
    private func abandon() {
        deferred.take()?.stopWaiting()
        countTransformed()
        post?.cancel()
        transformation?.cancel()
        guard let upstream else { return }
        self.upstream = nil
        upstream.cancel()
        if isUnsafe { context.invalidate(uri) }
    }

    /// Counts transformed content, once; other content is counted while it is received.
    private func countTransformed() {
        if transformation?.isSending == true {
            context.metrics.originBytes.add(Int(clamping: client.contentBytes))
        }
    }

    private func giveCredit() {
        guard owedCredit > 0, client.mayWrite else { return }
        upstream?.grant(owedCredit)
        owedCredit = 0
    }

    // MARK: To the client

    /// Sends the head of the response, or begins to transform it.
    private func pass(_ head: ResponseHead) {
        if transform(head) { return }
        context.metrics.passes.add()
        hasBegun = true
        var received = head.fields
        if head.status == 304, let transformation { received = transformation.notModified(received) }
        var fields = context.relayed(received, kind: kind, of: uri, for: client)
        var outcome = outcome
        outcome.forwardStatus = outcome.forwardStatus ?? head.status
        outcome.isStored = post?.isStoring ?? false
        fields.append(.cacheStatus, context.cacheStatus(outcome, for: client))
        client.start(
            head.status,
            reason: head.reason,
            fields: fields,
            content: .relayed(head, method: client.head.method)
        )
    }

    private func pass(_ chunk: ByteChunk) {
        if transformation?.append(chunk) == true { return }
        post?.append(chunk)
        context.metrics.originBytes.add(chunk.count)
        client.write(chunk)
        owedCredit += chunk.count
        giveCredit()
    }

    /// Begins to transform the response; returns false if no pipeline applies.
    private func transform(_ received: ResponseHead) -> Bool {
        guard let transformation, let upstream else { return false }
        let delivery = context.deliveryContext
        let bound = LoopBound(self, loop: client.loop)
        return transformation.begin(received, for: client.head.method, upstream) { head in
            delivery.submit { bound.value.didTransform(head) }
        }
    }

    private func didTransform(_ head: PassedHead) {
        guard client.isOpen, let transformation, transformation.isActive else { return }
        switch head {
        case .failure(.interrupted(let failure)):
            abandon()
            respond(failure)
        case .failure(let failure):
            abandon()
            context.respond(to: client, failure: failure.error(at: client.loop.now))
        case .response(let status, let received, let length, let body):
            context.metrics.passes.add()
            hasBegun = true
            var fields = context.relayed(received, kind: kind, of: uri, for: client)
            var outcome = outcome
            outcome.forwardStatus = outcome.forwardStatus ?? status
            fields.append(.cacheStatus, context.cacheStatus(outcome, for: client))
            guard let body else {
                client.start(status, fields: fields, content: length.map { .length($0) } ?? .none)
                return client.finish()
            }
            client.start(status, fields: fields, content: length.map { .length($0) } ?? .unknown)
            if !transformation.send(body, to: self) { cut() }
        }
    }

    /// Responds for the origin, of whose response nothing was sent, whether or not it was to be transformed.
    private func respond(_ failure: ExchangeFailure) {
        var outcome = outcome
        outcome.detail = failure.kind.rawValue
        let error = ResourceError(failure, time: client.loop.now)
        // A request that was not sent was not forwarded.
        context.respond(to: client, failure: error, outcome: error.isRemembered ? nil : outcome)
    }

    // MARK: Until it is marked

    /// Makes the response wait until the store has marked what it invalidates; returns false if nothing is pending.
    private func deferResponse(_ head: ResponseHead, for marks: PendingMarks) -> Bool {
        let bound = LoopBound(self, loop: client.loop)
        guard marks.wait({ bound.submit { $0.finishWaiting() } }) else { return false }
        let timer = client.loop.schedule(after: context.router.options.markingTime) { [weak self] in
            self?.finishWaiting()
        }
        deferred = DeferredResponse(head: head, marks: marks, timer: timer)
        return true
    }

    private func finishWaiting() {
        guard let response = deferred.take() else { return }
        response.stopWaiting()
        pass(response.head)
        for chunk in response.chunks { pass(chunk) }
        switch response.end {
        case .whole(let trailers)?: didEnd(trailers: trailers)
        case .failed(let failure)?: didFail(failure)
        case nil: break
        }
    }
}

extension PassExchange: LoopExchangeReceiver {
    func didReceiveInterim(_ head: ResponseHead) {
        var interim = head
        interim.fields = context.relayed(head.fields, kind: kind, of: uri, for: client, isFinal: false)
        client.sendInterim(interim)
    }

    func didReceive(_ head: ResponseHead) {
        onHead(head)
        guard isUnsafe else { return pass(head) }
        let marks = PendingMarks()
        // Comes first: the invalidation below must not affect the new response.
        if let resource = post?.resource, resource.uri == uri, let fields = post?.fields {
            let request = context.clientRequest(client, for: resource, kind: kind, fields: fields)
            post?.begin(head, for: request, marks)
        }
        context.invalidate(
            afterRequest: client.head.method,
            uri: uri,
            response: head,
            except: post?.isStoring == true ? uri : nil,
            waiting: marks
        )
        if !deferResponse(head, for: marks) { pass(head) }
    }

    func didReceive(_ chunk: ByteChunk) {
        if deferred != nil { deferred?.chunks.append(chunk) } else { pass(chunk) }
    }

    func didEnd(trailers: Fields?) {
        if deferred != nil {
            deferred?.end = .whole(trailers: trailers)
            return
        }
        upstream = nil
        post?.finish(trailers: trailers)
        if transformation?.end(trailers: trailers) != true { client.finish(trailers: trailers) }
    }

    func didFail(_ failure: ExchangeFailure) {
        if deferred != nil {
            deferred?.end = .failed(failure)
            return
        }
        upstream = nil
        post?.cancel()
        if failure.requestMayHaveArrived, isUnsafe { context.invalidate(uri) }
        if transformation?.fail(failure) == true { return }
        if hasBegun { client.cut() } else { respond(failure) }
    }

    /// The origin switched protocols: from here on bytes pass unread, first those received behind either head (H-077).
    func didSwitch(_ head: ResponseHead, to connection: any SwitchedConnection) {
        upstream = nil
        guard let upgrade, let far = (connection as? any StreamHolder)?.stream else {
            connection.close()
            return client.cut()
        }
        client.outcome = .upgrade
        context.metrics.passes.add()
        let fields = context.relayed(head.fields, kind: kind, of: uri, for: client, isFinal: false)
        client.start(101, reason: head.reason, fields: fields, content: .none, upgrade: upgrade)
        context.openTunnel(from: client, to: far, target: uri.host + Array(":\(uri.port)".utf8), route: .websocket)
    }

    func wantsContent(_ bytes: Int) {
        guard let held else { return client.requestContent(bytes) }
        let part = held.takePart(bytes)
        if !part.isEmpty { upstream?.send(part) }
        guard held.isSent else { return }
        if held.isComplete {
            upstream?.finish(trailers: held.trailers)
        } else if bytes > part.count {
            client.requestContent(bytes - part.count)
        }
    }
}

extension PassExchange: ContentRecipient {
    func finish(trailers: Fields?) {
        countTransformed()
        client.finish(trailers: trailers)
        transformation?.didFinish()
    }

    func cut() {
        client.cut()
        abandon()
    }
}
