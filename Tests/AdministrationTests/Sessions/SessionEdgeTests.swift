import Eventing
import HTTPCore
import JSON
import Settings
import Testing
import TestSupport

@testable import Administration

/// Sessions at the edges of what they allow.
@Suite struct SessionEdgeTests {
    @Test("a new token for readers ends the sessions of readers alone; any other reload ends none (H-163)")
    func newReadToken() throws {
        let admin = try TestAdmin { _, options in options.readToken = Array("a-token-for-readers".utf8) }
        var (reader, browser) = (TestBrowser(admin), TestBrowser(admin))
        try reader.logIn(token: "a-token-for-readers")
        try browser.logIn()
        admin.apply { $0.hosts = [Array("cache.example".utf8)] }
        #expect(try reader.get("/v1/status").status == 200 && browser.get("/v1/status").status == 200)
        admin.apply { $0.readToken = Array("another-for-readers".utf8) }
        #expect(try reader.get("/v1/status").status == 401 && browser.get("/v1/status").status == 200)
    }

    @Test("of cookies with our name the last four count (H-163)", arguments: [(3, 200), (4, 401)])
    func cookies(behind count: Int, status: Int) throws {
        let admin = try TestAdmin()
        var browser = TestBrowser(admin)
        try browser.logIn()
        browser.cookie += (0..<count).map { "; respite-\(admin.port)=\($0)" }.joined()
        #expect(try browser.get("/v1/status").status == status)
    }

    @Test("a secret has 256 characters at most, and is not looked up beyond (H-146, H-163)", arguments: [256, 257])
    func longSecrets(count: Int) {
        let now = MonotonicTime(nanoseconds: 1)
        var table = SessionTable(hasher: PlainHasher()) { String(repeating: "s", count: count) }
        let secrets = table.begin(.all, at: now)
        #expect(table.holds([secrets.cookie], at: now) == (count == 256))
        let code = table.makeLink(at: now)
        let works = table.useLink(code, at: now)
        #expect(works == (count == 256))
    }

    @Test("who asks is told what the session or token may do, and how long a session lasts")
    func shown() throws {
        let admin = try TestAdmin { _, options in options.readToken = Array("a-token-for-readers".utf8) }
        #expect(try admin.get("/v1/sessions").text == "{\"mayChange\":true}\n")
        let reader = [admin.host, "Authorization: Bearer a-token-for-readers"]
        #expect(try admin.send("GET", "/v1/sessions", reader).text == "{\"mayChange\":false}\n")
        var browser = TestBrowser(admin)
        let begun = try browser.logIn()
        #expect(
            begun.text == "{\"proof\":\"\(browser.proof)\",\"mayChange\":true}\n"
                && begun["Cache-Control"] == "no-store"
        )
        #expect(try browser.get("/v1/sessions").text == "{\"mayChange\":true,\"secondsLeft\":43200}\n")
    }

    @Test("a link is made without content, and is the address that the client used")
    func link() throws {
        let admin = try TestAdmin()
        let fields = [admin.host, TestAdmin.bearer]
        let refused = try admin.send("POST", "/v1/sessions", fields, content: [0x78])
        #expect(refused.status == 400 && refused.text.contains("this request has no content"))
        let made = try admin.send("POST", "/v1/sessions", ["Host: LOCALHOST:\(admin.port)", TestAdmin.bearer])
        let url = try JSONReader.parse(made.content)["url"]?.text
        #expect(url?.hasPrefix("http://localhost:\(admin.port)/login#code=") == true)
    }

    @Test(
        "where no Host says how the client reached us, a link has the first address that a browser could open",
        arguments: [
            ([.ip(.v4(0), port: 3129)], "http://127.0.0.1:3129/"), ([.ip(.v6(0, 0), port: 3129)], "http://[::1]:3129/"),
            ([.unix(path: "/a"), .ip(.v4(0xC000_0201), port: 80)], "http://192.0.2.1:80/"),
            ([.unix(path: "/a")], nil), ([], nil),
        ] as [([SocketAddress], String?)]
    )
    func addresses(addresses: [SocketAddress], start: String?) throws {
        let admin = try TestAdmin { _, options in options.addresses = addresses }
        let client = RawClient(port: admin.port)
        client.send("POST /v1/sessions HTTP/1.0\r\n\(TestAdmin.bearer)\r\n\r\n")
        let text = client.receiveAll().text
        if let start {
            #expect(text.contains("\"url\":\"\(start)login#code="), "\(text)")
        } else {
            #expect(text.contains(" 409 ") && text.contains("has no address that a browser could open"), "\(text)")
        }
    }

    @Test("where a client names no port, the cookie has that of HTTP (H-163)")
    func usualPort() throws {
        let admin = try TestAdmin { _, options in options.hosts = [Array("cache.example".utf8)] }
        let page = ["Host: cache.example", TestBrowser.ownPage]
        let login = try admin.send(
            "POST",
            "/login",
            page + ["Content-Type: application/json"],
            content: Array(#"{"token":"\#(TestAdmin.token)"}"#.utf8)
        )
        let cookie = try #require(login["Set-Cookie"]?.split(separator: ";").first)
        #expect(login.status == 200 && cookie.hasPrefix("respite-80="))
        let proof = try #require(try JSONReader.parse(login.content)["proof"]?.text)
        let fields = page + ["Cookie: \(cookie)", "Respite-Session: \(proof)"]
        #expect(try admin.send("GET", "/v1/status", fields).status == 200)
        let ended = try admin.send("POST", "/logout", fields)
        #expect(ended["Set-Cookie"] == "respite-80=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0")
    }

    @Test("a login that has nothing, or too much, says where it is wrong")
    func wrongLogins() throws {
        var browser = TestBrowser(try TestAdmin())
        for (json, path) in [
            ("{}", "$"), (#"{"token":"a","code":"b"}"#, "$.token"), (#"{"token":1}"#, "$.token"),
            (#"{"code":[]}"#, "$.code"), (#"{"user":"a"}"#, "$.user"),
        ] {
            let answer = try browser.logIn(json)
            #expect(answer.status == 400 && answer.text.contains("\"path\":\"\(path)\""), "\(json): \(answer.text)")
        }
        let used = try browser.logIn(#"{"code":"x"}"#)
        #expect(
            used.status == 401 && used["WWW-Authenticate"] == "Bearer" && used.text.contains("this link has been used")
        )
        #expect(try browser.logIn(#"{"token":"x"}"#).text.contains("this is not the token"))
    }

    @Test("a login says that it needs a code or a token, and only one of them")
    func loginSentences() throws {
        var browser = TestBrowser(try TestAdmin())
        for (json, sentence) in [
            ("{}", #"$: needs "code" or "token""#),
            (#"{"token":"a","code":"b"}"#, #"$.token: stands beside "code"; give one of them"#),
        ] {
            let answer = try browser.logIn(json)
            let detail = try JSONReader.parse(answer.content)["detail"]?.text
            #expect(answer.status == 400 && detail == "the content is wrong at \(sentence)")
        }
    }

    @Test("pages tell browsers how to log in only where they refuse")
    func challenge() throws {
        let admin = try TestAdmin()
        let login = try admin.send("GET", "/login", [admin.host])
        #expect(login.status == 200 && login["WWW-Authenticate"] == nil)
        let shell = try admin.send("GET", "/", [admin.host])
        #expect(shell.status == 401 && shell["WWW-Authenticate"] == "Bearer")
        #expect(try admin.get("/")["WWW-Authenticate"] == nil)
    }
}
