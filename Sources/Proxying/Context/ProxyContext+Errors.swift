import Exchanges
import HTTPCaching
import HTTPCore
import HTTPServer
import Observability
import Outcomes
import Transforms

/// Error responses of ours.
extension ProxyContext {
    /// Refuses a request.
    ///
    /// - Parameter outcome: the value of Cache-Status, if the cache refuses.
    func refuse(_ exchange: ServerExchange, _ refusal: Refusal, _ outcome: CacheOutcome? = nil) {
        metrics.refusals.add()
        exchange.outcome = .refused
        if refusal.concernsSettings {
            router.options.refusalLog?.note(exchange, refusal.status, kind: refusal.kind, refusal.detail)
        }
        if refusal.endsConnection { exchange.closeAfterResponse() }
        let outcome = outcome ?? refusal.cacheDetail.map { CacheOutcome(isHit: false, detail: $0) }
        let status = ProxyStatus(
            error: refusal.type,
            receivedStatus: refusal.receivedStatus,
            details: refusal.detail
        )
        respond(
            to: exchange,
            refusal.status,
            status,
            outcome,
            retryAfter: refusal.retryAfterSeconds.map { "\($0)" },
            challenge: refusal.asksForLogin ? Self.challenge : nil
        )
    }

    /// RFC 7617 §2; passwords are UTF-8.
    private static let challenge = "Basic realm=\"Respite\", charset=\"UTF-8\""

    /// Responds to a request for which there is no response; errors of ours are never stored (H-124).
    ///
    /// - Parameter outcome: the value of Cache-Status; by default it follows from the failure.
    func respond(to exchange: ServerExchange, failure: ResourceError, outcome: CacheOutcome? = nil) {
        // A forbidden address is known only once the name has led there.
        let isRefusal = failure.status == 403
        (isRefusal ? metrics.refusals : metrics.failures).add()
        exchange.outcome = isRefusal ? .refused : .error
        if let transformation = failure.transformation { return respond(to: exchange, failure, transformation) }
        if let outage = failure.outage { return respond(to: exchange, failure, outage) }
        let detail =
            failure.isRemembered ? failure.userMessage + " (remembered; tried again soon)" : failure.userMessage
        let type = failure.kind.flatMap { ProxyErrorType(rawValue: $0.rawValue) } ?? .proxyInternalResponse
        if isRefusal {
            router.options.refusalLog?.note(exchange, failure.status, kind: type.rawValue, detail)
        }
        respond(
            to: exchange,
            failure.status,
            ProxyStatus(
                error: type,
                receivedStatus: failure.receivedStatus,
                alert: failure.alert,
                details: detail
            ),
            outcome ?? CacheOutcome(failure),
            retryAfter: failure.status == 503 || failure.retryAfter != nil ? Self.retryAfter(failure) : nil
        )
    }

    /// Whole seconds, at least one.
    private static func retryAfter(_ failure: ResourceError) -> String {
        let (seconds, attoseconds) = (failure.retryAfter ?? .seconds(1)).components
        return "\(max(1, seconds + (attoseconds > 0 ? 1 : 0)))"
    }

    /// Responds while the origin is down, with what is known about it as members of the document.
    private func respond(to exchange: ServerExchange, _ failure: ResourceError, _ outage: OriginOutage) {
        let members: [ProblemDocument.Member] = [
            .init("origin", outage.origin),
            .init("error", outage.kind.rawValue),
            .init("reason", outage.reason),
            .init("since", String(decoding: outage.since.bytes, as: UTF8.self)),
            .init("attempts", "\(outage.failures)"),
            .init("nextAttemptSeconds", "\(outage.wholeSeconds)"),
        ]
        exchange.respond(
            ProblemDocument(status: failure.status, detail: failure.userMessage, members: members),
            status: ProxyStatus(error: .destinationUnavailable, details: failure.userMessage),
            fields: [
                (.retryAfter, Self.retryAfter(failure)),
                (.cacheStatus, cacheStatusText(CacheOutcome(failure), exchange)),
            ]
        )
    }

    /// A pipeline failed: stage, transformer and cause are members of the document.
    private func respond(
        to exchange: ServerExchange,
        _ failure: ResourceError,
        _ transformation: TransformationFailure
    ) {
        let members: [ProblemDocument.Member] = [
            .init("stage", transformation.stage),
            .init("transformer", transformation.transformer),
            .init("cause", transformation.failure.userMessage),
            .init("reason", transformation.failure.reason.rawValue),
        ]
        exchange.respond(
            ProblemDocument(status: failure.status, detail: failure.userMessage, members: members),
            status: ProxyStatus(error: .proxyInternalError, details: failure.userMessage),
            fields: [(.cacheStatus, cacheStatusText(CacheOutcome(failure), exchange))]
        )
    }

    private func respond(
        to exchange: ServerExchange,
        _ status: UInt16,
        _ proxyStatus: ProxyStatus,
        _ outcome: CacheOutcome?,
        retryAfter: String? = nil,
        challenge: String? = nil
    ) {
        var fields: [(KnownField, String)] = []
        if let outcome { fields.append((.cacheStatus, cacheStatusText(outcome, exchange))) }
        if outcome?.detail == nil, let error = proxyStatus.error { notes(about: exchange)?.note(error.rawValue) }
        if let retryAfter { fields.append((.retryAfter, retryAfter)) }
        if let challenge { fields.append((.proxyAuthenticate, challenge)) }
        if status == 405 { fields.append((.allow, "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")) }
        exchange.respond(
            ProblemDocument(status: status, detail: proxyStatus.details ?? ""),
            status: proxyStatus,
            fields: fields
        )
    }

    private func cacheStatusText(_ outcome: CacheOutcome, _ exchange: ServerExchange) -> String {
        String(decoding: cacheStatus(outcome, for: exchange), as: UTF8.self)
    }
}
