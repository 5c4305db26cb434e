import JSON
import Settings
import Testing
import TestSupport

/// Each key of a rule that changes caching, over a daemon with a settings file.
struct CachingRuleTests {
    /// A daemon whose one rule is for all URLs of an origin.
    private struct Ruled {
        let origin: ScriptedOrigin
        let daemon: DaemonProcess
        private let file: String

        init(_ rule: String, _ script: @escaping ScriptedOrigin.Script) throws {
            origin = try ScriptedOrigin(script)
            let home = TemporaryDirectory()
            file = try home.write(Self.settings(origin, rule), to: "respite.toml")
            daemon = try DaemonProcess(["--config", file], home: home)
        }

        private static func settings(_ origin: ScriptedOrigin, _ rule: String) -> String {
            rule.isEmpty ? "" : "[[rule]]\nmatch = \"\(origin.url("/**"))\"\n\(rule)\n"
        }

        func get(_ path: String = "/x", _ fields: [String] = []) throws -> Response {
            try daemon.get(origin.url(path), fields)
        }

        /// Writes another rule and has it read.
        func reload(_ rule: String) throws -> Response {
            try writeFile(file, Array(Self.settings(origin, rule).utf8))
            return try daemon.admin("POST", "/v1/reload")
        }

        /// What the tool says of the URL.
        func explain(_ path: String = "/x", _ fields: [String] = []) throws -> String {
            let query = fields.map { "&header=\($0)" }.joined()
            return try daemon.admin("GET", "/v1/explain?url=\(origin.url(path))\(query)").text
        }

        func shown(_ path: String = "/x") throws -> String {
            try daemon.tool("config", "show", origin.url(path), "--live").output
        }
    }

    /// Says its ordinal, so that a second load shows.
    private static func counting(_ fields: [String]) -> ScriptedOrigin.Script {
        { try $0.reply("200 OK", fields, body: "answer \($0.ordinal)") }
    }

    @Test("ttl-by-status: each status has its lifetime; config show and explain name the rule (C-25.1)")
    func ttlByStatus() throws {
        let ruled = try Ruled("ttl-by-status = { 200 = \"10m\", 404 = \"1m\", 5xx = 0 }") { exchange in
            let status = String(exchange.target.dropFirst())
            try exchange.reply("\(status) Status", ["Cache-Control: max-age=1"], body: "answer \(exchange.ordinal)")
        }
        for (path, ttl) in [("/200", "ttl=600"), ("/404", "ttl=60")] {
            _ = try ruled.get(path)
            let hit = try ruled.get(path)
            let rest = [ttl, "ttl=59"].contains { hit.cacheStatus.contains($0) }
            #expect(hit.isHit && rest, "\(hit.cacheStatus)")
        }
        _ = try ruled.get("/500")
        #expect(try !ruled.get("/500").isHit)
        #expect(
            try ruled.shown("/404").contains(
                "ttl-by-status = { 200 = \"10m\", 404 = \"1m\", \"5xx\" = \"0\" }  # rule 1, "
            )
        )
        #expect(try ruled.explain("/404").contains("fresh for 60 s, by rule 1"))
    }

    @Test("ignore-client-no-cache: a browser's reload is answered from the store (C-25.1)")
    func ignoreClientNoCache() throws {
        let ruled = try Ruled("ignore-client-no-cache = true", Self.counting(["Cache-Control: max-age=600"]))
        _ = try ruled.get()
        for fields in [
            ["Cache-Control: no-cache", "Pragma: no-cache"], ["Cache-Control: max-age=0"], ["Pragma: no-cache"],
        ] {
            let reload = try ruled.get("/x", fields)
            #expect(reload.isHit && reload.text == "answer 1")
            #expect(reload.cacheStatus.contains("detail=ignore-client-no-cache"), "\(reload.cacheStatus)")
        }
        #expect(try ruled.get("/y", ["Cache-Control: only-if-cached"]).status == 504)
        #expect(try ruled.explain("/x", ["Cache-Control:%20no-cache"]).contains("which is ignored, by rule 1"))
        #expect(try ruled.shown().contains("ignore-client-no-cache = true  # rule 1, "))
        #expect(try ruled.reload("").status == 200)
        #expect(try ruled.get("/x", ["Cache-Control: no-cache"]).text == "answer 2")
    }

    @Test("cache-even: what says no-store is kept for as long as ttl says; taking the rule back ends that (C-25.1)")
    func cacheEven() throws {
        let ruled = try Ruled(
            "ttl = \"10m\"\ncache-even = [\"no-store\", \"no-cache\", \"private\"]",
            Self.counting(["Cache-Control: no-store, no-cache, private, max-age=0"])
        )
        let first = try ruled.get()
        #expect(
            first.cacheStatus.contains("stored") && first.cacheStatus.contains("detail=cache-even"),
            "\(first.cacheStatus)"
        )
        #expect(try ruled.get().text == "answer 1")
        // Nobody with a credential gets it, and theirs are their own.
        #expect(try ruled.get("/x", ["Cookie: a=1"]).text == "answer 2")
        #expect(try ruled.get("/x", ["Authorization: Bearer b"]).text == "answer 3")
        #expect(try ruled.get("/x", ["Cookie: a=1"]).text == "answer 2")
        #expect(try ruled.get("/x", ["Cookie: a=2"]).text == "answer 4")
        #expect(try ruled.get().text == "answer 1")
        let told = try ruled.explain()
        #expect(told.contains("no-store, no-cache, private in the response is ignored, by rule 1"), "\(told)")
        #expect(try ruled.shown().contains("cache-even = [\"no-store\", \"no-cache\", \"private\"]  # rule 1, "))
        #expect(try ruled.reload("ttl = \"10m\"").status == 200)
        #expect(try ruled.get().text == "answer 5" && ruled.get().text == "answer 6")
    }

    @Test("vary-ignore: one answer for all values of a field that the response's Vary names (C-25.1)")
    func varyIgnore() throws {
        let ruled = try Ruled(
            "vary-ignore = [\"User-Agent\"]",
            Self.counting(["Cache-Control: max-age=600", "Vary: User-Agent, X-Kind"])
        )
        _ = try ruled.get("/x", ["User-Agent: a"])
        let hit = try ruled.get("/x", ["User-Agent: b"])
        #expect(hit.isHit && hit["Vary"] == "User-Agent, X-Kind")
        #expect(try ruled.get("/x", ["User-Agent: a", "X-Kind: k"]).text == "answer 2")
        #expect(try ruled.explain().contains("user-agent in Vary does not select, by rule 1"))
        #expect(try ruled.shown().contains("vary-ignore = [\"User-Agent\"]  # rule 1, "))
    }

    @Test("key-header: requests with different values share neither answers nor loads, on no path (C-25.1)")
    func keyHeader() throws {
        let ruled = try Ruled("key-header = [\"X-Tenant\"]") { exchange in
            try exchange.reply("200 OK", ["Cache-Control: max-age=600"], body: exchange.request["X-Tenant"] ?? "none")
        }
        for _ in 0..<2 {
            #expect(try ruled.get("/x", ["X-Tenant: one"]).text == "one")
            #expect(try ruled.get("/x", ["X-Tenant: two"]).text == "two")
            #expect(try ruled.get().text == "none")
        }
        #expect(ruled.origin.requests.count == 3)
        #expect(try ruled.explain().contains("the request's x-tenant is part of the key, by rule 1"))
        #expect(try ruled.shown().contains("key-header = [\"X-Tenant\"]  # rule 1, "))
        // What everybody shared before is not served under the key.
        #expect(try ruled.reload("").status == 200)
        #expect(try ruled.get("/y", ["X-Tenant: one"]).text == "one" && ruled.get("/y").isHit)
        #expect(try ruled.reload("key-header = \"x-tenant\"").status == 200)
        #expect(try ruled.get("/y").text == "none" && ruled.get("/x", ["X-Tenant: two"]).isHit)
    }

    @Test("partition: by name what is held is apart and found again; by credential nothing is shared (C-25.1)")
    func partition() throws {
        let ruled = try Ruled("partition = \"blue\"", Self.counting(["Cache-Control: public, max-age=600"]))
        #expect(try ruled.get().text == "answer 1" && ruled.get("/x", ["Cookie: a"]).text == "answer 1")
        #expect(try ruled.reload("partition = \"green\"").status == 200)
        #expect(try ruled.get().text == "answer 2" && ruled.get().isHit)
        #expect(try ruled.reload("partition = \"blue\"").status == 200)
        #expect(try ruled.get().text == "answer 1")
        #expect(try ruled.explain().contains("stored under the name blue, apart from others, by rule 1"))
        #expect(try ruled.shown().contains("partition = \"blue\"  # rule 1, "))
        #expect(try ruled.reload("partition = \"credential\"").status == 200)
        #expect(try ruled.get("/x", ["Authorization: a"]).text == "answer 3")
        #expect(try ruled.get("/x", ["Authorization: b"]).text == "answer 4")
        #expect(try ruled.get("/x", ["Authorization: a"]).text == "answer 3")
        #expect(try ruled.get().text == "answer 5" && ruled.get().isHit)
    }

    @Test("set-cookie: each policy, for those without a credential and for one with it (C-25.1, H-114)")
    func setCookie() throws {
        let ruled = try Ruled("", Self.counting(["Cache-Control: max-age=600", "Set-Cookie: sid=1"]))
        let cases = [
            // Whether it is stored for all, and whether with the cookie.
            ("careful", true, true), ("refuse", false, true), ("reuse", true, true), ("private", false, true),
            ("strip", true, false),
        ]
        for (policy, isShared, hasCookie) in cases {
            #expect(try ruled.reload("set-cookie = \"\(policy)\"").status == 200)
            let path = "/\(policy)"
            let first = try ruled.get(path)
            #expect((first["Set-Cookie"] != nil) == hasCookie, "\(policy)")
            let second = try ruled.get(path)
            #expect(second.isHit == isShared && (second["Set-Cookie"] != nil) == hasCookie, "\(policy)")
            let own = "/own-\(policy)"
            _ = try ruled.get(own, ["Cookie: a=1"])
            #expect(try ruled.get(own, ["Cookie: a=1"]).isHit == (policy != "refuse"), "\(policy)")
            #expect(try !ruled.get(own, ["Cookie: a=2"]).isHit && !ruled.get(own).isHit, "\(policy)")
        }
        #expect(try ruled.explain("/strip").contains("Set-Cookie is removed, by rule 1"))
        #expect(try ruled.shown().contains("set-cookie = \"strip\"  # rule 1, "))
    }

    @Test("stale-if-error and stale-while-revalidate: windows of a rule, named in the answer (C-25.1)")
    func windows() throws {
        let ruled = try Ruled("ttl = \"0s\"\nstale-if-error = \"1h\"") { exchange in
            let status = exchange.ordinal == 2 ? "503 Service Unavailable" : "200 OK"
            try exchange.reply(status, [], body: "answer \(exchange.ordinal)")
        }
        _ = try ruled.get()
        let stale = try ruled.get()
        #expect(stale.text == "answer 1" && stale.cacheStatus.contains("rule-stale-if-error"), "\(stale.cacheStatus)")
        #expect(try ruled.reload("ttl = \"0s\"\nstale-while-revalidate = \"1h\"").status == 200)
        _ = try ruled.get("/y")
        let served = try ruled.get("/y")
        #expect(served.text == "answer 1" && served.cacheStatus.contains("detail=stale-while-revalidate"))
        #expect(try ruled.explain("/y").contains("the window is 3600 s, by rule 1"))
    }

    @Test("vary-add, drop-query and sort-query: what tells answers apart besides Vary, and which URLs are one (C-25.1)")
    func selection() throws {
        let ruled = try Ruled("vary-add = \"X-Theme\"", Self.counting(["Cache-Control: max-age=600"]))
        _ = try ruled.get("/x", ["X-Theme: dark"])
        #expect(try ruled.get("/x", ["X-Theme: light"]).text == "answer 2")
        #expect(try ruled.get("/x", ["X-Theme: dark"]).text == "answer 1")
        #expect(try ruled.explain().contains("x-theme selects, too, by rule 1"))
        #expect(try ruled.reload("drop-query = [\"utm_*\"]\nsort-query = true").status == 200)
        _ = try ruled.get("/y?b=2&utm_a=1&a=1")
        #expect(try ruled.get("/y?a=1&b=2").isHit)
        #expect(ruled.origin.requests.last?.target == "/y?a=1&b=2")
    }

    @Test(
        "a wrong rule changes nothing, and the answer tells line, column and the nearest name (C-25.1)",
        arguments: [
            ("ttl-by-status = { 2xx = \"1m\", 99 = \"1m\" }", "3", "31", nil),
            ("cache-even = [\"no-stor\"]", "3", "15", "no-store"), ("set-cookie = \"strp\"", "3", "14", "strip"),
            ("partition = \"shred\"", "3", "13", "shared"), ("key-header = [true]", "3", "15", nil),
            ("vary-ignore = \"Cookie\"", "3", "1", nil),
            ("ignore-client-nocache = true", "3", "1", "rule.ignore-client-no-cache"),
        ] as [(String, String, String, String?)]
    )
    func wrong(rule: String, line: String, column: String, suggestion: String?) throws {
        let ruled = try Ruled("ttl = \"10m\"", Self.counting([]))
        _ = try ruled.get()
        let answer = try ruled.reload(rule)
        #expect(answer.status == 422)
        let problem = try JSONReader.parse(answer.content)
        #expect(problem["line"] == .text(line) && problem["column"] == .text(column), "\(answer.text)")
        #expect(problem["suggestion"] == suggestion.map { .text($0) }, "\(answer.text)")
        #expect(try ruled.get().isHit)
    }
}
