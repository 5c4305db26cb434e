import Exchanges
import HTTPCaching
public import HTTPCore
public import ResourceCore

extension Resource {
    /// Tells how a request would be answered now; nothing is loaded, served, stored or marked as used.
    ///
    /// - Parameters:
    ///   - method: others than GET and HEAD go past what is held.
    ///   - fields: the request's, as a client would send them.
    ///   - change: makes the request what the route it would come by makes of it.
    ///   - completion: called inside the call, or on a thread of the store if that had to be asked.
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

    private func explanation(_ request: ClientRequest, _ records: [StoredRecord]) -> Explanation {
        let effective = configuration(for: request.profile.method)
        return perform { transition in
            var decider = transition.decider(finding: records)
            func explainer(_ context: ResourceContext) -> Explainer {
                decider.context = context
                return Explainer(decider: decider, request: request, unstored: core.table.unstored(hash))
            }
            let other = transition.context.by(effective)
            guard request.profile.method == .get || request.isHead else { return explainer(other).explanationOfPassing }
            // What is stored is judged as for GET, unless nothing may be for HEAD.
            return explainer(effective.isNeverCached ? other : transition.context).explanation
        }
    }

    private var snapshotIsComplete: Bool { perform { $0.variants.lookUp == .known } }

    private func asked(_ method: Method, _ fields: Fields, _ change: (inout ClientRequest) -> Void) -> ClientRequest {
        let options = configuration.values.caching
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

/// In the place of a provider, for a request that is never made.
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
