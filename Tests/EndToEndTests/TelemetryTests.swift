import Glibc
import JSON
import Settings
import Testing
import TestSupport

/// Spans of requests and loads at a collector.
struct TelemetryTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let field = "traceparent: 00-\(trace)-00f067aa0ba902b7-01"

    /// A collector that keeps what it gets.
    private final class Collector: Sendable {
        private let received = SharedValue<[JSONValue]>([])
        let server: ScriptedOrigin

        /// - Parameter statuses: of its first responses; the others are 200.
        init(_ statuses: [String] = []) throws {
            let received = received
            server = try ScriptedOrigin { exchange in
                let content = try exchange.content()
                let isFirst = exchange.ordinal <= statuses.count
                if !isFirst { received.update { $0 += (try? JSONReader.parse(content)).map { [$0] } ?? [] } }
                try exchange.reply(isFirst ? statuses[exchange.ordinal - 1] : "200 OK", body: "{}")
            }
        }

        var url: String { server.url("") }

        /// Waits for so many spans.
        func wait(for count: Int) throws -> [JSONValue] {
            try received.wait("\(count) spans") { documents in
                let spans = Self.spans(documents)
                return spans.count >= count ? spans : nil
            }
        }

        var spans: [JSONValue] { Self.spans(received.current) }

        private static func spans(_ documents: [JSONValue]) -> [JSONValue] {
            documents.flatMap { document in
                let scopes = document["resourceSpans"]?.elements.first?["scopeSpans"]?.elements
                return scopes?.first?["spans"]?.elements ?? []
            }
        }
    }

    private static func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { try $0.reply("200 OK", ["Cache-Control: max-age=600"], body: "hello") }
    }

    private static func attribute(_ name: String, of span: JSONValue) -> JSONValue? {
        let found = span["attributes"]?.elements.first { $0["key"] == .text(name) }
        return found?["value"]?["stringValue"] ?? found?["value"]?["intValue"]
    }

    private static func metric(_ name: String, _ daemon: DaemonProcess) throws -> Int? {
        let text = try daemon.admin("GET", "/metrics").text
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return line.flatMap { Int($0.dropFirst(name.count + 1)) }
    }

    @Test("spans of a miss and a hit arrive at the collector, in the client's trace, without secrets")
    func arrive() throws {
        let (origin, collector) = (try Self.origin(), try Collector())
        let daemon = try DaemonProcess(["--set", "telemetry.otlp=\(collector.url)"])
        for _ in 0..<2 { #expect(try daemon.get(origin.url("/x?token=geheim"), [Self.field]).status == 200) }
        let spans = try collector.wait(for: 3)
        #expect(spans.map { $0["kind"] } == [.integer(3), .integer(2), .integer(2)])
        #expect(spans.allSatisfy { $0["traceId"] == .text(Self.trace) && $0["name"] == .text("GET") })
        #expect(spans.dropFirst().allSatisfy { $0["parentSpanId"] == .text("00f067aa0ba902b7") })
        #expect(spans[0]["parentSpanId"] == spans[1]["spanId"])
        #expect(spans.map { Self.attribute("respite.cache", of: $0) } == [nil, .text("miss"), .text("hit")])
        #expect(spans.allSatisfy { Self.attribute("url.full", of: $0) == .text(origin.url("/x?token=…")) })
        #expect(spans.allSatisfy { Self.attribute("http.response.status_code", of: $0) == .text("200") })
        guard case .text(let load)? = spans[0]["spanId"] else { throw HarnessError("no spanId") }
        #expect(origin.requests[0]["traceparent"] == "00-\(Self.trace)-\(load)-01")
        let request = try #require(collector.server.requests.first)
        #expect(request.target == "/v1/traces" && request["Content-Type"] == "application/json")
        #expect(request["traceparent"] == nil)
        #expect(try Self.metric("respite_telemetry_spans_total", daemon) == 3)
        #expect(try Self.metric("respite_telemetry_dropped_spans_total", daemon) == 0)
    }

    @Test("what waits at the end is exported before the process ends")
    func flush() throws {
        let (origin, collector) = (try Self.origin(), try Collector())
        let daemon = try DaemonProcess(["--set", "telemetry.otlp=\(collector.url)"])
        #expect(try daemon.get(origin.url("/x")).status == 200)
        #expect(try daemon.stop() == 0)
        #expect(collector.spans.count == 2)
    }

    @Test("a collector that is down or answers nothing delays no client and no end; the log says so once")
    func down() throws {
        let origin = try Self.origin()
        let (asked, silence) = (SharedValue(0), SharedValue(false))
        let silent = try ScriptedOrigin { exchange in
            asked.update { $0 += 1 }
            _ = try? exchange.content()
            try silence.wait("the end of the test") { $0 ? () : nil }
        }
        defer { silence.update { $0 = true } }
        for url in ["http://127.0.0.1:\(try unusedPort())", silent.url("")] {
            let daemon = try DaemonProcess(["--set", "telemetry.otlp=\(url)"])
            for _ in 0..<3 { #expect(try daemon.get(origin.url("/x")).status == 200) }
            if url == silent.url("") {
                try asked.wait("the collector to be asked") { $0 > 0 ? () : nil }
            } else {
                _ = try daemon.command.waitForError("a warning") { $0.contains("spans not exported") ? () : nil }
                #expect(try (Self.metric("respite_telemetry_failures_total", daemon) ?? 0) > 0)
                #expect(try daemon.admin("GET", "/v1/status").text.contains("telemetry.otlp"))
            }
            #expect(try daemon.stop() == 0)
            // An end that waits for the response gets the timeout of the export, and logs it.
            #expect(!daemon.command.standardError.contains("did not answer"))
            #expect(daemon.command.standardError.ranges(of: "spans not exported").count <= 1)
        }
    }

    @Test("spans that the collector cannot take now come again; those that it refuses are dropped and counted")
    func refusals() throws {
        let origin = try Self.origin()
        let busy = try Collector(["503 Service Unavailable"])
        let first = try DaemonProcess(["--set", "telemetry.otlp=\(busy.url)"])
        #expect(try first.get(origin.url("/x")).status == 200)
        #expect(try busy.wait(for: 2).count == 2)
        _ = try first.command.waitForError("recovery") { $0.contains("spans are exported again") ? () : nil }
        #expect(try Self.metric("respite_telemetry_dropped_spans_total", first) == 0)

        let strict = try Collector(["400 Bad Request"])
        let second = try DaemonProcess(["--set", "telemetry.otlp=\(strict.url)"])
        #expect(try second.get(origin.url("/x")).status == 200)
        _ = try second.command.waitForError("a warning") { $0.contains("status 400") ? () : nil }
        #expect(try second.get(origin.url("/x")).status == 200)
        #expect(try strict.wait(for: 1).count == 1)
        #expect(try Self.metric("respite_telemetry_dropped_spans_total", second) == 2)
    }

    @Test("a reload turns it on and off, and changes the collector")
    func reload() throws {
        let (origin, collector) = (try Self.origin(), try Collector())
        let home = TemporaryDirectory()
        let file = try home.write("", to: "respite.toml")
        let daemon = try DaemonProcess(["--config", file], home: home)
        func reload(_ url: String) throws {
            try writeFile(file, Array("[telemetry]\notlp = \"\(url)\"\n".utf8))
            #expect(try daemon.admin("POST", "/v1/reload").status == 200)
        }
        #expect(try daemon.get(origin.url("/x")).status == 200)
        #expect(origin.requests[0]["traceparent"] == nil)
        try reload(collector.url)
        #expect(try daemon.get(origin.url("/x")).status == 200)
        #expect(try collector.wait(for: 1).count == 1)
        try reload("")
        #expect(try daemon.get(origin.url("/y")).status == 200)
        #expect(origin.requests[1]["traceparent"] == nil)
        let other = try Collector()
        try reload(other.url + "/below/")
        #expect(try daemon.get(origin.url("/x")).status == 200)
        #expect(try other.wait(for: 1).count == 1 && other.server.requests[0].target == "/below/v1/traces")
        #expect(try daemon.stop() == 0)
        #expect(collector.spans.count == 1)
    }

    @Test("our own listener is no collector: spans cause no spans")
    func own() throws {
        let (origin, home) = (try Self.origin(), TemporaryDirectory())
        let file = try home.write("", to: "respite.toml")
        let daemon = try DaemonProcess(["--config", file], home: home)
        try writeFile(file, Array("[telemetry]\notlp = \"http://127.0.0.1:\(daemon.port)\"\n".utf8))
        #expect(try daemon.admin("POST", "/v1/reload").status == 200)
        #expect(try daemon.get(origin.url("/x")).status == 200)
        _ = try daemon.command.waitForError("a warning") { $0.contains("spans not exported") ? () : nil }
        #expect(try Self.metric("respite_requests_total{result=\"pass\"}", daemon) == 0)
    }

    @Test(
        "a URL that is no collector's is refused with the setting and what it must be",
        arguments: [
            "127.0.0.1:4318", "grpc://127.0.0.1:4317", "http://u:p@127.0.0.1:4318", "http://127.0.0.1:4318/?a=b",
            "http://127.0.0.1:99999", "http://127.0.0.1/#x",
        ]
    )
    func wrongURL(url: String) throws {
        let outcome = try Command.run(
            [DaemonProcess.executable, "config", "check", "--set", "telemetry.otlp=\(url)"],
            environment: DaemonProcess.environment(TemporaryDirectory())
        )
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("`telemetry.otlp` must be the URL of a collector such as"), "\(outcome.errors)")
    }
}
