import JSON
import Observability
import Settings
import TestSupport
import Testing

@testable import Administration

/// What sessions cannot be used for, and what strangers cannot do to them.
struct SessionLimitTests {
    @Test("a session makes no link, so that it cannot renew itself and outlive its end (H-163)")
    func renewal() throws {
        let admin = try TestAdmin()
        var browser = TestBrowser(admin)
        try browser.logIn()
        let answer = try browser.post("/v1/sessions")
        #expect(answer.status == 403 && !answer.text.contains("code="))
        #expect(try browser.code().count == 43)
    }

    @Test("a login is read up to 4 KiB, announced or not, and two levels deep (H-146, H-163)")
    func contentOfLogins() throws {
        let admin = try TestAdmin()
        var browser = TestBrowser(admin)
        let json = [admin.host, TestBrowser.ownPage, "Content-Type: application/json"]
        // The content does not come: an announced length is refused before it could be kept.
        let announced = RawClient(port: admin.port)
        announced.send((["POST /login HTTP/1.1"] + json + ["Content-Length: 4097", "", ""]).joined(separator: "\r\n"))
        #expect(announced.receive { $0.contains("\r\n") }.hasPrefix("HTTP/1.1 413 "))
        let chunked = RawClient(port: admin.port)
        let head = ["POST /login HTTP/1.1"] + json + ["Transfer-Encoding: chunked", "", ""]
        chunked.send(head.joined(separator: "\r\n") + "1001\r\n" + String(repeating: " ", count: 4097) + "\r\n")
        #expect(chunked.receive { $0.contains("\r\n") }.hasPrefix("HTTP/1.1 413 "))
        #expect(try browser.logIn(#"{"token":[[]]}"#).status == 400)
        let longest = #"{"token":"\#(TestAdmin.token)"}"#
        let padding = String(repeating: " ", count: 4096 - longest.utf8.count)
        #expect(try browser.logIn(longest + padding).status == 200)
    }

    @Test("any number of logins with the token for readers leave the sessions of administrators (H-163)")
    func displacement() throws {
        let admin = try TestAdmin { _, options in options.readToken = Array("a-token-for-readers".utf8) }
        var browser = TestBrowser(admin)
        try browser.logIn()
        for _ in 0...SessionTable.limit {
            var reader = TestBrowser(admin)
            try reader.logIn(token: "a-token-for-readers")
        }
        #expect(try browser.get("/v1/status").status == 200)
    }

    @Test("logging in or out ends the session whose proof came, and none whose cookie stands beside it (H-163)")
    func cookiesOfOthers() throws {
        let admin = try TestAdmin()
        var (first, second) = (TestBrowser(admin), TestBrowser(admin))
        try first.logIn()
        try second.logIn()
        var both = first
        both.cookie = "\(second.cookie); \(first.cookie)"
        // Logging in anew ends the session before it.
        #expect(try both.logIn().status == 200)
        #expect(try first.get("/v1/status").status == 401 && second.get("/v1/status").status == 200)
        var third = both
        third.cookie = "\(second.cookie); \(both.cookie)"
        #expect(try third.post("/logout").status == 200)
        #expect(try both.get("/v1/status").status == 401 && second.get("/v1/status").status == 200)
        // A cookie without its proof ends nothing.
        var thief = second
        thief.proof = "x"
        try thief.logIn()
        #expect(try second.get("/v1/status").status == 200)
    }

    @Test("a stream of events ends with the session that began it, one of a token goes on (H-163)")
    func streams() throws {
        let admin = try TestAdmin()
        var (browser, other) = (TestBrowser(admin), TestBrowser(admin))
        try browser.logIn()
        try other.logIn()
        let ending = Self.stream(admin, browser.fields)
        let lasting = [Self.stream(admin, other.fields), Self.stream(admin, browser.fields + [TestAdmin.bearer])]
        #expect(try browser.post("/logout").status == 200)
        let held = try admin.hold("http://origin.example/secret")
        #expect(ending.receiveAll().text == "event: end\ndata: {}\n\n")
        for stream in lasting { #expect(stream.receive { $0.hasSuffix("\n\n") }.contains("origin.example/secret")) }
        admin.apply { $0.token = Array("another-token-altogether".utf8) }
        #expect(lasting[0].receiveAll().text == "event: end\ndata: {}\n\n")
        withExtendedLifetime(held) {}
    }

    /// A stream of events that has begun.
    private static func stream(_ admin: TestAdmin, _ fields: [String]) -> RawClient {
        let client = RawClient(port: admin.port)
        // Without chunks, so that what comes are the events alone.
        client.send((["GET /v1/events HTTP/1.0"] + fields + ["", ""]).joined(separator: "\r\n"))
        _ = client.receive { $0.hasSuffix("retry: 1000\n\n") }
        return client
    }

    @Test("cookies of our name that a server at another port set for longer paths do not hide ours (H-163)")
    func cookiesOfAnotherPort() throws {
        let admin = try TestAdmin()
        var browser = TestBrowser(admin)
        try browser.logIn()
        // Browsers send the cookies of longer paths first.
        let foreign = (0..<8).map { "respite-\(admin.port)=\($0)" }.joined(separator: "; ")
        browser.cookie = "\(foreign); \(browser.cookie)"
        #expect(try browser.get("/v1/status").status == 200)
        #expect(try browser.visit("/", from: "none").status == 200)
    }

    @Test("behind an absolute target the field Host is neither in a link nor the origin of a page (H-143, H-144)")
    func absoluteTarget() throws {
        let admin = try TestAdmin()
        let own = "http://127.0.0.1:\(admin.port)"
        let link = try admin.send("POST", "\(own)/v1/sessions", ["Host: evil.example", TestAdmin.bearer])
        let url = link.status == 200 ? try JSONReader.parse(link.content)["url"]?.text ?? "" : ""
        #expect(!link.text.contains("evil.example"))
        #expect(link.status != 200 || url.hasPrefix("\(own)/login#code="), "\(link.text)")
        let fields = ["Host: evil.example", TestAdmin.bearer, "Origin: http://evil.example"]
        #expect(try admin.send("GET", "\(own)/v1/status", fields).status != 200)
    }

    @Test("without Host, as HTTP/1.0 allows, a link names the listener (H-163)")
    func withoutHost() throws {
        let admin = try TestAdmin()
        let client = RawClient(port: admin.port)
        client.send("POST /v1/sessions HTTP/1.0\r\n\(TestAdmin.bearer)\r\n\r\n")
        let text = client.receiveAll().text
        #expect(text.hasPrefix("HTTP/1.1 200 ") || text.hasPrefix("HTTP/1.0 200 "))
        #expect(text.contains("http://127.0.0.1:\(admin.port)/login#code="))
    }

    @Test("visits that get the login page do not count as refused, since a link of any page leads there (H-164)")
    func visits() throws {
        let admin = try TestAdmin()
        for path in ["/", "/login", "/v1/status", "/v1/none"] {
            _ = try TestBrowser(admin).visit(path, from: "cross-site")
        }
        let metrics = String(decoding: admin.metrics.prometheusText(), as: UTF8.self)
        #expect(metrics.contains("respite_admin_refused_total 0\n"))
    }
}
