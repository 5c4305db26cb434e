import HTTPCore
import Settings
import Testing

@testable import Commands
@testable import Terminal

/// The line of a transfer, and what `respite get` makes of fields.
@Suite struct TransferLineTests {
    private func line(_ count: Int, of total: Int64?, after time: Duration, width: Int = 200) -> String {
        let start = MonotonicTime(nanoseconds: 0)
        var progress = TransferProgress(on: Screen(isTerminal: true, columns: width, environment: [:]), at: start)
        progress.add(count)
        progress.total = total
        return progress.line(at: start + time)
    }

    private func bar(_ filled: Int, of width: Int = 30) -> String {
        "[\(String(repeating: "#", count: filled))\(String(repeating: "-", count: width - filled))]"
    }

    @Test("a line has a bar, the sizes, the rate and the time that is left, rounded up")
    func whole() {
        #expect(line(50, of: 200, after: .seconds(10)) == "\(bar(7)) 25 %   50 B of 200 B   5 B/s   30 s left")
        #expect(line(51, of: 200, after: .seconds(10)) == "\(bar(7)) 25 %   51 B of 200 B   5 B/s   30 s left")
        #expect(line(0, of: 200, after: .seconds(10)) == "\(bar(0)) 0 %   0 B of 200 B   0 B/s   0 s left")
        #expect(line(200, of: 200, after: .zero) == "\(bar(30)) 100 %   200 B of 200 B   195 KiB/s   0 s left")
        #expect(line(300, of: 200, after: .seconds(1)) == "\(bar(30)) 100 %   300 B of 200 B   300 B/s   0 s left")
        #expect(
            line(5, of: 0, after: .seconds(1)) == "5 B   5 B/s" && line(5, of: nil, after: .seconds(1)) == "5 B   5 B/s"
        )
    }

    @Test("the line is drawn at a terminal alone, from 0.3 s on, ten times a second at most, and removed once")
    func drawing() {
        let start = MonotonicTime(nanoseconds: 0)
        var progress = TransferProgress(on: Screen(isTerminal: true, columns: 80, environment: [:]), at: start)
        progress.add(5)
        #expect(progress.drawing(at: start + .milliseconds(299)).isEmpty && progress.clearing().isEmpty)
        let drawn = progress.drawing(at: start + .milliseconds(300))
        #expect(drawn == Array("\r\u{1B}[K5 B   16 B/s".utf8))
        #expect(progress.drawing(at: start + .milliseconds(399)).isEmpty)
        #expect(!progress.drawing(at: start + .milliseconds(400)).isEmpty)
        #expect(progress.clearing() == Array("\r\u{1B}[K".utf8) && progress.clearing().isEmpty)
        var silent = TransferProgress(on: .none, at: start)
        #expect(silent.drawing(at: start + .seconds(1)).isEmpty)
    }

    @Test("a narrow line has a shorter bar and fewer parts; its last column stays free")
    func narrow() {
        let first = "\(bar(2, of: 11)) 25 %"
        #expect(line(50, of: 200, after: .seconds(10), width: 35) == "\(first)   50 B of 200 B")
        #expect(line(50, of: 200, after: .seconds(10), width: 34) == "\(first)   5 B/s")
        #expect(line(5, of: nil, after: .seconds(1), width: 3) == "5 ")
    }

    private static func fields(_ value: String) -> Fields {
        var fields = Fields()
        fields.append(.cacheStatus, value)
        return fields
    }

    @Test(
        "each reason to ask the origin has its words",
        arguments: [
            ("respite; hit", "a hit"), ("respite; hit; ttl=x", "a hit"),
            ("respite; hit; ttl=0", "a hit, fresh for 0 s"),
            ("respite; hit; ttl=1; detail=d", "a hit, fresh for 1 s"),
            ("respite; detail=d", "answered by the proxy itself, not stored: d"),
            ("respite; fwd=vary-miss", "a miss: what is stored is for other request fields"),
            ("respite; fwd=stale", "stale, so it was loaded again"),
            ("respite; fwd=stale; fwd-status=200", "stale, so it was loaded again"),
            ("respite; fwd=request; fwd-status=304", "the origin confirmed it, as asked"),
            ("respite; fwd=partial; stored; detail=d", "the missing part was loaded, stored"),
            ("respite; fwd=bypass", "sent past the cache"),
            ("respite; fwd=method", "sent past the cache because of its method"), ("respite; fwd=miss", "a miss"),
            ("respite; fwd=\"new\"; collapsed; stored", "forwarded: new, shared with another request, stored"),
        ]
    )
    func words(value: String, sentence: String) { #expect(CacheStatusText.sentence(Self.fields(value)) == sentence) }

    @Test("parameters are those of the last member, without quotes")
    func parameters() {
        #expect(
            CacheStatusText.parameters(Self.fields("a; b=c, respite; hit;  ttl=\"5\"; k=v=w"))
                == ["hit": "", "ttl": "5", "k": "v=w"]
        )
        #expect(CacheStatusText.parameters(Fields()).isEmpty && CacheStatusText.sentence(Fields()) == nil)
    }

    @Test(
        "a field's value may have tabs, and loses blanks at both ends; no control characters are sent",
        arguments: [
            ("X:  \t a\tb \t", "X: a\tb"), ("X:", "X: "), ("X: ~", "X: ~"), ("X: é", "X: é"), ("X:a:b", "X: a:b"),
            ("X: \u{7F}", nil), ("X: \u{1F}", nil), ("X: a\u{8}", nil), ("X : a", nil), (": a", nil),
        ] as [(String, String?)]
    )
    func field(line: String, sent: String?) throws {
        let uri = try TargetURI(parsing: "http://h.example/")
        let endpoint = try ProxyEndpoint(listeners: ["127.0.0.1:1"])
        guard let sent else {
            let error = #expect(throws: CommandFailure.self) { try ProxyRequest(uri, lines: [line], control: nil) }
            let fault = "`\(Console.printable(line))` is no field; write `--header \"Accept-Language: de\"`"
            #expect(error?.userMessage == fault && error?.exitCode == 2)
            return
        }
        let request = try ProxyRequest(uri, lines: [line], control: nil)
        let lines = String(decoding: request.bytes(for: endpoint), as: UTF8.self).split(separator: "\r\n")
        #expect(lines.contains(Substring(sent)), "\(lines)")
    }

    @Test("who the command is and what it accepts is said where the user does not")
    func own() throws {
        func lines(_ given: [String]) throws -> [Substring] {
            let request = try ProxyRequest(try TargetURI(parsing: "http://h.example/"), lines: given, control: nil)
            let endpoint = try ProxyEndpoint(listeners: ["127.0.0.1:1"])
            return String(decoding: request.bytes(for: endpoint), as: UTF8.self).split(separator: "\r\n")
        }
        let plain = try lines([])
        #expect(plain.contains("User-Agent: respite/\(Version.text)") && plain.contains("Accept: */*"))
        #expect(!plain.contains { $0.hasPrefix("Cache-Control") })
        let given = try lines(["User-Agent: me", "Accept: a/b"])
        #expect(given.count { $0.hasPrefix("User-Agent") } == 1 && given.count { $0.hasPrefix("Accept") } == 1)
        for name in ["Host", "Connection", "Content-Length", "Transfer-Encoding", "Upgrade", "TE", "Trailer", "Expect"]
        {
            let error = #expect(throws: CommandFailure.self) { try lines(["\(name): 1"]) }
            #expect(
                error?.userMessage == "`\(name)` cannot be set by `--header`: the command sets it itself"
                    && error?.exitCode == 2
            )
        }
    }
}
