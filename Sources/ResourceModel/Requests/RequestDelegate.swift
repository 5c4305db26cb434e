import ResourceCore

/// The operation of a request: implement this for operations that are not HTTP requests (S-145).
///
/// `Resource.prepareRequest` makes a request of it. All functions may be called from any thread. Start and cancel are
/// called in this order, each at most once.
public protocol RequestDelegate: AnyObject, Sendable {
    /// Begins the operation; its result goes to `completionHandler`, at once or later, from any thread.
    func startUnderlyingOperation(passingResponseTo completionHandler: any RequestCompletionHandler)

    /// The request was cancelled: the result of the operation is no longer wanted.
    ///
    /// The request has completed already, perhaps without a start. The call MAY be ignored.
    func cancelUnderlyingOperation()

    /// A delegate that repeats the operation; self if it keeps nothing of the first one.
    func repeated() -> any RequestDelegate

    /// Between 0 and 1, or not a number if unknown.
    func computeProgress() -> Double

    /// How often hooks are notified of progress.
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

/// Receives the result of a delegate's operation.
public protocol RequestCompletionHandler: AnyObject, Sendable {
    /// Completes the request, unless it is completed: the first result counts (S-121, S-133).
    func broadcastResponse(_ newInfo: ResponseInfo)

    /// Whether `broadcastResponse` would have no effect.
    func willIgnore(_ responseInfo: ResponseInfo) -> Bool
}
