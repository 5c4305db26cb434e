import Observability

/// The cost of counting and logging a request.
enum ReportingBenchmarks {
    static let all: [Benchmark] = [
        Benchmark(name: "count in a loop's own shard") { turns in
            let counter = Counter(shards: 1)
            guard let shard = counter.shard(0) else { return false }
            for _ in 0..<turns { shard.add() }
            return counter.value == turns
        },
        Benchmark(name: "observe a duration") { turns in
            let histogram = Histogram()
            for turn in 0..<turns { histogram.observe(nanoseconds: Int64(turn)) }
            return histogram.snapshot.total == turns
        },
        Benchmark(name: "write a line of the access log") { turns in
            let target = Array("http://org.example/path/to/it?query=1".utf8)
            var total = 0
            for turn in 0..<turns {
                let entry = AccessLogEntry(
                    milliseconds: Int64(turn),
                    client: "127.0.0.1",
                    method: Array("GET".utf8),
                    target: target,
                    status: 200,
                    contentBytes: 1024,
                    duration: .microseconds(20),
                    cache: "hit",
                    isComplete: true
                )
                total += entry.line(format: .text).count
            }
            return total > turns * 100
        },
    ]
}
