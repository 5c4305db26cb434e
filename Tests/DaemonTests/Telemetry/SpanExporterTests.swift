import Eventing
import HTTPCore
import Observability
import Platform
import TestSupport
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

    /// An exporter before spans that wait, on a loop whose time stands still.
    private final class Still {
        let manual: ManualLoop
        let queue = SpanQueue(capacity: 8, batch: 8)
        let log = KeptLog()
        let report: SpanReport
        let exporter: SpanExporter
        private let workers: WorkerPool

        init() throws {
            workers = try WorkerPool(count: 1)
            manual = try ManualLoop()
            report = SpanReport(log.logger)
            exporter = SpanExporter(
                manual.loop,
                Connector(loop: manual.loop, resolver: NameResolver(workers: workers)),
                queue,
                report,
                policy: AddressPolicy(allowsLoopback: true, allowsPrivate: true)
            )
        }

        deinit { workers.stop() }

        func addSpan() {
            let start = MonotonicTime(nanoseconds: 1)
            queue.add(TracedSpan(.server, .root(), parent: nil, start: start, end: start, method: .get, target: [47]))
        }

        /// Exports to a port of loopback, which connections may reach or not.
        func export(to port: UInt16, isReachable: Bool) throws {
            exporter.apply(
                SpanExporter.Destination(
                    uri: try TargetURI(parsing: "http://127.0.0.1:\(port)/v1/traces"),
                    document: TraceDocument(secrets: SecretParameters([]), version: "1.2.3"),
                    policy: AddressPolicy(allowsLoopback: isReachable, allowsPrivate: true),
                    security: UpstreamSecurity()
                )
            )
            turn()
        }

        /// Runs all that is to do now.
        func turn() { for _ in 0..<8 { manual.turn() } }

        /// Runs what the network brings until the collector has answered for so many spans.
        ///
        /// Throws if it does not answer in time.
        func turnUntilAnswered(_ count: Int = 1) throws {
            let (hasAnswered, isLate) = (Gate(), SharedValue(false))
            let handle = manual.loop.handle
            BackgroundThread {
                if (try? hasAnswered.wait()) != nil { return }
                isLate.update { $0 = true }
                // The loop waits for the network without a limit.
                handle.submit { _ in }
            }
            defer { hasAnswered.open() }
            while report.exported + report.failures < count {
                if isLate.current { throw HarnessError("waited in vain for the collector's answer") }
                manual.turnWhenReady()
            }
        }

        func advance(by duration: Duration) {
            manual.advance(by: duration)
            turn()
        }
    }

    @Test("a batch that cannot be sent is sent again after 2 s, then after twice as long each time, up to a minute")
    func retries() throws {
        let still = try Still()
        still.addSpan()
        try still.export(to: 9, isReachable: false)
        #expect(still.report.failures == 1)
        for (number, seconds) in [2, 4, 8, 16, 32, 60, 60].enumerated() {
            // New spans do not hurry it.
            still.addSpan()
            still.exporter.wake()
            still.advance(by: .seconds(seconds) - .milliseconds(1))
            #expect(still.report.failures == number + 1, "after \(seconds) s")
            still.advance(by: .milliseconds(1))
            #expect(still.report.failures == number + 2, "after \(seconds) s")
        }
        #expect(still.queue.count == 7 && still.queue.dropped == 0)
        let lines = still.log.take()
        let start = "warning spans not exported collector=http://127.0.0.1:9/v1/traces reason="
        // Of the failures after 0, 2, 6, 14, 30, 62, 122 and 182 s.
        #expect(lines.count == 4 && lines.allSatisfy { $0.hasPrefix(start) }, "\(lines)")
        // At the end it is tried once more, and not waited for.
        var ends = 0
        still.exporter.finish { ends += 1 }
        still.turn()
        #expect(ends == 1 && still.queue.dropped == 1)
    }

    @Test("a span waits a second for others of its batch, and a full batch does not wait")
    func collecting() throws {
        for (count, milliseconds) in [(1, 1000), (7, 1000), (8, 0)] {
            let still = try Still()
            try still.export(to: 9, isReachable: false)
            #expect(still.report.failures == 0)
            for _ in 0..<count {
                still.addSpan()
                still.exporter.wake()
            }
            still.turn()
            if milliseconds > 0 {
                still.advance(by: .milliseconds(milliseconds - 1))
                #expect(still.report.failures == 0, "\(count) spans")
                still.advance(by: .milliseconds(1))
            }
            #expect(still.report.failures == 1, "\(count) spans")
        }
    }

    @Test("a collector that does not answer within ten seconds has failed, and its batch is kept")
    func silence() throws {
        let still = try Still()
        let collector = try TestListener()
        still.addSpan()
        try still.export(to: collector.port, isReachable: true)
        let connection = try collector.connection("the exporter to connect")
        still.turn()
        still.advance(by: .milliseconds(9_999))
        #expect(still.report.failures == 0)
        still.advance(by: .milliseconds(1))
        #expect(still.report.failures == 1 && still.queue.dropped == 0)
        #expect(still.report.fault == "the collector of `telemetry.otlp` takes no spans: it did not answer in 10 s")
        still.exporter.apply(nil)
        still.turn()
        #expect(still.queue.dropped == 1)
        withExtendedLifetime(connection) {}
    }

    @Test("at the end each batch is sent, and nothing but the collector's answer to the last one ends the wait")
    func lastBatches() throws {
        let still = try Still()
        let collector = try TestListener()
        still.addSpan()
        try still.export(to: collector.port, isReachable: true)
        // A batch of its own, since the one before it is on its way.
        still.addSpan()
        var ends = 0
        still.exporter.finish { ends += 1 }
        for number in 1...2 {
            still.turn()
            let connection = try collector.connection("batch \(number)")
            still.turn()
            _ = try connection.receive()
            still.advance(by: .seconds(9))
            #expect(ends == 0 && still.report.exported == number - 1)
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            try still.turnUntilAnswered(number)
            withExtendedLifetime(connection) {}
        }
        #expect(ends == 1 && still.report.exported == 2)
        #expect(still.report.failures == 0 && still.queue.dropped == 0)
    }

    @Test("an end that waits no longer closes the connection, drops the batch, and is told nothing more")
    func cancelled() throws {
        let still = try Still()
        let collector = try TestListener()
        still.addSpan()
        try still.export(to: collector.port, isReachable: true)
        let connection = try collector.connection("the exporter to connect")
        still.turn()
        _ = try connection.receive()
        var ends = 0
        still.exporter.finish { ends += 1 }
        still.exporter.cancel()
        still.turn()
        let end = connection.receiveSome()
        #expect(end == .end || end == .reset, "\(end)")
        #expect(still.queue.dropped == 1)
        still.advance(by: .seconds(10))
        #expect(ends == 0 && still.report.failures == 0)
    }

    /// An exporter of one span that the collector has answered with this status.
    private static func answered(_ status: Int) throws -> Still {
        let still = try Still()
        let collector = TestOrigin { peer, _ in
            guard let head = peer.readHead() else { return }
            let length = head.lowercased().split(separator: "content-length: ").last?.prefix { $0.isNumber } ?? ""
            let body = String(decoding: peer.read(Int(length) ?? 0), as: UTF8.self)
            guard body.hasPrefix("{"), body.hasSuffix("}") else { return }
            peer.send("HTTP/1.1 \(status) X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        }
        defer { collector.close() }
        still.addSpan()
        try still.export(to: collector.port, isReachable: true)
        try still.turnUntilAnswered()
        return still
    }

    @Test("a response means that spans are exported, that they come again (OTLP/HTTP), or that they are dropped")
    func statuses() throws {
        for status in [200, 202, 299] {
            let still = try Self.answered(status)
            #expect(still.report.exported == 1 && still.report.failures == 0, "\(status)")
            #expect(still.report.fault == nil && still.queue.dropped == 0, "\(status)")
        }
        for (statuses, isKept) in [([429, 502, 503, 504], true), ([300, 400, 428, 430, 500, 501, 505], false)] {
            for status in statuses {
                let still = try Self.answered(status)
                #expect(still.report.exported == 0 && still.report.failures == 1, "\(status)")
                let reason = "it answered with status \(status)"
                #expect(still.report.fault == "the collector of `telemetry.otlp` takes no spans: \(reason)")
                #expect(still.queue.dropped == (isKept ? 0 : 1), "\(status)")
                // What was kept goes with the collector.
                still.exporter.apply(nil)
                #expect(still.queue.dropped == 1, "\(status)")
            }
        }
    }
}
