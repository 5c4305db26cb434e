import Glibc
import Testing
import TestSupport

/// What is stored answers after a restart as it did before.
struct RestartTests {
    /// One question, and what came of it.
    struct Probe: Sendable {
        var path: String
        var fields: [String] = []
        var method = "GET"
    }

    /// What is filled, in this order.
    private static let fills = [
        Probe(path: "/vary", fields: ["Accept-Language: de"]), Probe(path: "/vary", fields: ["Accept-Language: en"]),
        Probe(path: "/vary"), Probe(path: "/fields"), Probe(path: "/dated"), Probe(path: "/404"), Probe(path: "/301"),
        Probe(path: "/empty"), Probe(path: "/large"), Probe(path: "/public", fields: ["Authorization: alice"]),
        Probe(path: "/validated"), Probe(path: "/validated"), Probe(path: "/heuristic"), Probe(path: "/no-cache"),
        Probe(path: "/swr"), Probe(path: "/error"), Probe(path: "/stale"), Probe(path: "/marked"),
        Probe(path: "/marked", method: "DELETE"),
    ]

    /// Answered from the store alone.
    private static let hits = [
        Probe(path: "/vary", fields: ["Accept-Language: de"]), Probe(path: "/vary", fields: ["accept-language: EN"]),
        Probe(path: "/vary"), Probe(path: "/fields"), Probe(path: "/fields", method: "HEAD"),
        Probe(path: "/fields", fields: ["If-None-Match: \"x\", W/\"f\""]),
        Probe(path: "/fields", fields: ["If-None-Match: \"x\""]), Probe(path: "/fields", fields: ["Range: bytes=2-4"]),
        Probe(path: "/fields", fields: ["Range: bytes=-2", "If-Range: \"f\""]),
        Probe(path: "/fields", fields: ["Range: bytes=2-4", "If-Range: \"other\""]),
        Probe(path: "/fields", fields: ["Range: bytes=99-"]),
        Probe(path: "/dated", fields: ["If-Modified-Since: Thu, 18 Aug 1994 02:01:18 GMT"]),
        Probe(path: "/dated", fields: ["If-Modified-Since: Thu, 18 Aug 1993 02:01:18 GMT"]), Probe(path: "/404"),
        Probe(path: "/301"), Probe(path: "/empty"), Probe(path: "/large"),
        Probe(path: "/large", fields: ["Range: bytes=100000-100099"]), Probe(path: "/validated"),
        Probe(path: "/heuristic"), Probe(path: "/stale", fields: ["Cache-Control: max-stale=600"]),
        Probe(path: "/vary", fields: ["Accept-Language: fr", "Cache-Control: only-if-cached"]),
    ]

    /// Answered with the origin's word.
    private static let asking = [
        Probe(path: "/stale"), Probe(path: "/no-cache"), Probe(path: "/error"),
    ]

    private static func fields(_ path: String) -> [String] {
        switch path {
        case "/vary": ["Cache-Control: max-age=600", "Vary: Accept-Language"]
        case "/fields":
            ["Cache-Control: max-age=600", "ETag: \"f\"", "x-B: 1", "X-a:  two", "X-B: 3", "Age: 50", "Server: o"]
        case "/dated": ["Cache-Control: max-age=600", "Last-Modified: Thu, 18 Aug 1994 02:01:18 GMT"]
        case "/heuristic": ["Last-Modified: Thu, 18 Aug 1994 02:01:18 GMT"]
        case "/no-cache": ["Cache-Control: no-cache", "ETag: \"n\""]
        case "/swr": ["Cache-Control: max-age=60, stale-while-revalidate=600", "Age: 100"]
        case "/error": ["Cache-Control: max-age=60, stale-if-error=600", "Age: 100", "ETag: \"e\""]
        case "/stale": ["Cache-Control: max-age=60", "Age: 100", "ETag: W/\"s\""]
        case "/public": ["Cache-Control: public, max-age=600"]
        case "/private": ["Cache-Control: private, max-age=600"]
        case "/cookie": ["Cache-Control: private, max-age=600", "Set-Cookie: session=secret-session"]
        default: ["Cache-Control: max-age=600", "ETag: \"d\""]
        }
    }

    private static func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { exchange in
            let request = exchange.request
            var lines = fields(exchange.target)
            switch exchange.target {
            case "/validated" where exchange.ordinal == 1:
                return try exchange.reply(
                    "200 OK",
                    ["Cache-Control: max-age=0", "ETag: \"d\"", "X-Old: 1"],
                    body: "val"
                )
            case "/validated": lines.append("X-New: 2")
            case "/error" where exchange.ordinal > 1: return exchange.reset()
            case "/404": return try exchange.reply("404 Gone fishing", lines, body: "nothing")
            case "/301": return try exchange.reply("301 Moved Permanently", lines + ["Location: /fields"])
            case "/empty": return try exchange.reply("200 OK", lines, body: "")
            case "/large": return try exchange.reply("200 OK", lines, content: large)
            case "/marked" where request.method == "DELETE": return try exchange.reply("204 No Content")
            default: break
            }
            let tag = lines.first { $0.hasPrefix("ETag: ") }?.dropFirst(6)
            if let tag, request["If-None-Match"] == String(tag) {
                // A validated response stays as stale as it was, so that it is validated each time.
                return try exchange.reply("304 Not Modified", lines)
            }
            let names = ["Authorization", "Cookie", "X-Api-Key"]
            let user = names.compactMap { request[$0] }.first.flatMap { users.firstIndex(of: $0) } ?? -1
            let language = request["Accept-Language"] ?? "any"
            try exchange.reply("200 OK", lines, body: "\(exchange.target) for user \(user) in \(language)")
        }
    }

    private static let large = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }

    /// An answer with what the clock changes taken out: Age and ttl, of which the sum stays.
    private struct Answer: Equatable, CustomStringConvertible {
        var status: Int
        var lines: [String]
        var content: [UInt8]
        var lifetime: Int?

        init(_ response: Response) {
            status = response.status
            content = response.content
            let age = response["Age"].flatMap { Int($0) }
            let ttl = response.cacheStatus.firstMatch(of: /ttl=(-?\d+)/).flatMap { Int($0.1) }
            lifetime = age.flatMap { age in ttl.map { age + $0 } }
            let all = response.head.fields.lines.map { name, value in
                switch name.lowercased() {
                case "age": return "\(name): N"
                case "cache-status": return "\(name): \(value.replacing(/ttl=-?\d+/, with: "ttl=N"))"
                // The number behind the name is the process's.
                case "via": return name
                // Of an answer of our own, and of the one that was validated in between, which bears the time of that.
                case "date" where [504, 416].contains(response.status) || response["ETag"] == "W/\"s\"": return name
                default: return "\(name): \(value)"
                }
            }
            // The origin's keep their order; ours stand before or behind them.
            let ours = ["Age", "Cache-Status", "Via", "Content-Length"]
            let isOurs = { (line: String) in ours.contains(String(line.prefix { $0 != ":" })) }
            lines = all.filter { !isOurs($0) } + all.filter(isOurs).sorted()
        }

        var description: String { "\(status) \(lines) \(content.count) bytes, lifetime \(lifetime ?? -1)" }
    }

    private static func ask(_ daemon: DaemonProcess, _ origin: ScriptedOrigin, _ probe: Probe) throws -> Answer {
        Answer(try daemon.fetch(probe.method, origin.url(probe.path), probe.fields))
    }

    @Test(
        "variants, conditions, ranges and stale answers are the same after a restart (C-11.1, C-12.2, C-13.1, C-15.1, C-16.1)",
        arguments: [SIGTERM, SIGKILL]
    )
    func same(signal: Int32) throws {
        let origin = try Self.origin()
        let home = TemporaryDirectory()
        let settings = ["--set", "upstream.retry-time=0s", "--set", "upstream.circuit-breaker=false"]
        let before = try DaemonProcess(settings, home: home)
        let events = try before.events()
        for probe in Self.fills { _ = try before.fetch(probe.method, origin.url(probe.path), probe.fields) }
        // What came last is durable: all before it is, too, and nobody follows a load.
        let store = { (path: String) in
            _ = try before.get(origin.url(path))
            _ = try events.next("\(path) to be durable") { $0.contains("event: durable") && $0.contains(path) }
        }
        try store("/filled")
        var answers: [Answer] = []
        for probe in Self.hits { answers.append(try Self.ask(before, origin, probe)) }
        let validations = try Self.asking.map { try Self.conditions(before, origin, $0) }
        try store("/last")
        try before.stop(signal: signal)

        let after = try DaemonProcess(settings, home: home)
        let asked = origin.requests.count
        for (probe, answer) in zip(Self.hits, answers) {
            let later = try Self.ask(after, origin, probe)
            #expect(later == answer, "\(probe): \(later) \(answer)")
        }
        #expect(origin.requests.count == asked)
        for (probe, earlier) in zip(Self.asking, validations) {
            let later = try Self.conditions(after, origin, probe)
            #expect(later.sent == earlier.sent, "\(probe)")
            #expect(later.words == earlier.words, "\(probe)")
        }
        // Marked by an unsafe method before the restart.
        let marked = try Self.conditions(after, origin, Probe(path: "/marked"))
        #expect(marked.sent == ["\"d\""] && marked.words.contains("detail=invalidated"), "\(marked.words)")
        let swr = try after.get(origin.url("/swr"))
        #expect(swr.isHit && swr.cacheStatus.contains("detail=stale-while-revalidate"), "\(swr.cacheStatus)")
        try origin.wait(for: 2, of: "/swr")
    }

    /// The conditions the origin was sent for a question, and how the answer came about.
    private static func conditions(
        _ daemon: DaemonProcess,
        _ origin: ScriptedOrigin,
        _ probe: Probe
    ) throws -> (sent: Set<String?>, words: String) {
        let asked = origin.requests.count
        let answer = try daemon.fetch(probe.method, origin.url(probe.path), probe.fields)
        #expect(answer.status == 200)
        let sent = origin.requests.dropFirst(asked).map { $0["If-None-Match"] }
        // A request whose connection was reset may be made twice.
        return (Set(sent), answer.cacheStatus.replacing(/ttl=-?\d+/, with: "ttl=N"))
    }

    /// Values of credential fields; answers tell their number only, so that none of them is in any content.
    private static let users = ["secret-alice", "secret-bob", "id=secret-carol", "secret-dave"]

    @Test(
        "after a restart each credential has its own answers and nobody another's; no secret is at rest (C-20.1b, H-158)"
    )
    func credentials() throws {
        let origin = try Self.origin()
        let home = TemporaryDirectory()
        let names = ["Authorization", "Authorization", "Cookie", "X-Api-Key"]
        let fields = zip(names, Self.users).map { "\($0): \($1)" }
        let before = try DaemonProcess(home: home)
        for path in ["/private", "/cookie"] {
            for (number, field) in fields.enumerated() {
                let own = "\(path) for user \(number) in any"
                #expect(try before.get(origin.url(path), [field]).text == own)
                let hit = try before.get(origin.url(path), [field])
                #expect(hit.isHit && hit.text == own)
            }
        }
        #expect(try before.stop() == 0)
        let found = try Command.run(["/bin/grep", "-r", "-l", "-a", "secret-", before.storePath])
        #expect(found.output == "")

        let after = try DaemonProcess(home: home)
        for (number, field) in fields.enumerated().reversed() {
            let kept = try after.get(origin.url("/private"), [field])
            #expect(kept.isHit && kept.text == "/private for user \(number) in any")
            // A cookie that is set is a secret: what sets one was in memory only.
            let fresh = try after.get(origin.url("/cookie"), [field])
            #expect(!fresh.isHit && fresh.text == "/cookie for user \(number) in any")
        }
        #expect(try after.get(origin.url("/private")).text == "/private for user -1 in any")
        #expect(
            try after.get(origin.url("/private"), ["Authorization: secret-eve"]).text == "/private for user -1 in any"
        )
    }
}
