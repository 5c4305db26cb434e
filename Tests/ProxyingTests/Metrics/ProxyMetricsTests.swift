import Eventing
import HTTPCore
import Observability
import Testing

@testable import HTTPServer
@testable import Proxying

/// What administrators see of requests and tunnels.
@Suite struct ProxyMetricsTests {
    @Test("tunnels are counted as they open, and their bytes also after their end")
    func tunnels() throws {
        let registry = MetricsRegistry()
        let metrics = ProxyMetrics(in: registry)
        func lines() -> [String] {
            String(decoding: registry.prometheusText(), as: UTF8.self).split(separator: "\n").map(String.init)
                .filter { $0.hasPrefix("respite_tunnel") }
        }
        func add(_ up: Int, _ down: Int) -> TunnelRecord {
            let record = metrics.tunnels.add(
                .ip(.v4(0x7F00_0001), port: 1),
                to: Array("a.example:443".utf8),
                by: .connect,
                at: MonotonicTime(nanoseconds: 1)
            )
            record.note(up, up: true, at: MonotonicTime(nanoseconds: 2))
            record.note(down, up: false, at: MonotonicTime(nanoseconds: 2))
            return record
        }
        let first = add(10, 200)
        _ = add(1, 2)
        metrics.tunnels.remove(first)
        #expect(
            Set(lines()) == [
                "respite_tunnels_total 2", "respite_tunnels 1", "respite_tunnel_up_bytes_total 11",
                "respite_tunnel_down_bytes_total 202",
            ]
        )
    }

    @Test(
        "responses are counted by the first digit of their status",
        arguments: [(100, 0), (199, 0), (200, 1), (299, 1), (304, 2), (404, 3), (599, 4), (99, 0), (600, 4)]
            as [(UInt16, Int)]
    )
    func classes(status: UInt16, index: Int) {
        #expect(ProxyMetrics.index(ofStatus: status) == index)
    }

    @Test("each counter has its name and label")
    func names() {
        let registry = MetricsRegistry()
        let metrics = ProxyMetrics(in: registry, loops: 1)
        let counters = [
            metrics.hits, metrics.misses, metrics.passes, metrics.failures, metrics.refusals, metrics.interceptions,
            metrics.failedInterceptions, metrics.cachedBytes, metrics.originBytes,
        ]
        for (number, counter) in counters.enumerated() { counter.add(number + 1) }
        for (number, counter) in metrics.responses.enumerated() { counter.add(number + 10) }
        metrics.countSOCKSRequest()
        for (number, fault) in SOCKSFault.allCases.enumerated() { for _ in 0...number { metrics.count(fault) } }
        metrics.durations(.left).observe(.milliseconds(1))
        let text = String(decoding: registry.prometheusText(), as: UTF8.self)
        for line in [
            "requests_total{result=\"hit\"} 1", "requests_total{result=\"load\"} 2",
            "requests_total{result=\"pass\"} 3",
            "requests_total{result=\"failure\"} 4", "requests_total{result=\"refused\"} 5",
            "intercepted_connections_total{result=\"accepted\"} 6",
            "intercepted_connections_total{result=\"failed\"} 7",
            "delivered_bytes_total{source=\"cache\"} 8", "delivered_bytes_total{source=\"origin\"} 9",
            "responses_total{class=\"1xx\"} 10", "responses_total{class=\"5xx\"} 14",
            "socks_connections_total{result=\"request\"} 1", "socks_connections_total{result=\"version4\"} 1",
            "socks_connections_total{result=\"version\"} 2", "socks_connections_total{result=\"method\"} 3",
            "socks_connections_total{result=\"command\"} 4", "socks_connections_total{result=\"address-type\"} 5",
            "socks_connections_total{result=\"target\"} 6", "request_duration_seconds_count{outcome=\"left\"} 1",
            "request_duration_seconds_count{outcome=\"error\"} 0",
        ] {
            #expect(text.contains("\nrespite_\(line)\n"), "\(line)")
        }
        #expect(
            metrics.hits.shard(0) != nil && metrics.responses[0].shard(0) != nil && metrics.cachedBytes.shard(0) != nil
        )
    }
}
