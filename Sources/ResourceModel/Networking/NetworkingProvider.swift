import Exchanges
public import HTTPCore
import ResourceCore

/// Sends requests to servers and returns their responses (S-147 to S-150).
///
/// It alone handles connections: TLS, limits, time-outs, redirects.
public protocol NetworkingProvider: NetworkingProviderConvertible {
    /// Begins a request and returns at once.
    ///
    /// MUST call `completion` exactly once, from any thread; after `cancel()` with an error.
    func startRequest(
        _ request: HTTPRequest,
        completion: @escaping @Sendable (NetworkingResult) -> Void
    ) -> any RequestNetworking

    /// Whether it sends the file that `HTTPRequest.bodyFile` names, and gives content to `HTTPRequest.sink`.
    ///
    /// By default it does not. Files are then read into memory before requests, and content is written to files after
    /// them.
    var transfersFiles: Bool { get }
}

extension NetworkingProvider {
    public var transfersFiles: Bool { false }
}

/// Converts to a provider (S-149).
public protocol NetworkingProviderConvertible: Sendable {
    var networkingProvider: any NetworkingProvider { get }
}

extension NetworkingProvider {
    public var networkingProvider: any NetworkingProvider { self }
}

/// A request in progress at a provider.
public protocol RequestNetworking: Sendable {
    /// Cancels the request; without effect once it is over.
    func cancel()
    /// The progress so far; read often.
    var transferMetrics: RequestTransferMetrics { get }
}

/// Bytes sent and received (S-148).
public struct RequestTransferMetrics: Sendable, Hashable {
    /// Of the request's content.
    public var requestBytesSent: Int64
    /// Nil, zero or negative: unknown; equal to `requestBytesSent` once everything is sent.
    public var requestBytesTotal: Int64?
    /// Of the response's content.
    public var responseBytesReceived: Int64
    /// Nil, zero or negative: unknown.
    public var responseBytesTotal: Int64?

    public init(
        requestBytesSent: Int64 = 0,
        requestBytesTotal: Int64? = nil,
        responseBytesReceived: Int64 = 0,
        responseBytesTotal: Int64? = nil
    ) {
        self.requestBytesSent = requestBytesSent
        self.requestBytesTotal = requestBytesTotal
        self.responseBytesReceived = responseBytesReceived
        self.responseBytesTotal = responseBytesTotal
    }
}

extension ProgressEstimator {
    /// Notes the metrics that a provider reports.
    mutating func update(_ metrics: RequestTransferMetrics, now: MonotonicTime) {
        update(
            sent: metrics.requestBytesSent,
            sentTotal: metrics.requestBytesTotal,
            received: metrics.responseBytesReceived,
            receivedTotal: metrics.responseBytesTotal,
            now: now
        )
    }
}

/// The result of a request at a provider; each part may be missing.
public struct NetworkingResult: Sendable {
    /// Status and fields.
    public var head: ResponseHead?
    /// Nil or empty: the response had no content, or that went to a sink.
    public var content: [UInt8]?
    /// Where a download went; providers leave it nil.
    var file: DownloadedFile?
    /// Why the response did not come completely.
    public var error: (any Error)?

    public init(head: ResponseHead? = nil, content: [UInt8]? = nil, error: (any Error)? = nil) {
        self.head = head
        self.content = content
        self.error = error
    }
}
