import HTTPCore
import Proxying
import ResourceCore
import Testing
import TestSupport

/// The routes on which a path names the origin, so that to clients all origins are ours, over real sockets.
@Suite struct SharedOriginTests {
    private static func proxy(
        _ origin: RecordingOrigin,
        _ change: (inout TestProxy.Setup) -> Void = { _ in }
    ) throws -> TestProxy {
        let base = try TargetURI(parsing: origin.url("/"))
        return try TestProxy { setup in
            setup.options.services = [ServiceRoute(name: "api", base: base)]
            change(&setup)
        }
    }

    /// The same path by prefix and by the service's.
    private static func targets(_ origin: RecordingOrigin, _ path: String) -> [String] {
        ["/" + origin.url(path), "/api" + path]
    }

    private static func isLimited(_ reply: Reply?) -> Bool {
        reply?["Content-Security-Policy"].last?.hasPrefix("sandbox") == true
            && reply?["X-Content-Type-Options"] == ["nosniff"]
            && reply?["Service-Worker-Allowed"] == [] && reply?["Clear-Site-Data"] == []
    }

    @Test("a Set-Cookie is for its origin's own path, from the origin and from the store, which keeps it as it came")
    func scoped() throws {
        let origin = TestOrigin.answering { _ in
            response("200 OK", "Set-Cookie: sid=1; Path=/; Domain=127.0.0.1; Secure", "Cache-Control: max-age=600")
        }
        let proxy = try Self.proxy(origin)
        for (target, path) in zip(Self.targets(origin, "/a"), ["/" + origin.url("/"), "/api/"]) {
            for _ in 1...2 { #expect(proxy.ask(target)?["Set-Cookie"] == ["sid=1; Path=\(path)"], "\(target)") }
        }
        let forward = proxy.ask(origin.url("/a"))
        #expect(forward?.isHit == true && forward?["Set-Cookie"] == ["sid=1; Path=/; Domain=127.0.0.1; Secure"])
        #expect(origin.requests.count == 1)
    }

    @Test(
        "what may be a browser sends upstream only cookies with the origin's mark; a tool's own pass",
        arguments: ["Referer: http://127.0.0.1/", "User-Agent: Mozilla/5.0 (X11)", "Sec-Fetch-Site: none"]
    )
    func browsers(field: String) throws {
        let origin = TestOrigin.answering { _ in
            response("200 OK", "Cache-Control: no-store", "Set-Cookie: a=b; Path=/")
        }
        let proxy = try Self.proxy(origin)
        let mark = "respite-http-\(origin.port)-9-127.0.0.1-"
        for target in Self.targets(origin, "/a") {
            let reply = proxy.ask(target, field, "Cookie: planted=1; \(mark)a=b; respite-http-1-9-127.0.0.1-c=d")
            #expect(origin.requests.last?["Cookie"] == ["a=b"], "\(target)")
            #expect(reply?["Set-Cookie"].first?.hasPrefix("\(mark)a=b; Path=/") == true, "\(target)")
            _ = proxy.ask(target, "User-Agent: curl/8", "Cookie: own=1")
            #expect(origin.requests.last?["Cookie"] == ["own=1"], "\(target)")
            _ = proxy.perform("POST", target, field, "Cookie: planted=1", content: "x")
            #expect(origin.requests.last?["Cookie"] == [], "\(target)")
        }
        _ = proxy.perform("OPTIONS", "/" + origin.url(""), field, "Cookie: planted=1")
        #expect(origin.requests.last?["Cookie"] == [] && origin.requests.last?.method == "OPTIONS")
    }

    @Test(
        "a cookie taken off is no credential: what comes is everybody's, and what is kept apart has the origin's own name"
    )
    func partitions() throws {
        let origin = TestOrigin.answering { request in
            response("200 OK", "Cache-Control: private, max-age=600", content: request["Cookie"].joined())
        }
        let proxy = try Self.proxy(origin)
        let mark = "respite-http-\(origin.port)-9-127.0.0.1-"
        #expect(proxy.ask(origin.url("/a"), "Cookie: sid=1")?.content == "sid=1")
        let reply = proxy.ask("/api/a", "Referer: x", "Cookie: \(mark)sid=1")
        #expect(reply?.content == "sid=1" && reply?.isHit == true)
        for _ in 1...2 { #expect(proxy.ask("/api/a", "Referer: x", "Cookie: planted=1")?.isHit == false) }
    }

    @Test(
        "cookies are dropped or pass where the setting says so; by default they are dropped beyond loopback, not over TLS"
    )
    func policies() throws {
        let origin = TestOrigin.answering { _ in response("200 OK", "Set-Cookie: a=b", "Cache-Control: no-store") }
        let cases: [(PathCookies?, Bool, Bool)] = [
            (.drop, false, false), (nil, true, false), (.pass, false, true), (.pass, true, true),
        ]
        for (policy, beyondLoopback, passes) in cases {
            let proxy = try Self.proxy(origin) { setup in
                setup.options.pathCookies = policy
                setup.options.servesBeyondLoopback = beyondLoopback
            }
            for target in Self.targets(origin, "/a") {
                for field in ["X-Tool: 1", "Sec-Fetch-Site: none"] {
                    let reply = proxy.ask(target, field, "Cookie: own=1")
                    #expect(reply?["Set-Cookie"] == (passes ? ["a=b"] : []), "\(target)")
                    #expect(origin.requests.last?["Cookie"] == (passes ? ["own=1"] : []), "\(target)")
                }
            }
        }
    }

    @Test(
        "a redirect to another origin shows another host to a client with any credential of its own (RFC 9110 §15.4)",
        arguments: [
            (["Cookie: own=1"], true), (["X-Api-Key: k"], true), (["Authorization: a"], true), (["Accept: a"], false),
            (["Cookie: own=1", "Referer: x"], false),
        ]
    )
    func redirects(fields: [String], isOther: Bool) throws {
        let origin = TestOrigin.answering { _ in
            response("302 Found", "Location: http://other.example/x", "Cache-Control: max-age=600")
        }
        let proxy = try Self.proxy(origin)
        for target in Self.targets(origin, "/a") {
            for _ in 1...2 {
                let reply = proxy.reader().ask(proxy.request("GET", target, fields))
                let host = isOther ? "http://localhost:\(proxy.port)" : ""
                #expect(reply?["Location"] == ["\(host)/http://other.example/x"], "\(target)")
            }
        }
    }

    @Test(
        "every answer there is sandboxed and not sniffed, and says nothing for the whole origin, whoever asks",
        arguments: [
            "text/html", "application/xhtml+xml", "text/xml", "image/svg+xml", "application/pdf", "application/json",
            nil,
        ] as [String?]
    )
    func documents(type: String?) throws {
        let origin = TestOrigin.answering { request in
            let fields = [
                "Service-Worker-Allowed: /", "clear-site-data: \"*\"", "X-Content-Type-Options: sniff",
                "Content-Security-Policy: default-src *", "Cache-Control: max-age=600", "ETag: \"a\"",
            ]
            let kept = request.target.hasPrefix("/plain") ? Array(fields.suffix(2)) : fields
            let all = (kept + (type.map { ["Content-Type: \($0)"] } ?? [])).joined(separator: "\r\n")
            return response("200 OK", all, content: "0123456789")
        }
        let proxy = try Self.proxy(origin)
        for path in ["/a", "/plain"] {
            for target in Self.targets(origin, path) {
                for fields in [[], [], ["If-None-Match: \"a\""], ["Range: bytes=0-1"], ["User-Agent: Mozilla/5.0"]] {
                    let reply = proxy.reader().ask(proxy.request("GET", target, fields))
                    #expect(Self.isLimited(reply), "\(target) \(fields) \(reply?.head ?? "")")
                    #expect(reply?["Content-Security-Policy"].count == (path == "/a" ? 2 : 1) || reply?.status == 304)
                }
                #expect(Self.isLimited(proxy.perform("HEAD", target)))
                #expect(Self.isLimited(proxy.perform("POST", target, content: "x")))
            }
        }
        // Elsewhere an origin speaks for itself.
        for reply in [proxy.ask(origin.url("/a")), proxy.ask("/a", "Host: api.localhost:\(proxy.port)")] {
            #expect(reply?["Service-Worker-Allowed"] == ["/"] && reply?["Clear-Site-Data"] == ["\"*\""])
            #expect(reply?["Content-Security-Policy"] == ["default-src *"])
        }
    }

    @Test("answers of ours there are documents of nothing else either")
    func ownAnswers() throws {
        let origin = TestOrigin.answering { _ in "nonsense\r\n\r\n" }
        let proxy = try Self.proxy(origin)
        for target in Self.targets(origin, "/a") {
            for fields in [["Accept: text/html"], ["Sec-Fetch-Dest: document"]] {
                let reply = proxy.reader().ask(proxy.request("GET", target, fields))
                #expect(reply.map { $0.status >= 403 } == true && Self.isLimited(reply), "\(target) \(fields)")
            }
            #expect(proxy.ask(target)?["X-Content-Type-Options"] == ["nosniff"])
        }
    }

    @Test("a response with a type option of its own says it once, from the origin and from the store")
    func onlyOnce() throws {
        let origin = TestOrigin.answering { _ in
            response("200 OK", "x-content-type-options: NoSniff", "Cache-Control: max-age=600")
        }
        let proxy = try Self.proxy(origin)
        for _ in 1...3 {
            let reply = proxy.ask("/api/a")
            #expect(reply?["X-Content-Type-Options"].count == 1 && reply?["Content-Security-Policy"] == ["sandbox"])
        }
        #expect(origin.requests.count == 1)
    }
}
