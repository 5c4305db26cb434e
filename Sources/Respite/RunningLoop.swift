import Eventing
import Exchanges
import Platform
import ResourceCore
import TransportSecurity
import UpstreamClient

/// The threads of a client: one for its loop, and some that look names up.
struct RunningLoop: Sendable {
    let client: UpstreamClient
    private let group: LoopGroup
    private let resolving: WorkerPool

    /// Fails, and logs why, if a file of its TLS settings cannot be used, or no thread can be started.
    static func start(_ options: HTTPClient.Options) -> Result<RunningLoop, ExchangeFailure> {
        do {
            return .success(try RunningLoop(options))
        } catch {
            let reason = (error as? TLSConfigurationError)?.userMessage ?? "no thread for the network: \(error)"
            RespiteLog.log(.network, reason)
            return .failure(ExchangeFailure(.internalError, reason))
        }
    }

    private init(_ options: HTTPClient.Options) throws {
        let security = UpstreamSecurity(usual: try TLSClientContext(options.security))
        resolving = try WorkerPool(count: 2, name: "resolver")
        do {
            group = try LoopGroup(count: 1)
        } catch {
            resolving.finish()
            throw error
        }
        client = try Self.makeClient(options, security, NameResolver(workers: resolving), on: group.handles[0])
    }

    /// A client can only be made on its loop.
    private static func makeClient(
        _ options: HTTPClient.Options,
        _ security: UpstreamSecurity,
        _ resolver: NameResolver,
        on handle: LoopHandle
    ) throws -> UpstreamClient {
        let made = BlockingQueue<UpstreamClient>()
        handle.submit { (loop: EventLoop) in
            made.push(
                UpstreamClient(
                    loop: loop,
                    connector: Connector(loop: loop, resolver: resolver),
                    policy: options.addresses,
                    limiter: OriginLimiter(limits: options.limits),
                    limits: options.limits,
                    security: security
                )
            )
        }
        guard let client = made.pop() else { throw EventError(.noThread) }
        return client
    }

    /// Makes the threads end, without waiting for them.
    func end() {
        resolving.finish()
        group.stop()
    }
}
