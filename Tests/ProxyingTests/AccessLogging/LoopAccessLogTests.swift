import Locking
import Logins
import Observability
import Testing
import TestSupport

@testable import Proxying

/// Lines of the access log, of hits on the hot path and of all other requests.
@Suite struct LoopAccessLogTests {
    private final class Lines: Sendable {
        private let kept = Lock<[String]>([])

        var all: [String] { kept.withLock { $0 } }

        func add(_ line: [UInt8]) { kept.withLock { $0.append(String(decoding: line, as: UTF8.self)) } }
    }

    private static func proxy(_ lines: Lines, sample: Int = 1) throws -> TestProxy {
        try TestProxy {
            $0.options.accessLog = AccessLog(format: .json, secrets: SecretParameters(["token"]), sample: sample) {
                lines.add($0)
            }
        }
    }

    private static func origin() -> RecordingOrigin {
        TestOrigin.answering { _ in response("200 OK", "Cache-Control: max-age=60", content: "hello") }
    }

    /// All lines, once the loop has written what it was to write; without their times.
    private static func timeless(_ lines: Lines, _ proxy: TestProxy) -> [String] {
        _ = proxy.recentRequests()
        return lines.all.map { line in
            line.replacing(#/"time":"[^"]*"/#, with: "T").replacing(#/"duration":[0-9.]+/#, with: "D")
        }
    }

    private static func line(_ method: String, _ url: String, _ rest: String) -> String {
        #"{T,"level":"info","message":"request","client":"127.0.0.1","method":"\#(method)","target":"\#(url)",\#(rest)}"#
            + "\n"
    }

    @Test("a miss, a hit, a POST and a refusal have a line each, with what became of them")
    func lines() throws {
        let (origin, lines) = (Self.origin(), Lines())
        let proxy = try Self.proxy(lines)
        let url = origin.url("/x")
        for _ in 0..<2 { #expect(proxy.ask(url)?.status == 200) }
        #expect(proxy.perform("POST", url, content: "abc")?.status == 200)
        #expect(proxy.ask("/index.html")?.status == 400)
        let size = #"status":200,"bytes":5,D"#
        let written = Self.timeless(lines, proxy)
        #expect(
            written.dropLast() == [
                Self.line("GET", url, #""\#(size),"cache":"miss","complete":true,"reason":"uri-miss""#),
                Self.line("GET", url, #""\#(size),"cache":"hit","complete":true"#),
                Self.line("POST", url, #""\#(size),"cache":"pass","complete":true,"reason":"method""#),
            ]
        )
        #expect(written.count == 4 && written.last?.contains(#""target":"/index.html","status":400,"#) == true)
        #expect(written.last?.contains(#""cache":"refused","complete":true,"reason":"http_request_denied"}"#) == true)
    }

    private static func text(of milliseconds: Int64) -> String {
        Observability.RequestRecord(
            id: .none,
            milliseconds: milliseconds,
            client: nil,
            method: .get,
            target: [],
            status: 0,
            outcome: "",
            contentBytes: 0,
            duration: 0
        ).timeText
    }

    @Test("a line has the time of its request, and how long that took, on either path")
    func times() throws {
        let (origin, lines) = (Self.origin(), Lines())
        let proxy = try Self.proxy(lines)
        let before = Self.text(of: Logger.wallMilliseconds - 1000)
        for _ in 0..<2 { #expect(proxy.ask(origin.url("/x"))?.status == 200) }
        _ = proxy.recentRequests()
        let after = Self.text(of: Logger.wallMilliseconds + 1000)
        #expect(lines.all.count == 2)
        for line in lines.all {
            let time = try #require(line.firstMatch(of: #/"time":"([^"]*)"/#)?.output.1)
            #expect(before <= time && time <= after, "\(line)")
            let duration = try #require(line.firstMatch(of: #/"duration":([0-9.]+)/#)?.output.1)
            #expect(try #require(Double(duration)) < 60, "\(line)")
        }
    }

    @Test("a hit on a service's path names the service, in the log as among the recent requests")
    func services() throws {
        let (origin, lines) = (Self.origin(), Lines())
        let base = try GatewayBaseText.base(origin.url("/")).base
        let proxy = try TestProxy { setup in
            setup.recentRequests = 10
            setup.options.services = [ServiceRoute(name: "api", base: base)]
            setup.options.accessLog = AccessLog(format: .text, secrets: SecretParameters([])) { lines.add($0) }
        }
        for _ in 0..<2 { #expect(proxy.ask("/api/x", "Host: localhost")?.status == 200) }
        let records = try #require(proxy.recentRequests()).records
        #expect(records.map(\.service) == ["api", "api"] && records.map(\.route) == ["service", "service"])
        #expect(records.map(\.outcome) == ["miss", "hit"] && records.map(\.requestBytes) == [0, 0])
        #expect(lines.all.map { $0.contains(" service=api") } == [true, true])
    }

    @Test("a request under a login has its user in its line, on either path")
    func users() throws {
        let (origin, lines) = (Self.origin(), Lines())
        let hash = try #require(PasswordHash.make(of: Array("secret".utf8)))
        let table = try LoginTable(LoginFile(parsing: LoginFile.setting(hash, of: Array("alice".utf8), in: [])))
        let proxy = try TestProxy { setup in
            setup.options.login = ProxyLogin(table: table, exempts: { _ in false })
            setup.options.accessLog = AccessLog(format: .json, secrets: SecretParameters([])) { lines.add($0) }
        }
        let reader = proxy.reader()
        let request = proxy.request("GET", origin.url("/x"), ["Proxy-Authorization: Basic YWxpY2U6c2VjcmV0"])
        for _ in 0..<2 { #expect(reader.ask(request)?.status == 200) }
        _ = proxy.recentRequests()
        let written = lines.all
        #expect(written.map { $0.contains(#""user":"alice""#) } == [true, true])
        #expect(written.map { $0.contains(#""cache":"hit""#) } == [false, true])
    }

    @Test("distances between logged requests are at random, and what is asked for on average")
    func distances() {
        var random = RandomDistance(seed: 1)
        #expect((0..<4).map { _ in random.next(mean: 1000) } == [505, 524, 1841, 1572])
        var each = RandomDistance()
        for _ in 0..<10 { #expect(each.next(mean: 1) == 1) }
        for _ in 0..<10 { #expect(each.next(mean: 0) == 1) }
        let many = (0..<10_000).map { _ in each.next(mean: 4) }
        #expect(Set(many) == Set(1...7))
        #expect((38_000...42_000).contains(many.reduce(0, +)))
    }

    @Test("of many requests one in so many has a line")
    func sample() throws {
        let (origin, lines) = (Self.origin(), Lines())
        let proxy = try Self.proxy(lines, sample: 4)
        let reader = proxy.reader()
        for _ in 0..<400 { #expect(reader.ask(proxy.request("GET", origin.url("/x")))?.status == 200) }
        _ = proxy.recentRequests()
        #expect((60...150).contains(lines.all.count))
    }
}
