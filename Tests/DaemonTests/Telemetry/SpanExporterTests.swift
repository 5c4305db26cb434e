import Eventing
import HTTPCore
import Observability
import Platform
import Testing
import UpstreamClient

@testable import Daemon

/// The last export of a daemon that ends, on a loop whose time stands still.
@Suite struct SpanExporterTests {
    @Test("once traces are off, what waits is dropped and counted at once")
    func off() throws {
        let workers = try WorkerPool(count: 1)
        defer { workers.stop() }
        let (manual, queue) = (try ManualLoop(), SpanQueue(capacity: 8, batch: 8))
        let exporter = SpanExporter(
            manual.loop,
            Connector(loop: manual.loop, resolver: NameResolver(workers: workers)),
            queue,
            SpanReport(.silent),
            policy: AddressPolicy(allowsLoopback: true, allowsPrivate: true)
        )
        let context = try #require(
            TraceContext(field: Array("00-\(String(repeating: "4b", count: 16))-00f067aa0ba902b7-01".utf8))
        )
        let start = MonotonicTime(nanoseconds: 1)
        for _ in 0..<3 {
            queue.add(TracedSpan(.server, context, parent: nil, start: start, end: start, method: .get, target: [47]))
        }
        exporter.apply(nil)
        #expect(queue.count == 0 && queue.dropped == 3)
    }

    @Test("at the end nothing is waited for where nothing can be sent", arguments: [0, 1, 3])
    func finish(spans: Int) throws {
        let workers = try WorkerPool(count: 1)
        defer { workers.stop() }
        let manual = try ManualLoop()
        let connector = Connector(loop: manual.loop, resolver: NameResolver(workers: workers))
        let policy = AddressPolicy(allowsLoopback: true, allowsPrivate: true)
        let queue = SpanQueue(capacity: 8, batch: 8)
        let report = SpanReport(Logger(level: .error, format: .text, output: { _ in }, clock: { 0 }))
        let exporter = SpanExporter(manual.loop, connector, queue, report, policy: policy)
        let context = try #require(
            TraceContext(field: Array("00-\(String(repeating: "4b", count: 16))-00f067aa0ba902b7-01".utf8))
        )
        for _ in 0..<spans {
            let start = MonotonicTime(nanoseconds: 1)
            queue.add(TracedSpan(.server, context, parent: nil, start: start, end: start, method: .get, target: [47]))
        }
        var ends = 0
        exporter.finish { ends += 1 }
        #expect(ends == 1)
        #expect(queue.count == 0 && queue.dropped == spans)
        exporter.apply(nil)
        manual.advance(by: .seconds(60))
        #expect(ends == 1)
    }
}
