import Glibc
import Settings
import Testing
import TestSupport

/// What the daemon counts, and who may read it.
struct MetricsTests {
    private static func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { exchange in
            switch exchange.target {
            case "/none": try exchange.reply("404 Not Found", ["Cache-Control: max-age=600"], body: "none")
            case "/broken": exchange.reset()
            case "/stale":
                try exchange.reply("200 OK", ["Cache-Control: max-age=0, stale-while-revalidate=600"], body: "old")
            case "/validated":
                let isKnown = exchange.request["If-None-Match"] != nil
                try exchange.reply(isKnown ? "304 Not Modified" : "200 OK", ["Cache-Control: no-cache", "ETag: \"1\""])
            default: try exchange.reply("200 OK", ["Cache-Control: max-age=600", "ETag: \"1\""], body: "hello")
            }
        }
    }

    /// The value of a sample; nil if there is none.
    private static func value(_ sample: String, in text: String) -> Double? {
        text.split(separator: "\n").first { $0.hasPrefix(sample + " ") }.flatMap {
            Double($0.dropFirst(sample.count + 1))
        }
    }

    @Test("responses are counted by the class of their status, and their times by outcome")
    func classes() throws {
        let origin = try Self.origin()
        let daemon = try DaemonProcess(loops: 1)
        for _ in 0..<3 { #expect(try daemon.get(origin.url("/a")).status == 200) }
        #expect(try daemon.get(origin.url("/a"), ["If-None-Match: \"1\""]).status == 304)
        for _ in 0..<2 { #expect(try daemon.get(origin.url("/none")).status == 404) }
        for _ in 0..<2 { #expect(try daemon.get(origin.url("/validated")).status == 200) }
        #expect(try daemon.fetch("POST", origin.url("/a"), content: [1]).status == 200)
        #expect(try daemon.get(origin.url("/broken")).status == 502)
        #expect(try daemon.get("http://169.254.169.254/").status == 403)
        let text = try daemon.admin("GET", "/metrics").text
        let classes = (1...5).map { Self.value("respite_responses_total{class=\"\($0)xx\"}", in: text) }
        #expect(classes == [0, 6, 1, 3, 1], "\(text)")
        func count(_ outcome: String) -> Double? {
            Self.value("respite_request_duration_seconds_count{outcome=\"\(outcome)\"}", in: text)
        }
        let counts = ["miss", "revalidated", "pass", "error", "refused"].map(count)
        #expect(counts == [3, 1, 1, 1, 1], "\(text)")
        // Of hits some are measured, which stand for the others: the first one for itself.
        let hits = try #require(count("hit"))
        #expect(hits >= 1 && hits <= 4)
        let all = Self.value("respite_request_duration_seconds_bucket{outcome=\"miss\",le=\"+Inf\"}", in: text)
        #expect(all == 3)
    }

    @Test("hits are measured now and then, and each stands for those before: their number stays right within 31")
    func hitTimes() throws {
        let origin = try Self.origin()
        let daemon = try DaemonProcess(loops: 1)
        let client = try daemon.client()
        for _ in 0...500 {
            #expect(try client.exchange("GET", origin.url("/a"), ["Host: \(origin.authority)"]).status == 200)
        }
        let text = try daemon.admin("GET", "/metrics").text
        let count = try #require(Self.value("respite_request_duration_seconds_count{outcome=\"hit\"}", in: text))
        #expect(count > 500 - 31 && count <= 500)
        let sum = try #require(Self.value("respite_request_duration_seconds_sum{outcome=\"hit\"}", in: text))
        #expect(sum > 0)
    }

    @Test("metrics name base units alone: seconds and bytes; what only grows ends in _total")
    func names() throws {
        let text = try DaemonProcess().admin("GET", "/metrics").text
        let types = text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.map { $0.split(separator: " ") }
        #expect(types.count > 30)
        for type in types {
            #expect(type[2].hasSuffix("_total") == (type[3] == "counter"), "\(type)")
            for unit in ["milliseconds", "microseconds", "minutes", "kib", "mib", "kilobytes"] {
                #expect(!type[2].contains(unit), "\(type)")
            }
        }
    }

    @Test("what was saved goes on over restarts, in status and metrics")
    func savings() throws {
        let origin = try Self.origin()
        let home = TemporaryDirectory()
        for round in 1...2 {
            let daemon = try DaemonProcess(home: home)
            for _ in 0..<4 { _ = try daemon.get(origin.url("/a")) }
            // The first request of all is a miss; those after the restart come from the store.
            let requests = round == 1 ? 3 : 7
            let savings = try #require(try daemon.admin("GET", "/v1/status").json["savings"])
            #expect(savings["requests"]?.integer == Int64(requests), "\(savings)")
            #expect(savings["bytes"]?.integer == Int64(requests * 5), "\(savings)")
            let text = try daemon.admin("GET", "/metrics").text
            #expect(text.contains("respite_saved_requests_total \(requests)\n"))
            #expect(text.contains("respite_saved_bytes_total \(requests * 5)\n"))
            #expect(try daemon.stop() == 0)
        }
    }

    // MARK: The token that only reads

    private static func status(
        _ daemon: DaemonProcess,
        _ path: String,
        _ token: String,
        method: String = "GET"
    ) throws -> Int {
        let client = try WireClient(port: daemon.adminPort)
        let fields = ["Host: 127.0.0.1:\(daemon.adminPort)", "Authorization: Bearer \(token)", "Connection: close"]
        return try client.exchange(method, path, fields, content: []).status
    }

    @Test(
        "a read token that is missing at the start is told; it is read again by a reload, and the old one is then refused"
    )
    func readToken() throws {
        let home = TemporaryDirectory()
        let path = home.path + "/read-token"
        let daemon = try DaemonProcess(["--set", "admin-read-token-file=\(path)"], home: home)
        let missing = try daemon.admin("GET", "/v1/status").text
        #expect(missing.contains("cannot use the read token file"), "\(missing)")
        let (first, second) = ("the-first-read-token", "the-second-read-token")
        for (token, old) in [(first, "nothing"), (second, first)] {
            try writeFile(path, Array((token + "\n").utf8))
            chmod(path, 0o640)
            #expect(try daemon.admin("POST", "/v1/reload").status == 200)
            #expect(try Self.status(daemon, "/metrics", token) == 200)
            #expect(try Self.status(daemon, "/metrics", old) == 401)
            #expect(try Self.status(daemon, "/v1/purge", token, method: "POST") == 403)
            #expect(try !daemon.admin("GET", "/v1/status").text.contains("read token"))
        }
        // A file that others may write is no token's any more.
        chmod(path, 0o666)
        #expect(try daemon.admin("POST", "/v1/reload").status == 200)
        #expect(try Self.status(daemon, "/metrics", second) == 401)
        let mode = try Command.run(["stat", "-c", "%a", path]).output
        #expect(mode == "666\n")
    }
}
