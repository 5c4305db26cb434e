import Eventing
import HTTPCore
import Observability
import Testing

@testable import Administration

/// Who may ask, and how.
struct AccessTests {
    @Test(
        "every request for data needs the token or a session; a wrong token gets no hint (H-142)",
        arguments: [
            "X-None: 1", "Authorization: Bearer", "Authorization: Bearer wrong", "Authorization: Basic eDp5",
            "Authorization: \(TestAdmin.token)", "Authorization: Bearer \(TestAdmin.token)x",
            "Authorization: Bearer \(TestAdmin.token.dropLast())",
        ]
    )
    func token(field: String) throws {
        let admin = try TestAdmin()
        var answers: [Answer] = []
        for path in ["/v1/status", "/v1/resources", "/metrics", "/v1/events", "/v1/none", "/v1/purge"] {
            answers.append(try admin.send("GET", path, [admin.host, field]))
        }
        #expect(answers.allSatisfy { $0.status == 401 && $0["WWW-Authenticate"] == "Bearer" })
        #expect(Set(answers.map(\.text)).count == 1)
        #expect(try admin.send("GET", "/healthz", [admin.host, field]).status == 200)
        #expect(try admin.send("GET", "/readyz", [admin.host, field]).status == 200)
        // The pages have no data.
        #expect(try admin.send("GET", "/", [admin.host, field]).content == DashboardFile.login?.bytes)
        for path in ["/login", "/assets/app.js"] {
            #expect(try admin.send("GET", path, [admin.host, field]).status == 200, "\(path)")
        }
        let metrics = String(decoding: admin.metrics.prometheusText(), as: UTF8.self)
        #expect(metrics.contains("respite_admin_refused_total 6\n"))
    }

    @Test("the token is compared over its whole length")
    func comparison() {
        let secret = Array("secret".utf8)
        #expect(AccessCheck.isEqual(secret, secret))
        for wrong in ["", "s", "secres", "xecret", "secretsecret", "secretx"] {
            #expect(!AccessCheck.isEqual(Array(wrong.utf8), secret), "\(wrong)")
        }
        #expect(!AccessCheck.isEqual([], []))
    }

    @Test("the scheme of the token may be spelt in any case, and stands once")
    func scheme() throws {
        let admin = try TestAdmin()
        let lower = "Authorization: bearer \(TestAdmin.token)"
        #expect(try admin.send("GET", "/v1/status", [admin.host, lower]).status == 200)
        let other = "Authorization: Bearer x"
        #expect(try admin.send("GET", "/v1/status", [admin.host, lower, other]).status != 200)
        #expect(try admin.send("GET", "/v1/status", [admin.host, other, lower]).status != 200)
    }

    @Test("Host is the listener's own address or localhost, with its port, or a configured name (H-143)")
    func hosts() throws {
        let admin = try TestAdmin { _, options in options.hosts = [Array("cache.example".utf8)] }
        let port = admin.port
        for good in [
            "127.0.0.1:\(port)", "localhost:\(port)", "LOCALHOST:\(port)", "cache.example", "Cache.Example:80",
        ] {
            let answer = try admin.send("GET", "/v1/status", ["Host: \(good)", TestAdmin.bearer])
            #expect(answer.status == 200, "\(good)")
        }
        let bad = ["evil.example", "evil.example:\(port)", "127.0.0.1", "127.0.0.2:\(port)", "[::1]:\(port)"]
        for host in bad + ["localhost:1", "localhost.evil.example:\(port)"] {
            let answer = try admin.send("GET", "/v1/status", ["Host: \(host)", TestAdmin.bearer])
            #expect(answer.status == 421, "\(host)")
        }
        #expect(try admin.send("GET", "/healthz", ["Host: evil.example"]).status == 421)
    }

    @Test("a listener on every address answers to each of them, never to names")
    func everyAddress() {
        let address = SocketAddress.ip(.v4(0), port: 3129)
        let check = AccessCheck(options: AdminOptions(token: [1], addresses: [address]))
        func status(_ host: String) -> UInt16? {
            var head = RequestHead()
            var parser = RequestParser(limits: ParserLimits(), rules: RequestParser.Rules())
            let text = Array("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n".utf8)
            guard case .complete = parser.parse(text.span, into: &head) else { return 0 }
            return check.refusal(head, peer: .ip(.v4(0x0A00_0001), port: 1), needs: .none)?.status
        }
        #expect(status("10.0.0.7:3129") == nil && status("127.0.0.1:3129") == nil && status("localhost:3129") == nil)
        #expect(status("10.0.0.7:80") == 421 && status("evil.example:3129") == 421)
    }

    @Test("a request from another site is refused for every method, without CORS fields (H-144)")
    func sites() throws {
        let admin = try TestAdmin()
        let foreign = [
            "Origin: http://evil.example", "Origin: null", "Origin: https://127.0.0.1:\(admin.port)",
            "Origin: http://127.0.0.1:1", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site",
        ]
        for field in foreign {
            for method in ["GET", "POST", "PUT", "OPTIONS", "DELETE"] {
                let answer = try admin.send(method, "/v1/status", [admin.host, TestAdmin.bearer, field])
                #expect(answer.status == 403, "\(method) \(field)")
                #expect(!answer.fields.contains { $0.name.hasPrefix("access-control") })
            }
        }
        for field in ["Origin: http://127.0.0.1:\(admin.port)", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: none"] {
            #expect(try admin.send("GET", "/v1/status", [admin.host, TestAdmin.bearer, field]).status == 200)
        }
    }

    @Test(
        "what changes something is POST, what does not is GET; the answer lists what is allowed (H-145)",
        arguments: [
            ("POST", "/v1/status", "GET, HEAD"), ("DELETE", "/v1/resources", "GET, HEAD, PUT, PATCH"),
            ("GET", "/v1/purge", "POST"),
            ("PUT", "/v1/invalidate", "POST"), ("OPTIONS", "/v1/purge", "POST"), ("POST", "/healthz", "GET, HEAD"),
            ("PUT", "/v1/status", "GET, HEAD"), ("PUT", "/v1/refresh", "POST"),
        ]
    )
    func methods(method: String, path: String, allowed: String) throws {
        let admin = try TestAdmin()
        let answer = try admin.send(method, path, [admin.host, TestAdmin.bearer])
        #expect(answer.status == 405 && answer["Allow"] == allowed)
        #expect(answer["Content-Type"] == "application/problem+json")
    }

    @Test(
        "an answer to a wrong method says how the path is used",
        arguments: [
            ("GET", "/v1/purge", "this path changes something and needs POST"),
            ("DELETE", "/v1/sessions", "this path can be read by GET, and does something by POST"),
            ("DELETE", "/v1/mode", "this path can be read by GET and replaced by PUT"),
            ("POST", "/v1/status", "this path can only be read, by GET"),
        ]
    )
    func uses(method: String, path: String, sentence: String) throws {
        let admin = try TestAdmin()
        let answer = try admin.send(method, path, [admin.host, TestAdmin.bearer])
        #expect(answer.status == 405 && answer.text.contains("\"detail\":\"\(sentence)\""), "\(answer.text)")
    }

    @Test(
        "an answer to a wrong query says what is known, and within which limits",
        arguments: [
            ("/v1/status?a=b", "the query has an unknown parameter; this path has none"),
            ("/v1/tunnels?a=b", "the query has an unknown parameter; known are limit"),
            ("/v1/tunnels?limit=1&limit=1", "the query has `limit` twice"),
            ("/v1/tunnels?limit=0", "`limit` must be a whole number from 1 to 100000"),
            ("/v1/tunnels?limit=+5", "`limit` must be a whole number from 1 to 100000"),
            ("/v1/tunnels?limit=100001", "`limit` must be a whole number from 1 to 100000"),
            ("/v1/resources?limit=1001", "`limit` must be a whole number from 1 to 1000"),
            ("/v1/resources?uri=/a", "`uri` must be an absolute http or https URL"),
            ("/v1/events?uri=http://h.example/&filter=**", "give `uri` or `filter`, not both"),
        ]
    )
    func queries(path: String, sentence: String) throws {
        let answer = try TestAdmin().get(path)
        #expect(answer.status == 400 && answer.text.contains("\"detail\":\"\(sentence)\""), "\(answer.text)")
    }

    @Test("unknown paths are 404, unknown and repeated parameters 400")
    func paths() throws {
        let admin = try TestAdmin()
        for path in [
            "/v1/", "/v2", "/v1/resources/", "/v1/resources/none-such", "/v1/resources/a/body/b", "/v1//status",
        ] {
            #expect(try admin.get(path).status == 404, "\(path)")
        }
        for path in [
            "/v1/status?a=b", "/v1/resources?limt=3", "/v1/resources?limit=3&limit=4", "/v1/resources?limit=0",
        ] {
            #expect(try admin.get(path).status == 400, "\(path)")
        }
        #expect(try admin.get("/v1/status?").status == 200)
    }

    @Test("no response can be framed, sniffed, cached or run (H-147)")
    func responseFields() throws {
        let admin = try TestAdmin()
        for path in ["/healthz", "/v1/status", "/metrics", "/v1/none"] {
            let answer = try admin.get(path)
            #expect(answer["X-Content-Type-Options"] == "nosniff" && answer["Cache-Control"] == "no-store")
            #expect(answer["Content-Security-Policy"]?.contains("frame-ancestors 'none'") == true)
            #expect(answer["Cross-Origin-Resource-Policy"] == "same-origin")
        }
    }

    @Test("readiness ends when the daemon is stopping, health does not")
    func readiness() throws {
        let admin = try TestAdmin { source, _ in source.isReady = { false } }
        #expect(try admin.get("/readyz").status == 503)
        #expect(try admin.get("/healthz").status == 200)
    }
}
