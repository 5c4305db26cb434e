import HTTPCore
import Locking
import Observability
import Testing

@testable import Daemon

/// What is told of a collector that takes no spans.
@Suite struct SpanReportTests {
    private static let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

    @Test("failures are counted, told once until spans are taken again, and that is told, too")
    func report() throws {
        let lines = Lock<[String]>([])
        let log = Logger(
            level: .info,
            format: .text,
            output: { bytes in lines.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) } },
            clock: { 0 }
        )
        func told() -> [String] {
            lines.withLock { lines in
                defer { lines = [] }
                return lines
            }
        }
        let report = SpanReport(log)
        let collector = try TargetURI(parsing: "http://collector.example/v1/traces")
        #expect(report.exported == 0 && report.failures == 0 && report.fault == nil)
        report.exported(3)
        #expect(report.exported == 3 && told() == [])
        report.failed("refused", collector, at: Self.start)
        report.failed("no route", collector, at: Self.start)
        #expect(report.failures == 2)
        #expect(report.fault == "the collector of `telemetry.otlp` takes no spans: no route")
        let first = told()
        #expect(first.count == 1 && first[0].contains("spans not exported") && first[0].contains("refused"))
        #expect(first[0].contains("http://collector.example/v1/traces"))
        report.exported(2)
        #expect(report.exported == 5 && report.failures == 2 && report.fault == nil)
        let second = told()
        #expect(second.count == 1 && second[0].contains("spans are exported again"))
        report.exported(1)
        #expect(told() == [])
        report.failed("refused", nil, at: Self.start)
        #expect(told().count == 1 && report.failures == 3)
    }

    @Test("a collector that stays away is told once a minute, whatever failed between")
    func repeated() {
        let log = KeptLog()
        let report = SpanReport(log.logger)
        let told = [0, 30, 59.9, 60, 119.9, 120, 500].map { seconds in
            report.failed("no route", nil, at: Self.start + .seconds(seconds))
            return log.take().count
        }
        #expect(told == [1, 0, 0, 1, 0, 1, 1] && report.failures == 7)
    }

    @Test("the log names the collector, if there is one, the reason and the remedy")
    func lines() throws {
        let log = KeptLog()
        let report = SpanReport(log.logger)
        let collector = try TargetURI(parsing: "http://collector.example/v1/traces")
        report.failed("it answered with status 400", collector, at: Self.start)
        report.exported(1)
        report.failed("there is no thread", nil, at: Self.start)
        let (start, end) = ("warning spans not exported", "remedy=\"start the collector, or change telemetry.otlp\"")
        #expect(
            log.take() == [
                "\(start) collector=http://collector.example/v1/traces reason=\"it answered with status 400\" \(end)",
                "info spans are exported again", "\(start) collector=\"\" reason=\"there is no thread\" \(end)",
            ]
        )
    }
}
