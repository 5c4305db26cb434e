import Exchanges
import HTTPCaching
public import HTTPCore
public import ResourceCore
import Stores

extension Resource {
    /// Explains how a request would be answered now; loads, serves, stores and counts nothing.
    ///
    /// - Parameters:
    ///   - method: methods other than GET and HEAD bypass stored responses.
    ///   - fields: the fields that a client would send.
    ///   - change: makes the changes that the request's route would make.
    ///   - completion: called inside this call, or on a thread of the store if that has to be asked.
    public func explain(
        _ method: Method,
        _ fields: Fields,
        _ change: (inout ClientRequest) -> Void = { _ in },
        _ completion: @escaping @Sendable (Explanation) -> Void
    ) {
        let request = asked(method, fields, change)
        guard let store = environment.store, !snapshotIsComplete else { return completion(explanation(request, [])) }
        store.lookUp(uri) { [self] records in completion(explanation(request, records)) }
    }

    /// The load that a request would begin now, as a provider sees it; the parameters are those of `explain`.
    public func facts(
        _ method: Method,
        _ fields: Fields,
        _ change: (inout ClientRequest) -> Void = { _ in }
    ) -> LoadFacts {
        let request = asked(method, fields, change)
        return LoadFacts(request: request, effective: configuration(for: method), environment: environment)
    }

    private func explanation(_ request: ClientRequest, _ records: [StoredRecord]) -> Explanation {
        let effective = configuration(for: request.profile.method)
        return perform { transition in
            var decider = transition.decider(finding: records)
            func explainer(_ context: ResourceContext) -> Explainer {
                decider.context = context
                return Explainer(decider: decider, request: request, unstored: core.table.unstored(hash))
            }
            let other = transition.context.by(effective)
            if let denied = explainer(other).denial { return denied }
            guard request.profile.method == .get || request.isHead else { return explainer(other).bypassExplanation }
            // Stored responses are judged as for GET, unless nothing may be stored for HEAD.
            return explainer(effective.isNeverCached ? other : transition.context).explanation
        }
    }

    private var snapshotIsComplete: Bool { perform { $0.variants.lookUp == .known } }

    private func asked(_ method: Method, _ fields: Fields, _ change: (inout ClientRequest) -> Void) -> ClientRequest {
        let options = configuration.values.caching
        var fields = fields
        for edits in configuration.values.requestEdits { edits.apply(to: &fields) }
        func partition(includingCookie: Bool) -> Partition? {
            options.credentials.text(of: fields, includingCookie: includingCookie)
                .map { .credential(environment.hasher.hash($0)) }
        }
        var request = ClientRequest(
            uri: uri,
            fields: fields,
            profile: RequestProfile(method: method, fields: fields, credentialFields: options.credentials),
            partitions: Partitions(
                own: partition(includingCookie: true),
                credential: partition(includingCookie: false)
            ),
            arrival: environment.timekeeper.now,
            provider: NoProvider()
        )
        change(&request)
        request.prepare(configuration.values, environment)
        return request
    }
}

/// The provider of a request that is never made.
private final class NoProvider: ExchangeProvider {
    private final class Nowhere: DeliveryContext {
        let isCurrent = true
        func submit(_ work: @escaping @Sendable () -> Void) {}
    }

    private final class NoExchange: Exchange {
        func grant(_ bytes: Int) {}
        func send(_ chunk: ByteChunk) {}
        func finish(trailers: Fields?) {}
        func cancel() {}
    }

    let context: any DeliveryContext = Nowhere()

    func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange { NoExchange() }
}
