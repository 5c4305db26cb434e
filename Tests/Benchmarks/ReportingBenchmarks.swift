import HTTPCore
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
            let lines = ["GET http://org.example/path/to/it HTTP/1.1", "Host: org.example", "User-Agent: a/1"]
            let bytes = Array((lines + ["", ""]).joined(separator: "\r\n").utf8)
            var parser = RequestParser()
            var head = RequestHead()
            guard parser.parse(bytes.span, into: &head) == .complete(consumed: bytes.count) else { return false }
            var formatter = AccessLogFormatter(format: .text, secrets: SecretParameters(["token"]))
            var line: [UInt8] = []
            var total = 0
            for turn in 0..<turns {
                let entry = AccessLogEntry(
                    milliseconds: Int64(turn),
                    client: .v4(0x7F00_0001),
                    version: .http11,
                    status: 200,
                    contentBytes: 1024,
                    duration: 20_000,
                    outcome: "hit",
                    isComplete: true
                )
                line.removeAll(keepingCapacity: true)
                formatter.append(entry, of: head, to: &line)
                total += line.count
            }
            return total > turns * 100
        },
    ]
}
