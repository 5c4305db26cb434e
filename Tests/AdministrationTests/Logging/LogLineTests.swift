import Administration
import HTTPCore
import Observability
import Settings
import TestSupport
import Testing

/// `/v1/log/lines` and `/v1/log/stream`.
struct LogLineTests {
    private static func log() -> Logger { Logger(level: .debug, output: { _ in }, clock: { 1_700_000_000_123 }) }

    private static func admin(_ log: Logger) throws -> TestAdmin {
        try TestAdmin { source, options in
            source.log.lines = log.recent
            options.progressInterval = .milliseconds(5)
            options.readToken = Array("reader".utf8)
        }
    }

    private static func stream(
        _ admin: TestAdmin,
        _ query: String = "",
        last: String? = nil
    ) throws -> EventTests.Listener {
        try EventTests.Listener(admin, "/v1/log/stream", query: query, last: last)
    }

    @Test("the latest lines are listed, the oldest first, down to a level")
    func lines() throws {
        let log = Self.log()
        let admin = try Self.admin(log)
        log.info("listening", ["address": "127.0.0.1:1"])
        log.debug("request", ["url": "http://h.example/"])
        log.error("full")
        let all = try admin.json("/v1/log/lines")["lines"]?.elements ?? []
        #expect(
            all.compactMap { $0["text"]?.text } == [
                "listening address=127.0.0.1:1", "request url=http://h.example/", "full",
            ]
        )
        #expect(all.compactMap { $0["level"]?.text } == ["info", "debug", "error"])
        #expect(all.first?["time"]?.text == "2023-11-14T22:13:20.123Z")
        let some = try admin.json("/v1/log/lines?level=info")["lines"]?.elements ?? []
        #expect(some.compactMap { $0["level"]?.text } == ["info", "error"])
        let wrong = try admin.get("/v1/log/lines?level=loud")
        #expect(wrong.status == 400 && wrong.text.contains("`level` must be one of error, warning, info, debug"))
        #expect(try admin.get("/v1/log/stream?level=loud").status == 400)
        #expect(try admin.send("HEAD", "/v1/log/stream", [admin.host, TestAdmin.bearer]).status == 200)
    }

    @Test("a stream sends lines as they are written, goes on behind the last one, and tells of missing ones")
    func stream() throws {
        let log = Self.log()
        let admin = try Self.admin(log)
        log.info("before")
        let all = try Self.stream(admin)
        let warnings = try Self.stream(admin, "?level=warning")
        log.info("first")
        log.warning("second")
        let event = try all.next()
        #expect(event.contains("event: line\n") && event.contains(#""text":"first""#))
        #expect(try all.next().contains("second"))
        #expect(try warnings.next().contains("second"))
        let id = EventTests.Listener.value("id", event)
        #expect(try Self.stream(admin, last: id).next().contains("second"))
        for number in 0...RecentLines.capacity { log.info("line", ["number": number]) }
        let late = try Self.stream(admin, last: id)
        #expect(try late.next() == "event: gap\ndata: {}")
        #expect(try late.next().contains("number=1\""))
        // A daemon whose clock was ahead gave a larger number.
        let ahead = try Self.stream(admin, last: "9000000000000000000")
        log.info("after")
        #expect(try ahead.next().contains("after"))
    }

    @Test("what a peer wrote into a line ends no event, and forges none (H-159)")
    func forged() throws {
        let log = Self.log()
        let admin = try Self.admin(log)
        let stream = try Self.stream(admin)
        log.info("refused", ["host": "a\n\nevent: line\ndata: {}\u{1B}[31m\u{2028}"])
        log.info("next")
        let event = try stream.next()
        #expect(event.contains(#"host=\"a\\n\\nevent: line\\ndata: {}\\x1b[31m\\xe2\\x80\\xa8\""#), "\(event)")
        #expect(try stream.next().contains(#""text":"next""#))
    }

    @Test("neither the read token nor anybody without one sees the log; another site is refused (H-142, H-144)")
    func access() throws {
        let admin = try Self.admin(Self.log())
        for path in ["/v1/log/lines", "/v1/log/stream"] {
            #expect(try admin.send("GET", path, [admin.host]).status == 401)
            #expect(try admin.send("GET", path, [admin.host, "Authorization: Bearer reader"]).status == 403)
            let foreign = [admin.host, TestAdmin.bearer, "Origin: http://evil.example"]
            #expect(try admin.send("GET", path, foreign).status == 403)
        }
    }

    @Test("a stream of the log ends with the session that began it (H-163)")
    func session() throws {
        let log = Self.log()
        let admin = try Self.admin(log)
        var browser = TestBrowser(admin)
        try browser.logIn()
        let client = RawClient(port: admin.port)
        client.send((["GET /v1/log/stream HTTP/1.0"] + browser.fields + ["", ""]).joined(separator: "\r\n"))
        _ = client.receive { $0.hasSuffix("retry: 1000\n\n") }
        #expect(try browser.post("/logout").status == 200)
        log.info("a secret")
        #expect(client.receiveAll().text == "event: end\ndata: {}\n\n")
    }

    @Test("a listener that never reads costs others nothing, and the daemon's end ends all streams (S-213)")
    func idle() throws {
        let log = Self.log()
        let admin = try Self.admin(log)
        let idle = try EventTests.Listener(admin, "/v1/log/stream", receiveBuffer: 4096)
        let stream = try Self.stream(admin)
        for _ in 0..<20 { log.info("long", ["text": String(repeating: "x", count: 2000)]) }
        for _ in 0..<20 { #expect(try stream.next().contains("long")) }
        admin.endStreams()
        #expect(try stream.next() == "event: end\ndata: {}")
        withExtendedLifetime(idle) {}
    }

    @Test("a listing says how many lines are kept, and each line has its number")
    func kept() throws {
        let log = Self.log()
        let admin = try Self.admin(log)
        for name in ["first", "second"] as [StaticString] { log.info(name) }
        let page = try admin.json("/v1/log/lines")
        #expect(page["kept"]?.integer == Int64(RecentLines.capacity))
        let numbers = page["lines"]?.elements.compactMap { $0["id"]?.text.flatMap { Int64($0) } } ?? []
        #expect(numbers == [log.recent.latest - 1, log.recent.latest])
    }

    @Test("who comes back with what is no number gets all lines that are kept, behind a mark")
    func unknownLine() throws {
        let log = Self.log()
        let admin = try Self.admin(log)
        for name in ["first", "second"] as [StaticString] { log.info(name) }
        let stream = try Self.stream(admin, last: "x")
        #expect(try stream.next() == "event: gap\ndata: {}")
        for name in ["first", "second"] { #expect(try stream.next().contains("\"text\":\"\(name)\"")) }
    }

    @Test("without lines a stream shows that it lives")
    func heartbeat() throws {
        let admin = try TestAdmin { source, options in
            source.log.lines = Self.log().recent
            (options.progressInterval, options.heartbeat) = (.milliseconds(5), .milliseconds(5))
        }
        let stream = try Self.stream(admin)
        for _ in 0..<2 { #expect(try stream.next() == ":") }
    }
}
