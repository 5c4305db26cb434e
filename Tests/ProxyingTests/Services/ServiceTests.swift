import Exchanges
import HTTPCore
import Proxying
import ResourceCore
import Testing
import TestSupport

/// Named services over real sockets.
@Suite struct ServiceTests {
    private static let token = "Bearer s3cr3t-token"

    /// A proxy with the service `api` at the origin's `/v1`.
    private static func proxy(
        _ origin: RecordingOrigin,
        injected: [(String, String)] = [],
        everywhere: Bool = false,
        origins: [String] = []
    ) throws -> TestProxy {
        let base = try TargetURI(parsing: origin.url("/v1"))
        return try TestProxy { setup in
            setup.options.services = [
                ServiceRoute(
                    name: "api",
                    base: base,
                    injected: injected.map { (Array($0.0.utf8), Array($0.1.utf8)) },
                    injectsEverywhere: everywhere,
                    allowOrigins: origins.map { Array($0.utf8) }
                )
            ]
        }
    }

    private static func host(_ proxy: TestProxy) -> String { "Host: api.localhost:\(proxy.port)" }

    /// Says which token came, and lets everybody have it.
    private static func tokenOrigin(_ fields: String = "Cache-Control: public, max-age=600") -> RecordingOrigin {
        TestOrigin.answering { request in
            response("200 OK", fields, content: "for <\(request["Authorization"].joined(separator: "|"))>")
        }
    }

    @Test("without injected fields all routes share one Resource and its answers")
    func shared() throws {
        let origin = TestOrigin.answering { request in
            response("200 OK", "Cache-Control: max-age=600", content: request.target)
        }
        let proxy = try Self.proxy(origin)
        #expect(proxy.ask("/api/a?b")?.content == "/v1/a?b")
        for reply in [
            proxy.ask(origin.url("/v1/a?b")), proxy.ask("/a?b", Self.host(proxy)), proxy.ask("/api/x/../a?b"),
        ] {
            #expect(reply?.content == "/v1/a?b" && reply?.isHit == true)
        }
        #expect(origin.requests.count == 1)
    }

    @Test("injected fields take the place of the client's, on the service's own routes only")
    func injected() throws {
        let origin = Self.tokenOrigin()
        let proxy = try Self.proxy(origin, injected: [("Authorization", Self.token), ("X-Team", "blue")])
        #expect(proxy.ask("/api/a", "authorization: mine", "X-Team: red")?.content == "for <\(Self.token)>")
        #expect(origin.requests.last?["X-Team"] == ["blue"])
        #expect(proxy.ask("/b", Self.host(proxy))?.content == "for <\(Self.token)>")
        #expect(proxy.perform("POST", "/api/c", content: "x")?.content == "for <\(Self.token)>")
        #expect(proxy.perform("HEAD", "/api/d")?.status == 200)
        #expect(origin.requests.last?["Authorization"] == [Self.token])
        #expect(proxy.ask(origin.url("/v1/e"))?.content == "for <>")
        #expect(proxy.ask("/" + origin.url("/v1/f"), "Authorization: mine")?.content == "for <mine>")
    }

    @Test("what came with the token is for the service's clients alone, be it public; and the other way about")
    func confined() throws {
        let origin = Self.tokenOrigin()
        let proxy = try Self.proxy(origin, injected: [("Authorization", Self.token)])
        #expect(proxy.ask("/api/a")?.content == "for <\(Self.token)>")
        let again = proxy.ask("/a", Self.host(proxy))
        #expect(again?.content == "for <\(Self.token)>" && again?.isHit == true)
        #expect(origin.requests.count == 1)
        // The same URL by other routes: neither token nor answer.
        let forward = proxy.ask(origin.url("/v1/a"))
        #expect(forward?.content == "for <>" && forward?.isHit == false)
        // A client that knows the token is not the service either.
        let knowing = proxy.ask(origin.url("/v1/a"), "Authorization: \(Self.token)", "Cache-Control: no-cache")
        #expect(knowing?.isHit == false)
        #expect(proxy.ask("/" + origin.url("/v1/a"))?.isHit == true)
        let service = proxy.ask("/api/a")
        #expect(service?.content == "for <\(Self.token)>" && service?.isHit == true)
        // Stored first without the token: the service does not see it.
        #expect(proxy.ask(origin.url("/v1/b"))?.content == "for <>")
        #expect(proxy.ask("/api/b")?.content == "for <\(Self.token)>")
    }

    @Test("clients of one service with credentials of their own are kept apart")
    func ownCredentials() throws {
        let origin = TestOrigin.answering { request in
            response("200 OK", "Cache-Control: private, max-age=600", content: request["Cookie"].joined())
        }
        let proxy = try Self.proxy(origin, injected: [("Authorization", Self.token)])
        for name in ["alice", "bob", "alice"] { #expect(proxy.ask("/api/a", "Cookie: \(name)")?.content == name) }
        #expect(proxy.ask("/api/a")?.content == "")
        #expect(origin.requests.count == 3)
    }

    @Test("an injected field that Vary names selects no variant and is kept with none")
    func varyOnInjected() throws {
        let origin = TestOrigin.answering { request in
            response(
                "200 OK",
                "Cache-Control: max-age=600",
                "Vary: X-Team-Token",
                content: request["X-Team-Token"].joined()
            )
        }
        let proxy = try Self.proxy(origin, injected: [("X-Team-Token", "s3cr3t")])
        #expect(proxy.ask("/api/a", "X-Team-Token: other")?.content == "s3cr3t")
        #expect(proxy.ask("/api/a")?.isHit == true)
        let resource = proxy.service.resource(for: try TargetURI(parsing: origin.url("/v1/a")))
        let stored = try #require(resource.snapshot.variants.first)
        #expect(!String(decoding: stored.record.selection, as: UTF8.self).contains("s3cr3t"))
        #expect(stored.record.requestFields.isEmpty)
    }

    @Test("an unsafe request through the service invalidates the Resource on every route")
    func invalidation() throws {
        let origin = Self.tokenOrigin("Cache-Control: max-age=600")
        let proxy = try Self.proxy(origin, injected: [("Authorization", Self.token)])
        #expect(proxy.ask(origin.url("/v1/a"))?.isHit == false)
        #expect(proxy.ask("/api/a")?.isHit == false)
        #expect(proxy.perform("PUT", "/api/a", content: "x")?.status == 200)
        #expect(proxy.ask(origin.url("/v1/a"))?.isHit == false)
        #expect(proxy.ask("/api/a")?.isHit == false)
    }

    @Test("a service that injects everywhere does so by forward proxy too, with the same answers")
    func everywhere() throws {
        let origin = Self.tokenOrigin()
        let proxy = try Self.proxy(origin, injected: [("Authorization", Self.token)], everywhere: true)
        #expect(proxy.ask(origin.url("/v1/a"))?.content == "for <\(Self.token)>")
        #expect(proxy.ask("/api/a")?.isHit == true)
        #expect(proxy.ask(origin.url("/v2/a"))?.content == "for <>")
    }

    @Test("references below the base lead to the service, others to the prefix form")
    func references() throws {
        let locations = [
            "/in": "/v1/next#part", "/relative": "other?q", "/out": "/v2/x", "/far": "http://other.example/y",
            "/slashes": "/v1//evil.example/",
        ]
        let origin = TestOrigin.answering { request in
            let location = locations[String(request.target.dropFirst(3))] ?? ""
            return response("302 Found", "Location: \(location)", "Alt-Svc: h3=\":443\"")
        }
        let proxy = try Self.proxy(origin)
        let prefix = "/http://127.0.0.1:\(origin.port)"
        let expected = [
            ("/in", "/api/next#part", "/next#part"), ("/relative", "/api/other?q", "/other?q"),
            ("/out", "\(prefix)/v2/x", "http://localhost:\(proxy.port)\(prefix)/v2/x"),
            ("/far", "/http://other.example/y", "http://localhost:\(proxy.port)/http://other.example/y"),
            ("/slashes", "/api//evil.example/", "/.//evil.example/"),
        ]
        for (rest, byPath, byHost) in expected {
            #expect(proxy.ask("/api" + rest)?["Location"] == [byPath])
            let reply = proxy.ask(rest, Self.host(proxy))
            #expect(reply?["Location"] == [byHost] && reply?["Alt-Svc"] == [])
        }
        // A browser would be refused the prefix form.
        let far = proxy.ask("/far", Self.host(proxy), "Sec-Fetch-Site: none")
        #expect(far?["Location"] == ["http://other.example/y"])
    }

    @Test("other origins read nothing of a service that injects, listed ones what the origin lets them")
    func sharingWithPages() throws {
        let origin = TestOrigin.answering { _ in
            response(
                "200 OK",
                "Access-Control-Allow-Origin: *",
                "Access-Control-Allow-Credentials: true",
                "Access-Control-Expose-Headers: X-A",
                "Cache-Control: max-age=600"
            )
        }
        let proxy = try Self.proxy(
            origin,
            injected: [("Authorization", Self.token)],
            origins: ["http://app.example"]
        )
        for _ in 1...2 {
            let tool = proxy.ask("/api/a")
            #expect(tool?.head.lowercased().contains("access-control-") == false && tool?["Vary"] == ["Origin"])
            let page = proxy.ask("/api/a", "Origin: http://app.example", "Sec-Fetch-Site: cross-site")
            #expect(page?["Access-Control-Allow-Origin"] == ["http://app.example"] && page?["Vary"] == ["Origin"])
            #expect(page?["Access-Control-Expose-Headers"] == ["X-A"])
        }
        let foreign = proxy.ask("/api/a", "Origin: http://evil.example")
        #expect(foreign?.status == 403 && foreign?.head.lowercased().contains("access-control-") == false)
        #expect(origin.requests.count == 1)
    }

    @Test("a page of another site may not use a service without a credential either, unless allow-origins lists it")
    func guardedWithoutCredential() throws {
        let origin = TestOrigin.answering { _ in
            response("200 OK", "Access-Control-Allow-Origin: *", "Cache-Control: max-age=600")
        }
        let proxy = try Self.proxy(origin)
        let listing = try Self.proxy(origin, origins: ["http://app.example"])
        // Before anything is stored, and from the store.
        for _ in 1...2 {
            for (target, host) in [("/api/a", "Host: 127.0.0.1:\(proxy.port)"), ("/a", Self.host(proxy))] {
                for page in [
                    "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site", "Origin: http://evil.example",
                    "Origin: null",
                ] {
                    let reply = proxy.ask(target, host, page)
                    #expect(reply?.status == 403 && reply?["Access-Control-Allow-Origin"] == [], "\(target) \(page)")
                    #expect(reply?.content.contains("`allow-origins` of [service.api]") == true)
                }
                #expect(proxy.ask(target, host, "Sec-Fetch-Site: same-origin")?.status == 200)
                #expect(proxy.ask(target, host)?["Access-Control-Allow-Origin"] == ["*"])
            }
            let page = listing.ask("/api/a", "Origin: http://app.example", "Sec-Fetch-Site: cross-site")
            #expect(page?["Access-Control-Allow-Origin"] == ["http://app.example"] && page?["Vary"] == ["Origin"])
            #expect(listing.ask("/api/a", "Origin: http://evil.example")?.status == 403)
            #expect(listing.ask("/api/a")?["Vary"] == ["Origin"])
        }
    }

    @Test("allow-origins `*` lets every page in, each told its own origin")
    func openToAll() throws {
        let origin = Self.tokenOrigin()
        let proxy = try Self.proxy(origin, injected: [("Authorization", Self.token)], origins: ["*"])
        for page in ["http://a.example", "https://b.example"] {
            let reply = proxy.ask("/api/a", "Origin: \(page)", "Sec-Fetch-Site: cross-site")
            #expect(reply?["Access-Control-Allow-Origin"] == [page] && reply?["Vary"] == ["Origin"])
        }
        #expect(proxy.ask("/api/a", "Sec-Fetch-Site: cross-site")?["Access-Control-Allow-Origin"] == [])
    }

    @Test("what comes by a service's path is no document of the origin all services share; by its host it is")
    func sandbox() throws {
        let origin = TestOrigin.answering { _ in
            response("200 OK", "Content-Type: text/html", "Set-Cookie: a=b", "Cache-Control: max-age=600")
        }
        let proxy = try Self.proxy(origin)
        for _ in 1...2 {
            let page = proxy.ask("/api/a", "Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate")
            #expect(page?["Content-Security-Policy"] == ["sandbox"] && page?["X-Content-Type-Options"] == ["nosniff"])
            let mark = "respite-http-\(origin.port)-9-127.0.0.1-"
            #expect(page?["Set-Cookie"] == ["\(mark)a=b; Path=/api/"])
            let tool = proxy.ask("/api/b")
            #expect(tool?["Content-Security-Policy"] == ["sandbox"] && tool?["X-Content-Type-Options"] == ["nosniff"])
            #expect(tool?["Set-Cookie"] == ["a=b; Path=/api/"])
        }
        let own = proxy.ask("/b", Self.host(proxy), "Sec-Fetch-Site: none")
        #expect(own?["Content-Security-Policy"] == [])
    }

    @Test("beyond loopback, where browsers do not say who they are, everybody is given what a browser would be")
    func sandboxBeyondLoopback() throws {
        let origin = TestOrigin.answering { _ in
            response("200 OK", "Set-Cookie: a=b", "X-Content-Type-Options: none", "Cache-Control: max-age=600")
        }
        let base = try TargetURI(parsing: origin.url("/"))
        let proxy = try TestProxy { setup in
            setup.options.servesBeyondLoopback = true
            setup.options.services = [ServiceRoute(name: "api", base: base)]
        }
        for target in ["/" + origin.url("/a"), "/api/a", "/" + origin.url("/a")] {
            let reply = proxy.ask(target)
            #expect(reply?["Content-Security-Policy"] == ["sandbox"], "\(target)")
            #expect(reply?["X-Content-Type-Options"] == ["nosniff"] && reply?["Set-Cookie"] == [], "\(target)")
        }
        let forward = proxy.ask(origin.url("/a"))
        #expect(
            forward?["Content-Security-Policy"] == [] && forward?["Set-Cookie"] == ["a=b"] && forward?.isHit == true
        )
    }

    @Test("a browser's cookies do not go upstream by prefix and path: they are the host's, whatever the port")
    func cookies() throws {
        let origin = TestOrigin.answering { _ in response("200 OK", "Cache-Control: private, max-age=600") }
        let proxy = try Self.proxy(origin)
        let base = try TargetURI(parsing: origin.url("/v1"))
        let open = try TestProxy { setup in
            setup.options.servesBeyondLoopback = true
            setup.options.services = [ServiceRoute(name: "api", base: base)]
        }
        for target in ["/api/a", "/" + origin.url("/b")] {
            _ = proxy.ask(target, "Cookie: a=b", "Sec-Fetch-Site: none")
            #expect(origin.requests.last?["Cookie"] == [], "\(target)")
            _ = proxy.ask(target, "Cookie: a=b")
            #expect(origin.requests.last?["Cookie"] == ["a=b"], "\(target)")
            _ = open.ask(target, "Cookie: a=b")
            #expect(origin.requests.last?["Cookie"] == [], "\(target)")
        }
        _ = proxy.ask("/c", Self.host(proxy), "Cookie: a=b", "Sec-Fetch-Site: none")
        #expect(origin.requests.last?["Cookie"] == ["a=b"])
        #expect(origin.requests.count == 7)
    }

    @Test("pages of other origins are given nothing of a service that injects, also where browsers say nothing of them")
    func resourcePolicy() throws {
        let origin = TestOrigin.answering { _ in
            response("200 OK", "Cross-Origin-Resource-Policy: cross-origin", "Cache-Control: max-age=600")
        }
        let injecting = try Self.proxy(origin, injected: [("Authorization", Self.token)])
        for _ in 1...2 {
            #expect(injecting.ask("/api/a")?["Cross-Origin-Resource-Policy"] == ["same-origin"])
        }
        let listing = try Self.proxy(
            origin,
            injected: [("Authorization", Self.token)],
            origins: ["http://app.example"]
        )
        #expect(listing.ask("/api/a")?["Cross-Origin-Resource-Policy"] == ["cross-origin"])
        let plain = try Self.proxy(origin)
        #expect(plain.ask("/api/a")?["Cross-Origin-Resource-Policy"] == ["cross-origin"])
    }

    @Test("a cookie one client is given is not stored for all who share the service's credential")
    func setCookie() throws {
        let origin = TestOrigin.answering { request in
            guard request["If-None-Match"].isEmpty else {
                return
                    "HTTP/1.1 304 Not Modified\r\nETag: \"e\"\r\nSet-Cookie: sid=late\r\nCache-Control: max-age=600\r\n\r\n"
            }
            let tag = "ETag: \"e\""
            return switch request.target {
            case "/v1/late": response("200 OK", "Cache-Control: max-age=0", tag)
            case "/v1/private": response("200 OK", "Cache-Control: private, max-age=600", tag, "Set-Cookie: sid=1")
            default: response("200 OK", "Cache-Control: max-age=600", tag, "Set-Cookie: sid=1")
            }
        }
        let proxy = try Self.proxy(origin, injected: [("Authorization", Self.token)])
        for target in ["/api/a", "/api/private"] {
            for _ in 1...2 { #expect(proxy.ask(target)?.isHit == false, "\(target)") }
            // A client with a credential of its own has what is stored to itself.
            _ = proxy.ask(target, "Cookie: alice")
            #expect(proxy.ask(target, "Cookie: alice")?.isHit == true, "\(target)")
        }
        _ = proxy.ask("/api/late")
        // Validated: the cookie of the 304 is for whom it came.
        #expect(proxy.ask("/api/late")?["Set-Cookie"] == ["sid=late; Path=/api/"])
        let later = proxy.ask("/api/late")
        #expect(later?.isHit == true && later?["Set-Cookie"] == [])
    }

    @Test("a token is in no answer of ours and in no error")
    func secrecy() throws {
        let origin = TestOrigin.answering { _ in "nonsense\r\n\r\n" }
        let proxy = try Self.proxy(origin, injected: [("Authorization", Self.token)], origins: ["http://app.example"])
        let replies = [
            proxy.ask("/api/a"), proxy.ask("/api/a", "Origin: http://evil.example"), proxy.ask("/"),
            proxy.ask("/x", "Host: other.localhost"), proxy.perform("TRACE", "/api/a"), proxy.ask("/api/..%2f"),
        ]
        #expect(replies.map { $0?.status } == [502, 403, 200, 404, 405, 400])
        for reply in replies { #expect(reply?.description.contains("s3cr3t") == false) }
    }
}
