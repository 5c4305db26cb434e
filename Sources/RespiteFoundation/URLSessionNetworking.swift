import Foundation
import HTTPCore
public import ResourceModel

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Carries requests by a `URLSession` of the platform's, TLS included.
///
/// Files to send are read into memory, up to 64 MiB each; `HTTPClient` sends files of any size. The session keeps
/// nothing: no cache below the resources (S-007), no cookies, no credentials. Redirects are handed on as
/// responses unless asked for otherwise (S-108): what another URL brings is another resource's.
public final class URLSessionNetworking: NetworkingProvider {
    /// What becomes of a 3xx with a `Location`.
    public enum Redirects: Sendable {
        /// The response is the result.
        case relay
        /// The session follows it; the last response counts as that of the URL asked for.
        case follow
    }

    /// Bytes of content a response may have, if nothing else is said.
    public static let usualContentLimit = 64 << 20

    private let session: URLSession
    private let transfers: SessionTransfers

    /// A session of its own.
    ///
    /// - Parameters:
    ///   - redirects: what becomes of redirections.
    ///   - contentLimit: bytes of content; a response with more fails.
    public convenience init(
        redirects: Redirects = .relay,
        contentLimit: Int = URLSessionNetworking.usualContentLimit
    ) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        self.init(configuration: configuration, redirects: redirects, contentLimit: contentLimit)
    }

    /// A session with a configuration of the program's.
    ///
    /// - Parameters:
    ///   - configuration: should have no cache, which would answer in the place of servers.
    ///   - redirects: what becomes of redirections.
    ///   - contentLimit: bytes of content; a response with more fails.
    public init(
        configuration: URLSessionConfiguration,
        redirects: Redirects = .relay,
        contentLimit: Int = URLSessionNetworking.usualContentLimit
    ) {
        FoundationErrors.register()
        transfers = SessionTransfers(follows: redirects == .follow, contentLimit: contentLimit)
        session = URLSession(configuration: configuration, delegate: transfers, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    public var transfersFiles: Bool { true }

    public func startRequest(
        _ request: HTTPRequest,
        completion: @escaping @Sendable (NetworkingResult) -> Void
    ) -> any RequestNetworking {
        // Foundation ends the program if a server answers before it has read a file that a task sends.
        if request.bodyFile != nil { return startFromMemory(request, completion: completion) }
        let native: URLRequest
        do {
            native = try URLRequest(request)
        } catch {
            completion(NetworkingResult(error: error))
            return NoTask()
        }
        let task = session.dataTask(with: native)
        transfers.add(task, sink: request.sink, completion)
        task.resume()
        return SessionTask(task: task)
    }
}

extension URLSession: NetworkingProviderConvertible {
    /// Requests go through a session with this one's configuration.
    public var networkingProvider: any NetworkingProvider { URLSessionNetworking(configuration: configuration) }
}

/// A request under way.
private struct SessionTask: RequestNetworking {
    let task: URLSessionTask

    func cancel() { task.cancel() }

    var transferMetrics: RequestTransferMetrics {
        RequestTransferMetrics(
            requestBytesSent: task.countOfBytesSent,
            requestBytesTotal: task.countOfBytesExpectedToSend,
            responseBytesReceived: task.countOfBytesReceived,
            responseBytesTotal: task.countOfBytesExpectedToReceive
        )
    }
}

/// A request that could not even be expressed.
private struct NoTask: RequestNetworking {
    func cancel() {}
    var transferMetrics: RequestTransferMetrics { RequestTransferMetrics() }
}
