import RedisSupport

@testable import SharedStorage

extension RedisCluster {
    var seeds: [ServerAddress] { nodes.map { .host("127.0.0.1", port: $0.port) } }
}
