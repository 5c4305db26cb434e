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
/// The thread ends with this object and the services that use it. The client keeps connections and uses them again, at
/// most 32 to one origin. It follows no redirects: a 3xx is a response like others (S-108), and what its `Location`
/// names is a resource of its own. OpenSSL speaks TLS 1.2 and 1.3, and verifies certificates and host names. From the
/// first request on, the whole process ignores SIGPIPE.
///
/// As a networking provider it decodes content. It asks for gzip, deflate, br and zstd, unless a request sets
/// `Accept-Encoding` itself. What cannot be decoded fails with `RequestError.Cause.UndecodableContent`.
///
/// May be shared by services and used from any thread.
public final class HTTPClient: NetworkingProviderConvertible {
    /// What the client allows itself and servers.
    public struct Options: Sendable {
        /// Times, numbers and sizes.
        public var limits = UpstreamLimits()
        /// The addresses that it connects to: by default all but link-local, cloud metadata and multicast ones.
        ///
        /// A program that loads URLs it was given by others should refuse loopback and private networks too.
        public var addresses = AddressPolicy(allowsLoopback: true, allowsPrivate: true)

        /// The most bytes of content in memory; a larger response fails with `RequestError.Cause.ContentTooLarge`.
        public var contentLimit = ExchangeNetworking.usualContentLimit
        /// How large a response may become when it is decoded, and how long that may take.
        public var decoding = TransformLimits()
        /// Which servers it trusts, and its own certificate; by default it trusts the system's authorities.
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

    /// The client's loop; it starts with the first work that is submitted.
    var context: any DeliveryContext { loop }

    func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        switch loop.client {
        case .success(let client): client.start(request, receiver: receiver)
        case .failure(let failure): NoExchange(failure, receiver, on: loop)
        }
    }
}

/// The exchange if there is no client: it fails.
private final class NoExchange: Exchange {
    private let isOver = Lock(false)

    init(_ failure: ExchangeFailure, _ receiver: any ExchangeReceiver, on context: any DeliveryContext) {
        context.submit { [self] in
            let isCancelled = isOver.withLock { $0 }
            if !isCancelled { receiver.exchangeDidFail(failure) }
        }
    }

    func grant(_ bytes: Int) {}
    func send(_ chunk: ByteChunk) {}
    func finish(trailers: Fields?) {}
    func cancel() { isOver.withLock { $0 = true } }
}
