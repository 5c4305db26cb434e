import Settings
import Testing
import TestSupport

/// `respite explain` on prepared situations: the reason it tells is the one by which the next request is answered.
struct ExplainTests {
    /// A request.
    struct Ask: Sendable {
        var path: String
        var fields: [String] = []
        var method = "GET"
    }

    /// What was asked for before, what is asked about, and what must be told of it.
    struct Situation: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var before: [Ask] = []
        var settings: [String] = []
        var ask: Ask
        /// The lines from the outcome on; numbers that depend on the clock are N.
        var told: [String]
        /// What the answer's Cache-Status tells beyond it, since only the origin's answer shows it.
        var later: Set<String> = []
    }

    static let situations = [
        Situation(
            testDescription: "fresh",
            before: [Ask(path: "/fresh")],
            ask: Ask(path: "/fresh"),
            told: [
                "outcome: serve (Cache-Status: respite; hit; ttl=N)",
                "  fresh: age N s is below the lifetime; N s are left (RFC 9111 §4.2)",
                "holds: 200, shared, age N s, selected",
                "  max-age: fresh for 600 s, by max-age in Cache-Control (RFC 9111 §5.2.2.1)",
                "  fresh: age N s is below the lifetime; N s are left (RFC 9111 §4.2)",
            ]
        ),
        Situation(
            testDescription: "stale, with a validator",
            before: [Ask(path: "/stale")],
            ask: Ask(path: "/stale"),
            told: [
                "outcome: validate (Cache-Status: respite; fwd=stale)",
                "  stale: age N s, lifetime 60 s: stale by N s (RFC 9111 §4.2)",
                "    would change with: a longer lifetime or stale-while-revalidate, by the origin or a rule (ttl, "
                    + "stale-while-revalidate)",
            ]
        ),
        Situation(
            testDescription: "must-revalidate",
            before: [Ask(path: "/must")],
            ask: Ask(path: "/must"),
            told: [
                "outcome: validate (Cache-Status: respite; fwd=stale; detail=must-revalidate)",
                "  must-revalidate: age N s, lifetime 60 s: stale by N s, and must-revalidate forbids use without validation "
                    + "(RFC 9111 §5.2.2.2)",
            ]
        ),
        Situation(
            testDescription: "no-store",
            before: [Ask(path: "/no-store")],
            ask: Ask(path: "/no-store"),
            told: [
                "outcome: load (Cache-Status: respite; fwd=uri-miss)",
                "  uri-miss: nothing is stored for this URI (RFC 9111 §4)",
                "    would change with: a response that may be stored",
                "  no-store: the last response, 200, N s ago, was not stored: it says no-store (RFC 9111 §5.2.2.5)",
                "    would change with: the origin's Cache-Control",
            ],
            later: ["detail=no-store"]
        ),
        Situation(
            testDescription: "Authorization, without public, and another client",
            before: [Ask(path: "/fresh", fields: ["Authorization: one"])],
            ask: Ask(path: "/fresh", fields: ["Authorization: two"]),
            told: [
                "outcome: load (Cache-Status: respite; fwd=uri-miss)",
                "  uri-miss: the stored responses belong to another credential (RFC 9111 §3.5)",
                "    would change with: public, must-revalidate or s-maxage of the origin, or a request with the same "
                    + "credential",
                "holds: 200, private, age N s, another credential's",
            ]
        ),
        Situation(
            testDescription: "private, in the partition of the client's own",
            before: [Ask(path: "/private", fields: ["Cookie: id=1"])],
            ask: Ask(path: "/private", fields: ["Cookie: id=1"]),
            told: [
                "outcome: serve (Cache-Status: respite; hit; ttl=N)",
                "  fresh: age N s is below the lifetime; N s are left (RFC 9111 §4.2)",
                "holds: 200, personal, age N s, selected",
                "  private: the response says private: only requests with the same credentials get it (RFC 9111 §5.2.2.7)",
            ]
        ),
        Situation(
            testDescription: "a Cookie, and a response that is everybody's all the same (C-17.5)",
            before: [Ask(path: "/fresh", fields: ["Cookie: id=1"])],
            ask: Ask(path: "/fresh", fields: ["Cookie: id=2"]),
            told: [
                "outcome: serve (Cache-Status: respite; hit; ttl=N)",
                "  fresh: age N s is below the lifetime; N s are left (RFC 9111 §4.2)",
                "holds: 200, shared, age N s, selected",
                "  cookie-shared: the request has a Cookie, but all clients share the response: it states a lifetime, "
                    + "and does not say private (RFC 9111 §3)",
                "    would change with: private of the origin, cache.cookies = \"partition\", or partition = \"credential\" in "
                    + "a rule",
            ]
        ),
        Situation(
            testDescription: "a Cookie that keeps a response apart (C-20.1b)",
            before: [Ask(path: "/fresh", fields: ["Cookie: id=1"])],
            settings: ["cache.cookies=partition"],
            ask: Ask(path: "/fresh", fields: ["Cookie: id=1"]),
            told: [
                "outcome: serve (Cache-Status: respite; hit; ttl=N)",
                "  fresh: age N s is below the lifetime; N s are left (RFC 9111 §4.2)",
                "holds: 200, personal, age N s, selected",
                "  cookie: the request has a Cookie, which is treated as Authorization is: only requests with the same "
                    + "credentials get it (RFC 9111 §3.5)",
                "    would change with: public or s-maxage of the origin, or cache.cookies = \"share\"",
            ]
        ),
        Situation(
            testDescription: "another Cookie, where cookies keep responses apart (C-20.1b)",
            before: [Ask(path: "/fresh", fields: ["Cookie: id=1"])],
            settings: ["cache.cookies=partition"],
            ask: Ask(path: "/fresh", fields: ["Cookie: id=2"]),
            told: [
                "outcome: load (Cache-Status: respite; fwd=uri-miss)",
                "  uri-miss: the stored responses belong to another credential (RFC 9111 §3.5)",
                "    would change with: public, must-revalidate or s-maxage of the origin, or a request with the same "
                    + "credential; if they differ only in Cookie, cache.cookies = \"share\"",
                "holds: 200, private, age N s, another credential's",
            ]
        ),
        Situation(
            testDescription: "another variant",
            before: [Ask(path: "/vary", fields: ["Accept-Language: de", "X-Kind: a"])],
            ask: Ask(path: "/vary", fields: ["Accept-Language: de", "X-Kind: b"]),
            told: [
                "outcome: load (Cache-Status: respite; fwd=vary-miss)",
                "  vary-miss: one variant is stored, and the request differs from it in x-kind (RFC 9111 §4.1)",
                "    would change with: a request with the same fields, or another Vary of the origin",
                "holds: 200, shared, age N s, differs in x-kind",
            ]
        ),
        Situation(
            testDescription: "a rule's lifetime",
            before: [Ask(path: "/ruled")],
            ask: Ask(path: "/ruled"),
            told: [
                "outcome: serve (Cache-Status: respite; hit; ttl=N)",
                "  fresh: age N s is below the lifetime; N s are left (RFC 9111 §4.2)",
                "holds: 200, shared, age N s, selected",
                "  rule: fresh for 7200 s, by rule 1 (RFC 9111 §4.2.1)",
                "    would change with: ttl in rule 1",
            ]
        ),
        Situation(
            testDescription: "a request with no-cache",
            before: [Ask(path: "/fresh")],
            ask: Ask(path: "/fresh", fields: ["Cache-Control: no-cache"]),
            told: [
                "outcome: validate (Cache-Status: respite; fwd=request; detail=request-no-cache)",
                "  request-no-cache: the request says no-cache (RFC 9111 §5.2.1.4)",
            ]
        ),
        Situation(
            testDescription: "a guessed lifetime",
            before: [Ask(path: "/heuristic")],
            ask: Ask(path: "/heuristic"),
            told: [
                "outcome: serve (Cache-Status: respite; hit; ttl=N)",
                "  fresh: age N s is below the lifetime; N s are left (RFC 9111 §4.2)",
                "holds: 200, shared, age N s, selected",
                "  heuristic: fresh for 86400 s, a part of the time since Last-Modified, since no lifetime is stated "
                    + "(RFC 9111 §4.2.2)",
            ]
        ),
        Situation(
            testDescription: "never asked for",
            ask: Ask(path: "/fresh"),
            told: [
                "outcome: load (Cache-Status: respite; fwd=uri-miss)",
                "  uri-miss: nothing is stored for this URI, and no response to it is remembered (RFC 9111 §4)",
                "    would change with: a response that may be stored",
            ]
        ),
        Situation(
            testDescription: "only what is held",
            ask: Ask(path: "/fresh", fields: ["Cache-Control: only-if-cached"]),
            told: [
                "outcome: refuse (Cache-Status: respite; detail=only-if-cached)",
                "  only-if-cached: the request accepts only stored responses, and none may be used (RFC 9111 §5.2.1.7)",
            ]
        ),
        Situation(
            testDescription: "a failure a moment ago",
            before: [Ask(path: "/down")],
            ask: Ask(path: "/down"),
            told: ["outcome: fail (Cache-Status: respite; detail=remembered-failure)"]
        ),
        Situation(
            testDescription: "an unsafe method",
            before: [Ask(path: "/fresh")],
            ask: Ask(path: "/fresh", method: "DELETE"),
            told: [
                "outcome: pass (Cache-Status: respite; fwd=method)",
                "  method: only GET and HEAD are answered from stored responses; DELETE goes to the origin (RFC 9111 §4)",
                "    would change with: a GET",
                "  invalidated: if it succeeds, stored responses must be validated before they are used again (RFC 9111 §4.4)",
            ]
        ),
        Situation(
            testDescription: "too many variants",
            before: (1...8).map {
                Ask(path: "/agents", fields: ["User-Agent: agent \($0)", "Origin: http://a.example"])
            },
            ask: Ask(path: "/agents", fields: ["User-Agent: agent 9", "Origin: http://a.example"]),
            told: [
                "outcome: load (Cache-Status: respite; fwd=vary-miss; detail=many-variants)",
                "  many-variants: 8 variants are stored; they differ in user-agent (8 values) (RFC 9110 §12.5.5)",
            ]
        ),
    ]

    private static let fieldsByPath = [
        "/fresh": ["Cache-Control: max-age=600", "ETag: \"a\""],
        "/stale": ["Cache-Control: max-age=60", "Age: 100", "ETag: \"a\""],
        "/must": ["Cache-Control: max-age=60, must-revalidate", "Age: 100", "ETag: \"a\""],
        "/no-store": ["Cache-Control: no-store"],
        "/private": ["Cache-Control: private, max-age=600"],
        "/vary": ["Cache-Control: max-age=600", "Vary: X-Kind, Accept-Language"],
        "/ruled": ["Cache-Control: max-age=5"],
        "/heuristic": ["Last-Modified: Thu, 18 Aug 1994 02:01:18 GMT"],
        "/agents": ["Cache-Control: max-age=600", "Vary: User-Agent, Origin"],
    ]

    private static func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { exchange in
            guard let fields = fieldsByPath[exchange.target] else { return exchange.reset() }
            let isUnchanged = exchange.request["If-None-Match"] == "\"a\""
            try isUnchanged
                ? exchange.reply("304 Not Modified", fields) : exchange.reply("200 OK", fields, body: "content")
        }
    }

    /// With N for what depends on the clock.
    private static func normalized(_ line: String) -> String {
        line.replacing(/age \d+ s/, with: "age N s").replacing(/ttl=-?\d+/, with: "ttl=N")
            .replacing(/; \d+ s are left/, with: "; N s are left").replacing(/stale by \d+ s/, with: "stale by N s")
            .replacing(/, \d+ s ago/, with: ", N s ago")
    }

    /// The parameters of our member of Cache-Status without those that only the origin's answer gives.
    private static func words(_ cacheStatus: String) -> Set<String> {
        let parameters = normalized(cacheStatus).split(separator: ";").map { String($0.trimmingPrefix { $0 == " " }) }
        return Set(parameters.filter { $0 != "stored" && !$0.hasPrefix("fwd-status=") })
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain = byte.isLetterOrDigit || "-._~".utf8.contains(byte)
            return isPlain
                ? String(decoding: [byte], as: UTF8.self) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    @Test(
        "explain tells the true reason, and the next request is answered by it (C-25.1, C-24.1)",
        arguments: situations
    )
    func explained(situation: Situation) throws {
        let origin = try Self.origin()
        let home = TemporaryDirectory()
        let file = try home.write(
            "[[rule]]\nmatch = \"\(origin.url("/ruled"))\"\nttl = \"2h\"\n",
            to: "respite.toml"
        )
        let settings = (["upstream.retry-time=30s"] + situation.settings).flatMap { ["--set", $0] }
        let daemon = try DaemonProcess(["--config", file] + settings, home: home)
        for ask in situation.before { _ = try daemon.get(origin.url(ask.path), ask.fields) }
        let asked = origin.requests.count

        let ask = situation.ask
        let url = origin.url(ask.path)
        let options = ask.fields.flatMap { ["-H", $0] } + ["-X", ask.method]
        let words = [DaemonProcess.executable, "explain", url] + options
        let place = ["--admin", "127.0.0.1:\(daemon.adminPort)", "--store", daemon.storePath]
        let tool = try Command.run(words + place, environment: DaemonProcess.environment(home))
        #expect(tool.status == 0, "\(tool.errors)")
        let lines = tool.output.split(separator: "\n").map { Self.normalized(String($0)) }
        #expect(lines.first == "\(ask.method) \(url)")
        #expect(Array(lines.drop { !$0.hasPrefix("outcome") }.prefix(situation.told.count)) == situation.told)

        let fields = ask.fields.map { "&header=\(Self.escaped($0))" }.joined()
        let document = try daemon.admin("GET", "/v1/explain?url=\(Self.escaped(url))\(fields)&method=\(ask.method)")
            .json
        #expect(document["text"]?.elements.compactMap(\.text).map(Self.normalized) == lines)
        // Neither asked the origin.
        #expect(origin.requests.count == asked)

        let answer = try daemon.fetch(ask.method, url, ask.fields)
        let explained = try #require(document["cacheStatus"]?.text)
        #expect(Self.words(explained).union(situation.later) == Self.words(answer.cacheStatus))
        let asksOrigin = ["validate", "load", "pass"].contains(document["outcome"]?.text)
        #expect((origin.requests.count > asked) == asksOrigin)
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool { (0x30...0x39).contains(self) || (0x41...0x5A).contains(self & 0xDF) }
}
