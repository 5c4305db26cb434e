import Eventing
import HTTPServer
import Proxying
import ResourceCore
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
}
