import Eventing
import Exchanges
import HTTPCaching
import HTTPCore
import HTTPServer
import Observability
import ResourceCore
import Transforms

/// Streams one request to its origin and the response back, past the store.
///
/// Bound to its loop. Neither direction buffers more than its credit: what the client does not take is not asked of the
/// origin, what the origin does not take is not read from the client (H-128, H-129).
final class PassExchange: ServerExchangeDelegate, ContentRecipient {
    let client: ServerExchange
    let responder: ProxyResponder
    private let uri: TargetURI
    private let kind: RouteKind
    private let outcome: CacheOutcome
    private var upstream: (any Exchange)?
    /// Bytes delivered to the client whose credit is not given back yet.
    private var owedCredit = 0
    private var hasBegun = false
    /// The protocol the client wants to go over to.
    private var upgrade: [UInt8]?
    /// What a pipeline makes of the response, where one may apply.
    private var rendition: PassedRendition?
    /// The response is being transformed: what comes of the origin goes in here.
    private var content: PassedContent?
    /// Sends what comes out.
    private var sender: LoadedContent?
    /// What a POST is sent to, and how often that had changed by then.
    private var posted: (resource: Resource, fields: Fields, changeCount: UInt64)?
    /// Takes the response to a POST for the store.
    private var storing: PostedContent?
    /// A response whose marks are not at rest yet, and what has come of it meanwhile.
    private var held: RetainedResponse?
    /// Told the final head before the client is.
    private let onHead: (ResponseHead) -> Void

    init(
        _ client: ServerExchange,
        uri: TargetURI,
        kind: RouteKind,
        outcome: CacheOutcome,
        responder: ProxyResponder,
        onHead: @escaping (ResponseHead) -> Void = { _ in }
    ) {
        self.client = client
        self.uri = uri
        self.kind = kind
        self.outcome = outcome
        self.responder = responder
        self.onHead = onHead
    }

    /// - Parameter upgrade: passed on to the origin as `Upgrade`.
    func start(fields: Fields, isAsterisk: Bool = false, upgrade: [UInt8]? = nil) {
        let configuration = responder.service.configuration(for: uri, method: client.head.method).values
        guard configuration.mode.mayLoad else {
            return responder.refuse(client, .notAsked(in: configuration.mode))
        }
        self.upgrade = upgrade
        client.delegate = self
        client.remark = "pass"
        if !isAsterisk {
            rendition = responder.service.passedRendition(for: uri, method: client.head.method) {
                clientRequest(fields)
            }
        }
        if client.head.method == .post, rendition == nil {
            let resource = responder.service.resource(for: uri)
            posted = (resource, fields, resource.changeCount)
        }
        var fields = rendition?.upstream(fields) ?? fields
        kind.injector?.inject(into: &fields)
        let request = OriginRequest(
            method: client.head.method,
            uri: uri,
            fields: fields,
            framing: framing,
            expectsContinue: client.head.expectsContinue,
            isServerWide: isAsterisk,
            client: client.peer.ipAddress,
            upgrade: upgrade,
            policies: configuration.policies,
            credential: kind.injector?.route.credential,
            identity: kind.injector?.route.identity,
            host: responder.originHost(client, kind)
        )
        upstream = responder.provider.start(request, receiver: ExchangeRelay(self, loop: client.loop))
    }

    private func clientRequest(_ fields: Fields) -> ClientRequest {
        ClientRequest(
            uri: uri,
            fields: fields,
            profile: RequestProfile(method: client.head.method, directives: RequestDirectives(fields)),
            arrival: client.arrivalTime,
            provider: responder.provider,
            gatewayHost: kind.form == .prefix ? client.head.fields.value(of: .host) : nil,
            gatewayIsSecure: kind.form == .prefix && client.isSecure
        )
    }

    /// As received; a method that defines content says so when it has none (H-051).
    private var framing: Framing {
        switch (client.head.framing, client.head.method) {
        case (.none, .post), (.none, .put), (.none, .patch): .length(0)
        default: client.head.framing
        }
    }

    // MARK: From the client

    func exchange(_ exchange: ServerExchange, didReceive chunk: ByteChunk) { upstream?.send(chunk) }

    func exchangeDidReceiveEnd(_ exchange: ServerExchange, trailers: Fields?) { upstream?.finish(trailers: trailers) }

    func exchange(_ exchange: ServerExchange, didFailContent failure: RequestContentFailure) {
        abandon()
        if hasBegun { client.cut() }
    }

    func exchangeDidDrain(_ exchange: ServerExchange) {
        if let sender { sender.send() } else { giveCredit() }
    }

    func exchangeDidLoseClient(_ exchange: ServerExchange) { abandon() }

    /// Gives the origin's exchange up; what it did of an unsafe request is unknown then (S-134).
    private func abandon() {
        release()
        guard let upstream else { return }
        self.upstream = nil
        upstream.cancel()
        if !client.head.method.isSafe { responder.invalidate(uri) }
    }

    /// Nobody takes what is transformed any more.
    private func release() {
        held.take()?.stopWaiting()
        countTransformed()
        storing = nil
        content?.cancel()
        content = nil
        sender?.cancel()
        sender = nil
    }

    /// Counts what a pipeline made, once; what is passed on as it comes is counted as it comes.
    private func countTransformed() {
        if sender != nil { responder.metrics.originBytes.add(Int(clamping: client.contentBytes)) }
    }

    private func giveCredit() {
        guard owedCredit > 0, client.mayWrite else { return }
        upstream?.grant(owedCredit)
        owedCredit = 0
    }
}

extension PassExchange: LoopExchangeReceiver {
    func didReceiveInterim(_ head: ResponseHead) {
        var interim = head
        interim.fields = responder.relayed(head.fields, kind: kind, of: uri, for: client)
        client.sendInterim(interim)
    }

    func didReceive(_ head: ResponseHead) {
        onHead(head)
        guard !client.head.method.isSafe else { return pass(head) }
        let marks = PendingMarks()
        storing = takePost(head, marks)
        responder.invalidate(
            afterRequest: client.head.method,
            uri: uri,
            response: head,
            but: storing == nil ? nil : uri,
            waiting: marks
        )
        if !hold(head, for: marks) { pass(head) }
    }

    private func pass(_ head: ResponseHead) {
        if transform(head) { return }
        responder.metrics.passes.add()
        hasBegun = true
        var received = head.fields
        if head.status == 304, let rendition { received = rendition.notModified(received) }
        var fields = responder.relayed(received, kind: kind, of: uri, for: client)
        var outcome = outcome
        outcome.forwardStatus = outcome.forwardStatus ?? head.status
        outcome.isStored = storing != nil
        fields.append(.cacheStatus, responder.cacheStatus(outcome))
        client.start(
            head.status,
            reason: head.reason,
            fields: fields,
            content: .relayed(head, method: client.head.method)
        )
    }

    func didReceive(_ chunk: ByteChunk) {
        if held != nil { held?.chunks.append(chunk) } else { pass(chunk) }
    }

    private func pass(_ chunk: ByteChunk) {
        if let content { return content.append(chunk) }
        storing?.append(chunk)
        responder.metrics.originBytes.add(chunk.count)
        client.write(chunk)
        owedCredit += chunk.count
        giveCredit()
    }

    func didEnd(trailers: Fields?) {
        if held != nil {
            held?.end = .whole(trailers: trailers)
            return
        }
        upstream = nil
        storing?.finish(trailers: trailers)
        storing = nil
        if let content { content.finish(trailers: trailers) } else { client.finish(trailers: trailers) }
    }

    /// Has the resource take a response to POST that is a representation of it, before anything else is invalidated.
    private func takePost(_ head: ResponseHead, _ marks: PendingMarks) -> PostedContent? {
        guard let (resource, fields, changeCount) = posted, resource.uri == uri else { return nil }
        let request = responder.clientRequest(client, for: resource, kind: kind, fields: fields)
        let marked = marks.begin()
        let content = resource.takePost(head, for: request, sentAt: changeCount, marked: marked)
        if content == nil { marked(true) }
        return content
    }

    func didFail(_ failure: ExchangeFailure) {
        if held != nil {
            held?.end = .failed(failure)
            return
        }
        upstream = nil
        storing = nil
        if failure.requestMayHaveArrived, !client.head.method.isSafe {
            responder.invalidate(uri)
        }
        if let content {
            content.fail(failure)
        } else if hasBegun {
            client.cut()
        } else {
            var outcome = outcome
            outcome.detail = failure.kind.rawValue
            let error = ResourceError(failure, time: client.loop.now)
            // What was not sent was forwarded to nobody.
            responder.respond(to: client, failure: error, uri: uri, outcome: error.isRemembered ? nil : outcome)
        }
    }

    /// The origin went over: from here on bytes pass unread, those that came behind either head first (H-077).
    func didSwitch(_ head: ResponseHead, to connection: any SwitchedConnection) {
        upstream = nil
        guard let upgrade, let far = (connection as? any StreamHolder)?.stream else {
            connection.close()
            return client.cut()
        }
        client.remark = "upgrade"
        responder.metrics.passes.add()
        let fields = responder.relayed(head.fields, kind: kind, of: uri, for: client)
        client.start(101, reason: head.reason, fields: fields, content: .none, upgrade: upgrade)
        responder.openTunnel(from: client, to: far, target: uri.host + Array(":\(uri.port)".utf8), route: .websocket)
    }

    func wantsContent(_ bytes: Int) { client.requestContent(bytes) }
}

// MARK: Through a pipeline

extension PassExchange {
    /// Begins to transform the response; false if nothing applies to it.
    private func transform(_ received: ResponseHead) -> Bool {
        guard let rendition, let upstream else { return false }
        var head = received
        HopByHop.strip(response: &head.fields)
        let context = responder.context
        let bound = LoopBound(self, loop: client.loop)
        content = rendition.begin(
            head,
            forbidsTransforming: CacheControl(head.fields).flags.contains(.noTransform),
            hasContent: client.head.method != .head && received.framing != .none,
            credit: OriginRequest.usualCredit,
            grant: { upstream.grant($0) },
            completion: { head in context.submit { bound.value.begin(head) } }
        )
        return content != nil
    }

    private func begin(_ head: PassedHead) {
        guard client.isOpen, content != nil else { return }
        switch head {
        case .failure(let failure):
            abandon()
            responder.respond(to: client, failure: failure.error(at: client.loop.now), uri: uri)
        case .response(let status, let received, let length, let body):
            responder.metrics.passes.add()
            hasBegun = true
            var fields = responder.relayed(received, kind: kind, of: uri, for: client)
            var outcome = outcome
            outcome.forwardStatus = outcome.forwardStatus ?? status
            fields.append(.cacheStatus, responder.cacheStatus(outcome))
            guard let body else {
                client.start(status, fields: fields, content: length.map { .length($0) } ?? .none)
                return client.finish()
            }
            client.start(status, fields: fields, content: length.map { .length($0) } ?? .unknown)
            guard let sender = LoadedContent(body, exchange: self) else { return cut() }
            self.sender = sender
            sender.send()
        }
    }

    func finish(trailers: Fields?) {
        countTransformed()
        client.finish(trailers: trailers)
        content = nil
        sender = nil
    }

    func cut() {
        client.cut()
        abandon()
    }
}

// MARK: Until it is marked

extension PassExchange {
    /// Lets the response wait until what it makes invalid is marked at rest; false if nothing is pending.
    private func hold(_ head: ResponseHead, for marks: PendingMarks) -> Bool {
        guard marks.isPending else { return false }
        let bound = LoopBound(self, loop: client.loop)
        guard marks.wait({ bound.submit { $0.finishWaiting() } }) else { return false }
        let timer = client.loop.schedule(after: responder.router.options.markingTime) { [weak self] in
            self?.finishWaiting()
        }
        held = RetainedResponse(head: head, marks: marks, timer: timer)
        return true
    }

    private func finishWaiting() {
        guard let response = held.take() else { return }
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
