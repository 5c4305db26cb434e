import CommandSyntax
import HTTPCore
import Settings
import Testing

@testable import Commands
@testable import Terminal

/// What `respite get` sends and says.
@Suite struct GetTests {
    private static let endpoint = try? ProxyEndpoint(listeners: ["127.0.0.1:3128"])

    private static func head(_ url: String, _ lines: [String] = [], control: String? = nil) throws -> [String] {
        let request = try ProxyRequest(try TargetURI(parsing: url), lines: lines, control: control)
        let endpoint = try #require(endpoint)
        return String(decoding: request.bytes(for: endpoint), as: UTF8.self).split(separator: "\r\n").map(String.init)
    }

    @Test("an http URL is asked for in the form for proxies, an https URL by the prefix gateway")
    func forms() throws {
        let plain = try Self.head("http://h.example/a?b")
        #expect(plain.first == "GET http://h.example/a?b HTTP/1.1" && plain.contains("Host: h.example"))
        let secure = try Self.head("https://h.example/a?b", control: "no-cache")
        #expect(secure.first == "GET /https://h.example/a?b HTTP/1.1" && secure.contains("Host: 127.0.0.1:3128"))
        #expect(secure.contains("Cache-Control: no-cache") && secure.contains("Connection: close"))
    }

    @Test("fields of the user are sent as they are; those that the command needs itself, and lines that are none, fail")
    func fields() throws {
        let head = try Self.head("http://h.example/", ["Accept: text/html", "X-A:  b "])
        #expect(head.contains("Accept: text/html") && head.contains("X-A: b") && !head.contains("Accept: */*"))
        for line in ["Host: a", "connection: x", "Transfer-Encoding: chunked", "nothing", "a b: c", "a: b\r\nc: d"] {
            #expect(throws: CommandFailure.self, "\(line)") { try Self.head("http://h.example/", [line]) }
        }
    }

    @Test(
        "Cache-Status is told in words",
        arguments: [
            ("respite; hit; ttl=552", "a hit, fresh for 9 min 12 s"), ("respite; hit; ttl=-3", "a hit, stale for 3 s"),
            ("respite; fwd=uri-miss; fwd-status=200; stored", "a miss: nothing was stored for this URL, stored"),
            (
                "respite; fwd=uri-miss; fwd-status=200; detail=no-store",
                "a miss: nothing was stored for this URL, not stored: no-store"
            ),
            ("respite; fwd=stale; fwd-status=304; stored", "stale, and the origin confirmed it, stored"),
            ("other; hit, respite; fwd=request; collapsed", "loaded again, as asked, shared with another request"),
            ("respite", nil),
        ] as [(String, String?)]
    )
    func words(value: String, expected: String?) {
        var fields = Fields()
        fields.append(.cacheStatus, value)
        #expect(CacheStatusText.sentence(fields) == expected)
    }

    @Test("the line of a transfer fits the terminal; of an unknown length it has bytes and rate")
    func progress() {
        let start = MonotonicTime(nanoseconds: 0)
        for width in [20, 40, 80, 200] {
            var progress = TransferProgress(on: Screen(isTerminal: true, columns: width, environment: [:]), at: start)
            progress.add(50 << 20)
            #expect(progress.line(at: start + .seconds(10)).hasPrefix("50.0 MiB"))
            progress.total = 200 << 20
            let line = progress.line(at: start + .seconds(10))
            #expect(line.count < width && line.hasPrefix("[") && line.contains("] 25 %"), "\(line)")
            #expect(width < 80 || line.hasSuffix("50.0 MiB of 200 MiB   5.0 MiB/s   30 s left"), "\(line)")
        }
    }
}
