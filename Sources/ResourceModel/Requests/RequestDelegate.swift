import ResourceCore

/// What a request does: implement this for operations that are not HTTP requests (S-145).
///
/// `Resource.prepareRequest` makes a request of it. All functions may be called from any thread; the two that start and cancel
/// one after another, in this order, and each at most once.
public protocol RequestDelegate: AnyObject, Sendable {
    /// Begins the operation; its result goes to `completionHandler`, at once or later, from any thread.
    func startUnderlyingOperation(passingResponseTo completionHandler: any RequestCompletionHandler)

    /// The request was cancelled: what the operation brings is of no interest any more.
    ///
    /// The request has completed already. It MAY never have been started. MAY be ignored.
    func cancelUnderlyingOperation()

    /// A delegate for the same operation once more; self if it keeps nothing of the first.
    func repeated() -> any RequestDelegate

    /// 0…1, or not a number if nothing can be said.
    func computeProgress() -> Double

    /// How often hooks are told of progress.
    var progressReportingInterval: Duration { get }

    /// For log messages.
    var requestDescription: String { get }
}

extension RequestDelegate {
    public func cancelUnderlyingOperation() {}
    public func computeProgress() -> Double { 0 }
    public var progressReportingInterval: Duration { .milliseconds(50) }
    public var requestDescription: String { "\(Self.self)" }
}

/// Where a delegate puts the result of its operation.
public protocol RequestCompletionHandler: AnyObject, Sendable {
    /// Completes the request, if it is not completed: the first result counts (S-121, S-133).
    func broadcastResponse(_ newInfo: ResponseInfo)

    /// Whether `broadcastResponse` would have no effect.
    func willIgnore(_ responseInfo: ResponseInfo) -> Bool
}
