import Exchanges
import Locking
import ResourceCore

/// Completes a request for its delegate.
///
/// Keeps the request only while the operation runs. An operation that never reports after it was cancelled keeps
/// nothing but this object.
final class RequestCompletion: RequestCompletionHandler {
    private enum Holding {
        case request(Request)
        case ended(isCancelled: Bool)
    }

    private let holding: Lock<Holding>
    private let description: String

    init(_ request: Request) {
        holding = Lock(.request(request))
        description = request.delegate.requestDescription
    }

    func broadcastResponse(_ newInfo: ResponseInfo) {
        switch holding.withLock({ $0 }) {
        case .request(let request): request.receive(newInfo)
        case .ended(let isCancelled): Self.logIgnored(newInfo, by: description, isCancelled: isCancelled)
        }
    }

    func willIgnore(_ responseInfo: ResponseInfo) -> Bool {
        switch holding.withLock({ $0 }) {
        case .request(let request): request.isCompleted
        case .ended: true
        }
    }

    func release(isCancelled: Bool) {
        let former = holding.withLock { holding in
            defer { holding = .ended(isCancelled: isCancelled) }
            return holding
        }
        withExtendedLifetime(former) {}
    }

    /// Logs a warning for a second result, a detail for one after a cancellation, nothing for its echo (S-133).
    static func logIgnored(_ info: ResponseInfo, by description: String, isCancelled: Bool) {
        if !isCancelled {
            RespiteLog.log(.network, "WARNING: \(description) has a result already; ignored: \(info.response)")
        } else if !info.response.isCancellation {
            RespiteLog.log(.networkDetails, "\(description) was cancelled; ignored: \(info.response)")
        }
    }
}
