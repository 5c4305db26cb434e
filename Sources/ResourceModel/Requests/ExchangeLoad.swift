import Configurations
import Exchanges
import HTTPCore
import Locking
import ResourceCore
import Transforms

/// The outcome of a load, for a request that its resource completes.
enum RequestOutcome: Sendable {
    /// Over an exchange.
    case load(LoadOutcome)
    /// By another request.
    case info(ResponseInfo)
}

/// The delegate of a request that its resource runs and completes as a load.
///
/// The load runs over an exchange, or over another request if it had to wait for a look-up. It does not keep the
/// resource: without a reference to that or its service, the request is cancelled, and says so.
final class ExchangeLoad: RequestDelegate {
    /// What brings the result.
    enum Source {
        /// Nothing yet: the look-up shows whether a load is needed.
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

    /// A request of its own, which changes nothing of the resource (S-135).
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

    // MARK: The source of the result

    /// Sets what brings the result, and releases the former source.
    func follow(_ source: Source) {
        // The former source is released outside of the lock.
        let former = state.withLock { state in
            defer { state.source = source }
            return state.source
        }
        withExtendedLifetime(former) {}
    }

    /// The request is over: it no longer keeps the exchange's provider.
    func releaseExchange() { if case .exchange = source { follow(.none) } }

    /// The request that brings the result, if one does.
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

/// The repetition of a load whose service is gone: it ends as cancelled, as the load would.
private final class EndedLoad: RequestDelegate {
    let requestDescription: String

    init(_ requestDescription: String) { self.requestDescription = requestDescription }

    func startUnderlyingOperation(passingResponseTo completionHandler: any RequestCompletionHandler) {
        completionHandler.broadcastResponse(.cancellation(RequestError.Cause.ServiceDropped()))
    }

    func repeated() -> any RequestDelegate { self }
}

extension Request {
    /// A request for a load that `resource` runs over an exchange.
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

    /// The resource completes the request with this outcome.
    func complete(_ outcome: RequestOutcome) {
        receive(outcome.info)
        (delegate as? ExchangeLoad)?.releaseExchange()
    }

    /// The resource has `source` bring the result of this request.
    func follow(_ source: ExchangeLoad.Source) { (delegate as? ExchangeLoad)?.follow(source) }
}

extension Request: LoadCaller, ProgressSource {
    package func follow(_ load: Load) { follow(.exchange(load)) }
    package func loadDidEnd(_ outcome: LoadOutcome) { complete(.load(outcome)) }
    package func cancel(isServiceDropped: Bool) {
        cancel(because: isServiceDropped ? RequestError.Cause.ServiceDropped() : nil)
    }
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
    /// The entity that programs see: bytes if they are in memory, else a `RecordBody`.
    var entity: Entity<any Sendable> {
        let content: any Sendable =
            if case .bytes(let bytes) = body { bytes } else { body }
        return Entity(response: fields, content: content, timestamp: Timestamp(responseTime))
    }
}
