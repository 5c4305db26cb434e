import Formats
import HTTPCore
import Testing

@testable import Settings

/// What holds for one URL, and why.
@Suite struct EffectiveSettingsTests {
    private static let file = """
        [service.api]
        base = "http://h.example/v1"
        [[service.api.rule]]
        match = "/a/**"
        ttl = "3s"
        [service.inner]
        base = "http://h.example/v1/a/inner"
        [[rule]]
        match = "http://h.example/**"
        ttl = "1s"
        drop-query = ["utm_*"]
        transform = [{ encode = "gzip" }, { redact = "$.x" }]
        [[rule]]
        match = "http://h.example/v1/**"
        status = 404
        ttl = "2s"
        transform = [{ json = "minify" }]
        [[rule]]
        match = "http://h.example/v1/none"
        methods = ["GET"]
        transform = "none"
        """

    private static func effective(
        _ url: String,
        _ method: Method = .get,
        options: [String] = []
    ) throws -> EffectiveSettings {
        EffectiveSettings(try load(file, options: options), url: try TargetURI(parsing: url), method: method)
    }

    /// The values of a name as lines.
    private static func lines(_ effective: EffectiveSettings, _ name: String) -> [String] {
        effective.values.filter { $0.name == name }.map { value in
            let condition = value.condition.map { " if \($0)" } ?? ""
            return "\(value.value ?? "-")\(condition) \(value.origin)"
        }
    }

    @Test("the proxy on the way is the service's, else the usual one unless the host is exempt; no password is shown")
    func proxies() throws {
        let options = ["upstream.proxy=http://u:planted@p.example:1", "upstream.no-proxy=[\"g.example\"]"]
        func shown(_ url: String, _ more: String...) throws -> [String] {
            Self.lines(try Self.effective(url, options: options + more), "proxy")
        }
        let usual = try shown("http://h.example/")
        #expect(usual.count == 1 && usual[0].contains("p.example:1") && !usual[0].contains("planted"))
        #expect(try shown("http://g.example/")[0].hasPrefix("\"none\""))
        let own = try shown("http://h.example/v1/x", "service.api.proxy=socks5://u:planted@q.example:2")
        #expect(own.count == 1 && own[0].contains("q.example:2") && !own[0].contains("planted"))
        #expect(try shown("http://h.example/v1/x", "service.api.proxy=none")[0].hasPrefix("\"none\""))
    }

    @Test("later rules win, conditional ones stand before what holds else, a service's own come last")
    func order() throws {
        let own = try Self.effective("http://h.example/v1/a/b")
        #expect(own.service?.name == "api")
        #expect(own.rules.map(\.name) == ["rule 1", "rule 2", "rule 1 of api"])
        #expect(Self.lines(own, "ttl") == ["\"3s\" respite.toml:5:1"])
        let general = try Self.effective("http://h.example/v1/b")
        #expect(
            Self.lines(general, "ttl") == [
                "\"2s\" if status = [404] respite.toml:16:1", "\"1s\" respite.toml:10:1",
            ]
        )
    }

    @Test("a URL belongs to the service with the longest base, whose rules alone apply")
    func longestBase() throws {
        let inner = try Self.effective("http://h.example/v1/a/inner/x")
        #expect(inner.service?.name == "inner")
        #expect(inner.rules.map(\.name) == ["rule 1", "rule 2"])
        #expect(try Self.effective("http://h.example/v1/a/innermost").service?.name == "api")
        #expect(try Self.effective("http://h.example/v10").service == nil)
    }

    @Test("the URL is shown as it is looked up")
    func query() throws {
        let effective = try Self.effective("http://H.example:80/x?utm_a=1&b=2")
        #expect(effective.uri.text == "http://h.example/x?b=2")
        #expect(Self.lines(effective, "drop-query") == ["[\"utm_*\"] respite.toml:11:1"])
    }

    @Test("transformers stand in the order of their stages; \"none\" takes away, for its methods")
    func pipeline() throws {
        let steps = try Self.effective("http://h.example/v1/b").steps
        #expect(steps.map(\.stage) == [.model, .cleanup, .encoding])
        #expect(steps.map(\.condition) == [nil, "status = [404]", nil])
        #expect(steps[0].origin.description == "respite.toml:12:35")
        let replaced =
            Self.file
            + "\n[[rule]]\nmatch = \"**\"\ntransform = [\"none\", { json = \"minify\" }, { links = \"prefix\" }]"
        let after = EffectiveSettings(
            try load(replaced),
            url: try TargetURI(parsing: "http://h.example/v1/b"),
            method: .get
        )
        .steps
        #expect(after.map(\.origin.description) == ["respite.toml:24:43", "respite.toml:24:22"])
        #expect(try Self.effective("http://h.example/v1/none").steps.isEmpty)
        #expect(try Self.effective("http://h.example/v1/none", .head).steps.isEmpty)
        #expect(try Self.effective("http://h.example/v1/none", .post).steps.count == 3)
    }

    @Test("as JSON, values and transformers have the condition under which they hold")
    func json() throws {
        var writer = JSONWriter()
        let effective = try Self.effective("http://h.example/v1/b")
        writer.object { effective.write(to: &$0) }
        let text = String(decoding: writer.bytes, as: UTF8.self)
        for part in [
            #"{"name":"ttl","value":"\"2s\"","if":"status = [404]","rule":"rule 2","origin":"respite.toml:16:1"}"#,
            #"{"name":"ttl","value":"\"1s\"","rule":"rule 1","origin":"respite.toml:10:1"}"#,
            #""if":"status = [404]","rule":"rule 2","origin":"respite.toml:17:14"}"#,
        ] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
    }

    @Test("three values of one URL can have three sources")
    func sources() throws {
        let effective = try Self.effective("http://h.example/x", options: ["cache.stale-if-error=1h"])
        #expect(Self.lines(effective, "ttl") == ["\"1s\" respite.toml:10:1"])
        #expect(Self.lines(effective, "stale-if-error") == ["\"1h\" --set"])
        #expect(Self.lines(effective, "never-cache") == ["false default"])
    }

    @Test("what a service says of itself is shown in place of the general settings, and what TLS is spoken under")
    func service() throws {
        let file = """
            mode = "online"
            [[rule]]
            match = "https://h.example/v1/**"
            retry-after = "origin"
            [service.api]
            base = "https://h.example/v1"
            mode = "offline"
            verify = "off"
            client-certificate = { certificate-file = "/c.pem", key-file = "/k.pem" }
            """
        func lines(_ url: String, _ name: String) throws -> [String] {
            Self.lines(EffectiveSettings(try load(file), url: try TargetURI(parsing: url)), name)
        }
        #expect(try lines("https://h.example/v1/a", "mode") == ["\"offline\" respite.toml:7:1"])
        #expect(try lines("https://h.example/a", "mode") == ["\"online\" respite.toml:1:1"])
        #expect(try lines("https://h.example/v1/a", "retry-after") == ["\"origin\" respite.toml:4:1"])
        #expect(try lines("https://h.example/v1/a", "verify") == ["\"off\" respite.toml:8:1"])
        #expect(try lines("https://h.example/v1/a", "client-certificate").count == 1)
        for name in ["retry-after", "verify", "client-certificate"] {
            #expect(try lines("https://h.example/a", name).isEmpty)
        }
    }

    @Test("the settings of rules stand in one order, and behind them the general ones with their defaults")
    func all() throws {
        let file = """
            [[rule]]
            match = "http://h.example/**"
            deny = "no"
            redirect = "https://new.example$path"
            fail = "reset"
            delay = "1s"
            rate = "1B/s"
            remove-field = { request = ["X"] }
            set-field = { request = { X-A = "1" } }
            ttl = "1s"
            ttl-by-status = { 404 = "1m" }
            stale-while-revalidate = "1s"
            stale-if-error = "1s"
            refresh-ahead = "1%"
            ignore-client-no-cache = true
            cache-even = ["no-store"]
            set-cookie = "strip"
            record-streams = true
            replay-pace = 2.0
            key-body = true
            partition = "blue"
            connect-http = true
            drop-query = ["utm"]
            sort-query = true
            vary-add = ["X-B"]
            vary-ignore = ["X-C"]
            key-header = ["X-D"]
            scrub = ["$.a"]
            retry = true
            rate-limit = "1/s"
            retry-after = "origin"
            """
        let values = EffectiveSettings(try load(file), url: try TargetURI(parsing: "http://h.example/a?utm=1")).values
        #expect(
            values.map(\.name) == [
                "deny", "redirect", "fail", "delay", "rate", "remove-field", "set-field", "never-cache", "ttl",
                "ttl-by-status", "stale-while-revalidate", "stale-if-error", "refresh-ahead", "ignore-client-no-cache",
                "cache-even", "set-cookie", "record-streams", "replay-pace", "key-body", "partition", "connect-http",
                "drop-query", "sort-query", "vary-add", "vary-ignore", "key-header", "scrub", "retry", "rate-limit",
                "retry-after", "proxy", "mode", "cache.heuristic-fraction", "cache.heuristic-limit",
                "cache.hit-for-miss", "upstream.retry-time", "storage.max-object-size",
            ]
        )
        #expect(
            values.suffix(5).map { "\($0.name) = \($0.value ?? "-") \($0.origin)" } == [
                "cache.heuristic-fraction = 0.1 default", "cache.heuristic-limit = \"1d\" default",
                "cache.hit-for-miss = \"10s\" default", "upstream.retry-time = \"1s\" default",
                "storage.max-object-size = \"1GiB\" default",
            ]
        )
        #expect(values.suffix(5).allSatisfy { $0.rule == nil && $0.condition == nil })
    }
}
