public import Eventing
package import Exchanges
import HTTPCore
import Locking
import ResourceCore
public import ResourceModel
import Transforms
public import TransportSecurity
public import UpstreamClient

/// Our HTTP/1.1 client on an event loop of its own, whose thread starts with the first request.
///
/// The thread ends with this object and the services that use it. Connections are kept and used again, at most 32 to one
/// origin. Redirects are not followed: a 3xx is a response like others (S-108), and what its `Location` names is a resource
/// of its own. TLS 1.2 and 1.3 are spoken by OpenSSL; certificates and host names are verified. Broken pipes are ignored in
/// the whole process from the first request on.
///
/// As a networking provider it decodes content codings: gzip, deflate, br and zstd. It asks for them unless a request
/// sets `Accept-Encoding` itself. What cannot be decoded fails with `RequestError.Cause.UndecodableContent`.
///
/// May be shared by services and used from any thread.
public final class HTTPClient: NetworkingProviderConvertible {
    /// What the client allows itself and servers.
    public struct Options: Sendable {
        /// Times, numbers and sizes.
        public var limits = UpstreamLimits()
        /// Addresses it connects to: any but link-local ones, those of cloud metadata and multicast.
        ///
        /// A program that loads URLs it was given by others should refuse loopback and private networks too.
        public var addresses = AddressPolicy(allowsLoopback: true, allowsPrivate: true)

        /// Bytes of content that a response may have in memory; a larger one fails with `RequestError.Cause.ContentTooLarge`.
        public var contentLimit = ExchangeNetworking.usualContentLimit
        /// How large decoding may make a response.
        public var decoding = TransformLimits()
        /// The authorities that it trusts, by default those of the system, and the certificate that it presents.
        public var security = TLSClientSettings()

        /// The defaults.
        public init() {}
    }

    /// Runs its exchanges, undecoded.
    package let exchanges: any ExchangeProvider
    private let decoding: TransformLimits
    private let contentLimit: Int

    public init(options: Options = Options()) {
        exchanges = ClientExchanges(options)
        decoding = options.decoding
        contentLimit = options.contentLimit
    }

    /// Brings whole responses, decoded.
    public var networkingProvider: any NetworkingProvider {
        DecodingNetworking(ExchangeNetworking(exchanges, contentLimit: contentLimit), limits: decoding)
    }
}

/// The exchanges of a client; its loop ends with it.
private final class ClientExchanges: ExchangeProvider {
    private let loop: LazyLoop

    init(_ options: HTTPClient.Options) { loop = LazyLoop(options) }

    deinit { loop.end() }

    /// The client's loop; it begins to run with what is first submitted.
    var context: any DeliveryContext { loop }

    func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        guard let client = loop.client else { return NoExchange(receiver, on: loop) }
        return client.start(request, receiver: receiver)
    }
}

/// Stands for an exchange where no thread could be started.
private final class NoExchange: Exchange {
    private let isOver = Lock(false)

    init(_ receiver: any ExchangeReceiver, on context: any DeliveryContext) {
        context.submit { [self] in
            let isCancelled = isOver.withLock { $0 }
            if !isCancelled { receiver.exchangeDidFail(ExchangeFailure(.internalError, "no thread for the network")) }
        }
    }

    func grant(_ bytes: Int) {}
    func send(_ chunk: ByteChunk) {}
    func finish(trailers: Fields?) {}
    func cancel() { isOver.withLock { $0 = true } }
}
