import HTTPCore
import Proxying
import Testing
import TestSupport

/// The page on `/` over real sockets.
@Suite struct LandingPageTests {
    private static let browser = "Accept: text/html,application/xhtml+xml,*/*;q=0.8"

    private static func proxy(_ change: @Sendable (inout ProxyOptions) -> Void = { _ in }) throws -> TestProxy {
        let plain = try TargetURI(parsing: "http://plain.example/v1")
        let secret = try TargetURI(parsing: "http://secret.example/?a")
        return try TestProxy { setup in
            setup.options.services = [
                ServiceRoute(name: "plain", base: plain),
                ServiceRoute(
                    name: "secret",
                    base: secret,
                    injected: [(Array("Authorization".utf8), Array("Bearer s3cr3t".utf8))]
                ),
            ]
            setup.options.adminURL = "http://127.0.0.1:3129/"
            change(&setup.options)
        }
    }

    @Test(
        "browsers get a document, tools plain text",
        arguments: [
            (browser, true), ("Accept: text/html", true), ("Accept: TEXT/HTML;level=1", true), ("Accept: */*", false),
            ("Accept: text/html;q=0, text/plain", false), ("Accept: text/htmlx", false), ("X-None: 1", false),
        ]
    )
    func forms(accept: String, isDocument: Bool) throws {
        let reply = try #require(try Self.proxy().ask("/", accept))
        #expect(reply.status == 200)
        #expect(reply["Content-Type"] == [isDocument ? "text/html; charset=utf-8" : "text/plain; charset=utf-8"])
        #expect(reply.content.hasPrefix("<!DOCTYPE html>") == isDocument)
        #expect(reply["Cache-Control"] == ["no-store"] && reply["X-Content-Type-Options"] == ["nosniff"])
        #expect(reply["Vary"] == ["Accept, Host"])
    }

    @Test("as text each client is named before its first command alone")
    func columns() throws {
        let reply = try #require(try Self.proxy().ask("/", "Accept: */*"))
        let lines = reply.content.split(separator: "\n", omittingEmptySubsequences: false)
        let end = try #require(lines.dropFirst(2).firstIndex(of: ""))
        let commands = lines[2..<end].map { $0.dropFirst(2) }
        #expect(commands.first?.hasPrefix(" ") == false && commands.contains { $0.hasPrefix("  ") })
        let named = commands.filter { !$0.hasPrefix(" ") }.map { $0.prefix(12) }
        #expect(Set(named).count == named.count && named.count > 5)
    }

    @Test("both name the host the client used, the services and the administration, and no secret")
    func content() throws {
        let proxy = try Self.proxy()
        for accept in [Self.browser, "Accept: */*"] {
            let reply = try #require(proxy.ask("/", accept, "Host: LocalHost:\(proxy.port)"))
            for text in [
                "Acquire::http::Proxy", "http://LocalHost:\(proxy.port)/https://INDEX/simple/",
                "pip config set global.index-url",
                "npm config set registry", "GOPROXY=", "sparse+", "registry-mirrors", "respite run -- COMMAND",
                "No tunnel has passed so far.", "name hosts in intercept.hosts",
                "come from here, too.", "http://plain.localhost:\(proxy.port)/",
                "http://LocalHost:\(proxy.port)/secret/",
                "http://LocalHost:\(proxy.port)/plain/", "http://plain.example/v1", "adds a credential",
                "http://127.0.0.1:3129/",
            ] {
                #expect(reply.content.contains(text), "\(text)")
            }
            #expect(!reply.content.contains("s3cr3t"))
        }
    }

    @Test("the document runs no script, loads nothing, and is framed by nobody")
    func protection() throws {
        let proxy = try Self.proxy()
        let replies = try (1...2).map { _ in try #require(proxy.ask("/", Self.browser)) }
        for reply in replies {
            let policy = try #require(reply["Content-Security-Policy"].first)
            for part in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"] {
                #expect(policy.contains(part))
            }
            #expect(!policy.contains("unsafe") && !policy.contains("script-src"))
            #expect(!reply.content.contains("<script") && !reply.content.contains(" style="))
            let nonce = try #require(policy.split(separator: "'nonce-").dropFirst().first?.split(separator: "'").first)
            #expect(reply.content.contains("<style nonce=\"\(nonce)\">") && nonce.count >= 24)
        }
        #expect(replies[0]["Content-Security-Policy"] != replies[1]["Content-Security-Policy"])
    }

    @Test("a name that leads elsewhere than to us is 421, and other methods than GET and HEAD are 405")
    func refusals() throws {
        let proxy = try Self.proxy()
        #expect(proxy.ask("/", Self.browser, "Host: <b>.example")?.status == 400)
        #expect(proxy.ask("/", Self.browser, "Host: evil.example")?.status == 421)
        #expect(proxy.perform("POST", "/")?.status == 405)
        #expect(proxy.perform("HEAD", "/", Self.browser)?.status == 200)
    }

    @Test("from elsewhere than the loopback services are linked by path, and without the prefix route it is not told")
    func elsewhere() throws {
        let proxy = try Self.proxy { options in
            options.ownNames = [Array("proxy.example".utf8)]
            options.routes.remove(.prefix)
            options.adminURL = nil
        }
        let reply = try #require(proxy.ask("/", Self.browser, "Host: proxy.example:3128"))
        #expect(reply.content.contains("http://proxy.example:3128/plain/"))
        #expect(!reply.content.contains("plain.localhost") && !reply.content.contains("/<wbr>http://org.example/"))
        #expect(!reply.content.contains("Dashboard"))
    }

    @Test("a browser that asks for an icon is told that there is none, and goes on using its connection")
    func icon() throws {
        let proxy = try Self.proxy()
        let reader = proxy.reader()
        let reply = try #require(
            reader.ask(proxy.request("GET", "/favicon.ico", ["Sec-Fetch-Dest: image"]))
        )
        #expect(reply.status == 204 && reply["Proxy-Status"] == [] && reply["Connection"] == [])
        #expect(reader.ask(proxy.request("GET", "/"))?.status == 200)
    }
}
