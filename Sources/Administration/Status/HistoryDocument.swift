import Formats
import HTTPCore

/// `/v1/history`: the samples, oldest first, each an array in the order of `columns`.
struct HistoryDocument {
    private static let columns = [
        "seconds", "hits", "loads", "passes", "failures", "refused", "bytesFromCache", "bytesFromOrigins",
        "memoryBytes",
        "storeBytes", "connections",
    ]

    private let history: History
    private let now: MonotonicTime

    init(_ history: History, at now: MonotonicTime) {
        self.history = history
        self.now = now
    }

    func write(to writer: inout JSONWriter) {
        writer.member("now", now.wholeSeconds(since: MonotonicTime(nanoseconds: 0)))
        writer.memberArray("columns") { writer in for name in Self.columns { writer.text(name) } }
        writer.memberArray("series") { writer in
            for series in history.series {
                writer.object { writer in
                    writer.member("stepSeconds", series.step.components.seconds)
                    writer.memberArray("samples") { writer in
                        for sample in series.samples {
                            writer.array { writer in for value in Self.values(sample) { writer.integer(value) } }
                        }
                    }
                }
            }
        }
    }

    private static func values(_ sample: History.Sample) -> [Int64] {
        let traffic = sample.traffic
        let counts = [
            traffic.hits, traffic.loads, traffic.passes, traffic.failures, traffic.refused, traffic.cachedBytes,
            traffic.originBytes, sample.memory,
        ]
        return [sample.time.wholeSeconds(since: MonotonicTime(nanoseconds: 0))] + counts.map(Int64.init)
            + [sample.store, Int64(sample.connections)]
    }
}
