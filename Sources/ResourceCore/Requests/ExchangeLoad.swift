import HTTPCore
import Locking

/// How a load that runs over an exchange ended.
enum RequestOutcome: Sendable {
    /// The response; nil if it was too large to be kept.
    case newData(StoredResponse?)
    case notModified(StoredResponse)
    case failure(ResourceError)
    case cancelled
    /// What a load by a request brought to one who waited for it.
    case info(ResponseInfo)
}

/// The request of a load that its resource runs over an exchange: the resource completes it.
///
/// Does not keep the resource: when the program holds neither that nor its service, the request is cancelled.
final class ExchangeLoad: RequestDelegate {
    private struct Ends {
        weak var request: Request?
    }

    private weak let resource: Resource?
    private let ends = Lock(Ends())

    init(_ resource: Resource) { self.resource = resource }

    func serve(_ request: Request) { ends.withLock { $0.request = request } }

    func startUnderlyingOperation(passingResponseTo completionHandler: any RequestCompletionHandler) {}

    func repeated() -> any RequestDelegate { resource.map(ExchangeLoad.init) ?? self }

    var requestDescription: String { "load of \(resource?.uri.text ?? "a resource that is gone")" }

    func cancelUnderlyingOperation() {
        if let request = ends.withLock({ $0.request }) { resource?.cancel(request) }
    }
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

    func complete(_ outcome: RequestOutcome) {
        receive(outcome.info)
    }
}

extension RequestOutcome {
    fileprivate var info: ResponseInfo {
        switch self {
        case .newData(let stored?): ResponseInfo(response: .success(stored.entity), isNew: true)
        case .newData(nil):
            ResponseInfo(response: .failure(RequestError(cause: RequestError.Cause.ContentTooLarge())))
        case .notModified(let stored): ResponseInfo(response: .success(stored.entity), isNew: false)
        case .failure(let error): ResponseInfo(response: .failure(RequestError(error)))
        case .cancelled: .cancellation()
        case .info(let info): info
        }
    }
}

extension StoredResponse {
    /// As programs see it: octets if they are in memory, else a `RecordBody`.
    var entity: Entity<any Sendable> {
        let content: any Sendable =
            if case .octets(let chunks) = body { chunks.flatMap(\.octets) } else { body }
        return Entity(response: fields, content: content, timestamp: Timestamp(responseTime))
    }
}
