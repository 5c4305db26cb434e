import Eventing
import HTTPServer
import Proxying
import ResourceCore
import Settings
import UpstreamClient

/// What all loops serve with.
struct SharedServices: Sendable {
    var service: Service
    var hasher: any PartitionHasher
    var resolver: NameResolver
    var limiter: OriginLimiter
    var census: ConnectionCensus
    var options: ProxyOptions
    var metrics: ProxyMetrics
    var serverLimits: ServerLimits
    var upstreamLimits: UpstreamLimits
    /// Descriptors kept for the store, administration and origins (H-156).
    var descriptorReserve: Int
    /// Networks whose clients may use the proxy (H-139).
    var clients: [AddressRange]

    /// Whether a client of this address may use the proxy; a Unix socket's file mode decides by itself.
    func admits(_ peer: SocketAddress) -> Bool {
        guard let address = peer.ipAddress else { return true }
        return clients.contains { $0.contains(address) }
    }
}
