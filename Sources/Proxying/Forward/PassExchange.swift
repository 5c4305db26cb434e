import Eventing
import HTTPCore
import HTTPServer
import Observability
import ResourceCore

/// Streams one request to its origin and the response back, past the store.
///
/// Bound to its loop. Neither direction buffers more than its credit: what the client does not take is not asked of the
/// origin, what the origin does not take is not read from the client (H-128, H-129).
final class PassExchange: ServerExchangeDelegate {
    private let client: ServerExchange
    private let responder: ProxyResponder
    private let uri: TargetURI
    private let kind: RouteKind
    private let outcome: CacheOutcome
    private var upstream: (any Exchange)?
    /// Octets delivered to the client whose credit is not given back yet.
    private var owedCredit = 0
    private var hasBegun = false
    /// The protocol the client wants to go over to.
    private var upgrade: [UInt8]?
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
        self.upgrade = upgrade
        client.delegate = self
        client.remark = "pass"
        responder.metrics.passes.add()
        var request = OriginRequest(method: client.head.method, uri: uri, fields: fields, framing: framing)
        request.expectsContinue = client.head.expectsContinue
        request.isServerWide = isAsterisk
        request.upgrade = upgrade
        upstream = responder.provider.start(request, receiver: ExchangeRelay(self, loop: client.loop))
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

    func exchangeDidDrain(_ exchange: ServerExchange) { giveCredit() }

    func exchangeDidLoseClient(_ exchange: ServerExchange) { abandon() }

    /// Gives the origin's exchange up; what it did of an unsafe request is unknown then (S-134).
    private func abandon() {
        guard let upstream else { return }
        self.upstream = nil
        upstream.cancel()
        if !client.head.method.isSafe { responder.invalidate(uri) }
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
        interim.fields = responder.relayed(head.fields, kind: kind, of: uri)
        client.sendInterim(interim)
    }

    func didReceive(_ head: ResponseHead) {
        hasBegun = true
        onHead(head)
        responder.invalidate(afterRequest: client.head.method, uri: uri, response: head)
        var fields = responder.relayed(head.fields, kind: kind, of: uri)
        var outcome = outcome
        outcome.forwardStatus = outcome.forwardStatus ?? head.status
        fields.append(.cacheStatus, responder.cacheStatus(outcome))
        client.start(
            head.status,
            reason: head.reason,
            fields: fields,
            content: .relayed(head, method: client.head.method)
        )
    }

    func didReceive(_ chunk: ByteChunk) {
        client.write(chunk)
        owedCredit += chunk.count
        giveCredit()
    }

    func didEnd(trailers: Fields?) {
        upstream = nil
        client.finish(trailers: trailers)
    }

    func didFail(_ failure: ExchangeFailure) {
        upstream = nil
        if failure.requestMayHaveArrived, !client.head.method.isSafe {
            responder.invalidate(uri)
        }
        if hasBegun {
            client.cut()
        } else {
            responder.respond(to: client, failure: ResourceError(failure, time: client.loop.now), uri: uri)
        }
    }

    /// The origin went over: from here on octets pass unread, those that came behind either head first (H-077).
    func didSwitch(_ head: ResponseHead, to connection: any SwitchedConnection) {
        upstream = nil
        // The conformance is the provider's, unknown here.
        guard let upgrade, let far = (connection as AnyObject) as? Eventing.Stream else {
            connection.close()
            return client.cut()
        }
        client.remark = "upgrade"
        let fields = responder.relayed(head.fields, kind: kind, of: uri)
        client.start(101, reason: head.reason, fields: fields, content: .none, upgrade: upgrade)
        guard let near = client.takeOver() else { return far.close() }
        responder.metrics.tunnels.add()
        Tunnel(
            near: near,
            far: far,
            idleTimeout: responder.options.tunnelIdleTimeout,
            lifetime: responder.options.tunnelLifetime
        )
        .start()
    }

    func wantsContent(_ octets: Int) { client.requestContent(octets) }
}
