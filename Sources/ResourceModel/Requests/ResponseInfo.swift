import HTTPCore
import ResourceCore

/// The result of a request, and whether it is new (S-125).
public struct ResponseInfo: Sendable {
    public var response: Response
    /// False if known data was confirmed.
    public var isNew: Bool
    /// The network request that brought it, even if chains have altered the response since (S-242).
    var origin: RequestOrigin?
    /// The head of the network's response, which decides lifetimes; nil if there was none.
    var head: ResponseHead?

    /// Whether it is what the resource had already, and no server was asked.
    private(set) var isKnown = false

    /// The output of the caching stages; written once a load has been accepted (S-243).
    var stageOutputs: [StageOutput] = []

    public init(response: Response, isNew: Bool = true) {
        self.response = response
        self.isNew = isNew
    }

    /// What a resource has already: the data is up to date.
    static func known(_ entity: Entity<any Sendable>) -> ResponseInfo {
        var info = ResponseInfo(response: .success(entity), isNew: false)
        info.isKnown = true
        return info
    }

    /// For a request that was cancelled (S-129).
    static func cancellation(_ networkError: (any Error)? = nil) -> ResponseInfo {
        ResponseInfo(response: .failure(RequestError(cause: RequestError.Cause.RequestCancelled(networkError))))
    }
}

/// Type of the content or the reason, and whether it is new; never the content itself.
extension ResponseInfo: CustomStringConvertible {
    /// Such as `success: application/json, new`.
    public var description: String {
        guard case .success = response else { return response.description }
        return "\(response), \(isNew ? "new" : "not modified")"
    }
}

/// The resource and method of a network request.
struct RequestOrigin: Sendable, Hashable {
    /// `Resource.id`.
    let resourceID: UInt64
    /// As sent.
    let method: Method
}
