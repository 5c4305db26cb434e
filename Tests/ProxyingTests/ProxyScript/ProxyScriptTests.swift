import HTTPCore
import Testing
import TestSupport

@testable import Proxying

/// The script by which clients choose a proxy, over real sockets.
@Suite struct ProxyScriptTests {
    /// The first line of code, which names the proxy.
    private static func proxy(in reply: Reply?) -> String? {
        reply?.content.split(separator: "\n").first { $0.hasPrefix("var proxy = ") }.map { String($0.dropFirst(12)) }
    }

    @Test("both paths give a script for this client's own way to the proxy", arguments: ["/proxy.pac", "/wpad.dat?x"])
    func served(path: String) throws {
        let proxy = try TestProxy()
        let reply = try #require(proxy.ask(path))
        #expect(reply.status == 200 && reply["Content-Type"] == ["application/x-ns-proxy-autoconfig"])
        #expect(Self.proxy(in: reply) == "\"PROXY 127.0.0.1:\(proxy.port)\";")
        #expect(reply.content.contains("function FindProxyForURL(url, host)"))
        #expect(reply["Cache-Control"] == ["private, max-age=300"] && reply["Vary"] == ["Host"])
        #expect(reply["X-Content-Type-Options"] == ["nosniff"] && reply["Access-Control-Allow-Origin"] == [])
        #expect(reply["Cross-Origin-Resource-Policy"] == ["same-origin"])
        let head = try #require(proxy.perform("HEAD", path))
        #expect(head.status == 200 && head["Content-Length"] == reply["Content-Length"])
    }

    @Test(
        "the proxy is named as the client names it in Host, with the port that follows from there",
        arguments: [
            ("LocalHost:3128", "localhost:3128"), ("[::1]:8080", "[::1]:8080"), ("127.0.0.1", "127.0.0.1:80"),
            ("proxy.example", "proxy.example:80"), ("a.localhost:1", "a.localhost:1"),
        ]
    )
    func names(host: String, authority: String) throws {
        let proxy = try TestProxy { $0.options.ownNames = [Array("proxy.example".utf8)] }
        #expect(Self.proxy(in: proxy.ask("/proxy.pac", "Host: \(host)")) == "\"PROXY \(authority)\";")
    }

    @Test("a listener with TLS is named as one, by port 443 if Host has none")
    func secure() {
        let script = ProxyScript(authority: "proxy.example:443", isSecure: true, options: ScriptOptions())
        #expect(script.text.contains("var proxy = \"HTTPS proxy.example:443\";"))
    }

    @Test("clients go on without the proxy only if the settings say so")
    func fallback() throws {
        let proxy = try TestProxy { $0.options.script.allowsFallback = true }
        #expect(Self.proxy(in: proxy.ask("/proxy.pac")) == "\"PROXY 127.0.0.1:\(proxy.port); DIRECT\";")
    }

    @Test(
        "the script is for no foreign name, no page of another site and no other method",
        arguments: [
            ("GET", ["Host: evil.example"], 421), ("GET", ["Host: wpad.example"], 421),
            ("GET", ["Sec-Fetch-Site: cross-site"], 403), ("GET", ["Sec-Fetch-Site: same-site"], 403),
            ("GET", ["Origin: http://evil.example"], 403), ("GET", ["Sec-Fetch-Site: none"], 200),
            ("GET", ["Sec-Fetch-Site: same-origin"], 200), ("POST", [], 405), ("PUT", [], 405),
            ("GET", ["Host: a;b.localhost"], 400), ("GET", ["Host: a'b.localhost"], 400),
        ] as [(String, [String], Int)]
    )
    func refused(method: String, fields: [String], status: Int) throws {
        let proxy = try TestProxy { $0.options.script.direct = [.name("secret.example")] }
        let reply = try #require(ReplyReader(proxy.client()).ask(proxy.request(method, "/proxy.pac", fields)))
        #expect(reply.status == status)
        #expect(status == 200 || !reply.content.contains("secret.example"))
    }

    @Test("a listener that is no forward proxy has no script, and in front of one origin the path is the origin's")
    func otherListeners() throws {
        let proxy = try TestProxy { $0.options.routes.remove(.forward) }
        #expect(proxy.ask("/proxy.pac")?.status == 400)
        let origin = TestOrigin.answering { response("200 OK", content: "origin's \($0.target)") }
        let base = try TargetURI(parsing: origin.url("/"))
        let gateway = try TestProxy { $0.options.gateway = GatewayBase(base) }
        #expect(gateway.ask("/wpad.dat")?.content == "origin's /wpad.dat")
    }

    @Test("a page links the script, and in text names it")
    func linked() throws {
        let proxy = try TestProxy()
        let url = "http://127.0.0.1:\(proxy.port)/proxy.pac"
        #expect(proxy.ask("/", "Accept: text/html")?.content.contains("<a href=\"\(url)\">") == true)
        #expect(proxy.ask("/")?.content.contains(url) == true)
    }

    @Test(
        "what is no letter, digit or harmless mark is escaped in a string",
        arguments: [
            ("a.b-c_1:2;[x] y", "\"a.b-c_1:2;[x] y\""), ("\"\\'", "\"\\u0022\\u005c\\u0027\""),
            ("</script>\n", "\"\\u003c\\u002fscript\\u003e\\u000a\""), ("\u{2028}ä", "\"\\u2028\\u00e4\""),
            ("\u{1F600}", "\"\\ud83d\\ude00\""), ("\0", "\"\\u0000\""),
        ]
    )
    func escaping(text: String, literal: String) { #expect(ProxyScript.literal(text) == literal) }

    @Test("of ASCII letters, digits, blanks and `-.:;[]_` stand for themselves, and nothing else does")
    func ascii() {
        let plain = Set(" -.:;[]_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".unicodeScalars)
        for code in 0...0x80 as ClosedRange<UInt8> {
            let scalar = Unicode.Scalar(code)
            let digits = String(code, radix: 16)
            let escaped = "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            let expected = plain.contains(scalar) ? "\(scalar)" : escaped
            #expect(ProxyScript.literal("\(scalar)") == "\"\(expected)\"", "\(code)")
        }
    }

    @Test("the script has the hosts of the settings, and nothing else of them")
    func hosts() {
        var options = ScriptOptions()
        options.direct = [
            .name("corp.example"), .below("lan.example"), .range(.v4(0x0A00_0000), bits: 8),
            .range(.v6(0xFC00 << 48, 0), bits: 7),
        ]
        let text = ProxyScript(authority: "127.0.0.1:1", isSecure: false, options: options).text
        #expect(text.contains("var everything = false;"))
        #expect(text.contains("var names = [\"localhost\", \"corp.example\"];"))
        #expect(text.contains("var below = [\".lan.example\"];"))
        let loopback = "[[127, 0, 0, 0], 8], [[\(String(repeating: "0, ", count: 15))1], 128]"
        #expect(text.contains("var ranges = [\(loopback), [[10, 0, 0, 0], 8], [[252, 0, 0, "))
        options.direct = [.everything]
        #expect(ProxyScript(authority: "a:1", isSecure: false, options: options).text.contains("everything = true;"))
    }
}
