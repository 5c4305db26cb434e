import Exchanges
import HTTPCore
import Locking
import ResourceCore
import Transforms

/// How a load ended whose request its resource completes.
enum RequestOutcome: Sendable {
    /// Over an exchange.
    case load(LoadOutcome)
    /// By another request.
    case info(ResponseInfo)
}

/// The request of a load that its resource runs and completes.
///
/// The load goes over an exchange, or, where a look-up had to be waited for, by another request.
/// Does not keep the resource: when the program holds neither that nor its service, the request is cancelled.
final class ExchangeLoad: RequestDelegate {
    /// What brings the result.
    enum Source {
        /// Nothing yet: it is still being looked up whether a load is needed.
        case none
        case exchange(Load)
        case request(Request)
    }

    private struct State {
        weak var request: Request?
        var source = Source.none
    }

    private weak let resource: Resource?
    private weak let core: ServiceCore?
    private let uri: TargetURI
    private let resourceID: UInt64
    private let state = Lock(State())

    init(_ resource: Resource) {
        self.resource = resource
        core = resource.core
        uri = resource.uri
        resourceID = resource.id
    }

    func serve(_ request: Request) { state.withLock { $0.request = request } }

    func startUnderlyingOperation(passingResponseTo completionHandler: any RequestCompletionHandler) {}

    /// A plain request, which changes nothing of the resource (S-135).
    func repeated() -> any RequestDelegate {
        if let resource { return NetworkRequestDelegate(resource.loadOrder) }
        guard let core else { return EndedLoad(requestDescription) }
        return NetworkRequestDelegate(
            NetworkRequestDelegate.Order(
                core: core,
                uri: uri,
                resourceID: resourceID,
                method: .get,
                mutation: { _ in },
                knownData: { nil }
            )
        )
    }

    var requestDescription: String { "load of \(uri.text)" }

    func cancelUnderlyingOperation() {
        if let request = state.withLock({ $0.request }) { resource?.cancel(request) }
        releaseExchange()
    }

    // MARK: What brings the result

    /// From now on `source` does; former ones are let go.
    func follow(_ source: Source) {
        // What was there is released outside of the lock.
        let former = state.withLock { state in
            defer { state.source = source }
            return state.source
        }
        withExtendedLifetime(former) {}
    }

    /// It is over: the exchange's provider is not kept for its sake.
    func releaseExchange() { if case .exchange = source { follow(.none) } }

    /// The request this one stands for, if there is one.
    var sourceRequest: Request? { if case .request(let request) = source { request } else { nil } }

    private var source: Source { state.withLock { $0.source } }

    func computeProgress() -> Double {
        switch source {
        case .none: 0
        case .exchange(let load): load.progress
        case .request(let request): request.progress
        }
    }

    var progressReportingInterval: Duration {
        resource?.configuration.values.progressReportingInterval ?? Configuration().progressReportingInterval
    }
}

/// The repetition of a load whose service is gone: cancelled, as the load would be.
private final class EndedLoad: RequestDelegate {
    let requestDescription: String

    init(_ requestDescription: String) { self.requestDescription = requestDescription }

    func startUnderlyingOperation(passingResponseTo completionHandler: any RequestCompletionHandler) {
        completionHandler.broadcastResponse(.cancellation())
    }

    func repeated() -> any RequestDelegate { self }
}

extension Request {
    /// The request of a load that `resource` runs over an exchange.
    convenience init(_ resource: Resource) {
        let delegate = ExchangeLoad(resource)
        self.init(
            delegate: delegate,
            delivery: resource.core.delivery,
            timekeeper: resource.core.table.environment.timekeeper,
            isUnderWay: true
        )
        delegate.serve(self)
    }

    /// The resource that follows the request knows how it ended.
    func complete(_ outcome: RequestOutcome) {
        receive(outcome.info)
        (delegate as? ExchangeLoad)?.releaseExchange()
    }

    /// The resource that completes this request has `source` bring its result.
    func follow(_ source: ExchangeLoad.Source) { (delegate as? ExchangeLoad)?.follow(source) }
}

extension Request: LoadCaller, ProgressSource {
    func follow(_ load: Load) { follow(.exchange(load)) }
    func loadDidEnd(_ outcome: LoadOutcome) { complete(.load(outcome)) }
}

extension RequestOutcome {
    fileprivate var info: ResponseInfo {
        switch self {
        case .load(.newData(let stored?)): ResponseInfo(response: .success(stored.entity), isNew: true)
        case .load(.newData(nil)):
            ResponseInfo(response: .failure(RequestError(cause: RequestError.Cause.ContentTooLarge())))
        case .load(.notModified(let stored)): ResponseInfo(response: .success(stored.entity), isNew: false)
        case .load(.failure(let error)): ResponseInfo(response: .failure(RequestError(error)))
        case .load(.cancelled): .cancellation()
        case .info(let info): info
        }
    }
}

extension StoredResponse {
    /// As programs see it: bytes if they are in memory, else a `RecordBody`.
    var entity: Entity<any Sendable> {
        let content: any Sendable =
            if case .bytes(let bytes) = body { bytes } else { body }
        return Entity(response: fields, content: content, timestamp: Timestamp(responseTime))
    }
}
