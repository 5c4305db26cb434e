import HTTPCore
import ResourceCore

/// How a request ended: with what, and whether that is news (S-125).
public struct ResponseInfo: Sendable {
    public var response: Response
    /// False where the data known before was confirmed.
    public var isNew: Bool
    /// The request to the network that brought it, also where chains have altered the response since (S-242).
    var origin: RequestOrigin?
    /// Head of the network's response, by which lifetimes are judged; nil if it came from elsewhere.
    var head: ResponseHead?

    /// What the caching stages of the pipeline put out; written once a load has been accepted (S-243).
    var stageOutputs: [StageOutput] = []

    public init(response: Response, isNew: Bool = true) {
        self.response = response
        self.isNew = isNew
    }

    /// Of a request that was given up (S-129).
    static func cancellation(_ networkError: (any Error)? = nil) -> ResponseInfo {
        ResponseInfo(response: .failure(RequestError(cause: RequestError.Cause.RequestCancelled(networkError))))
    }
}

/// Which resource was asked for over the network, and how.
struct RequestOrigin: Sendable, Hashable {
    /// `Resource.id`.
    let resourceID: UInt64
    /// As sent.
    let method: Method
}
