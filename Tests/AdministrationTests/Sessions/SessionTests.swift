import HTTPCore
import JSON
import Observability
import Settings
import Testing

@testable import Administration

/// Sessions of browsers, over real connections.
struct SessionTests {
    @Test("a one-time link gives a session that may do everything, and a stolen link used twice gives none (H-163)")
    func link() throws {
        // Given a link
        let admin = try TestAdmin()
        try admin.hold("http://origin.example/a")
        var (browser, thief) = (TestBrowser(admin), TestBrowser(admin))
        let code = try browser.code()
        #expect(code.count == 43)
        // When it is used twice
        let first = try browser.logIn(#"{"code":"\#(code)"}"#)
        let second = try thief.logIn(#"{"code":"\#(code)"}"#)
        // Then
        #expect(first.status == 200 && second.status == 401 && second["Set-Cookie"] == nil)
        #expect(try browser.get("/v1/status").status == 200)
        #expect(try browser.post("/v1/purge", #"{"uri":"http://origin.example/a"}"#).status == 200)
        #expect(try thief.get("/v1/status").status == 401)
        let metrics = String(decoding: admin.metrics.prometheusText(), as: UTF8.self)
        #expect(metrics.contains("respite_admin_refused_total 2\n"))
    }

    @Test("the code stands where browsers send it to nobody, and opening the link uses nothing up (H-163, H-145)")
    func fragment() throws {
        let admin = try TestAdmin()
        let answer = try admin.send("POST", "/v1/sessions", [admin.host, TestAdmin.bearer])
        let json = try JSONReader.parse(answer.content)
        #expect(json["url"]?.text?.hasPrefix("http://127.0.0.1:\(admin.port)/login#code=") == true)
        #expect(json["secondsLeft"]?.integer == 60)
        // A preview of the link asks for the page alone.
        let page = try admin.send("GET", "/login", [admin.host, "Sec-Purpose: prefetch"])
        #expect(page.status == 200 && page["Set-Cookie"] == nil && page["Cache-Control"] == "no-store")
    }

    @Test("the cookie is for scripts, other sites and other ports' daemons of no use (H-163)")
    func cookie() throws {
        let admin = try TestAdmin()
        var browser = TestBrowser(admin)
        let answer = try browser.logIn()
        let parts = answer["Set-Cookie"]?.split(separator: "; ").map(String.init) ?? []
        #expect(parts.first?.hasPrefix("respite-\(admin.port)=") == true)
        #expect(Set(parts.dropFirst()) == ["Path=/", "HttpOnly", "SameSite=Strict"])
    }

    @Test("a server at another port of this machine, which gets the cookie, can do nothing with it (H-163)")
    func otherPort() throws {
        let admin = try TestAdmin()
        var browser = TestBrowser(admin)
        try browser.logIn()
        var thief = browser
        thief.proof = ""
        #expect(try thief.get("/v1/status").status == 401)
        thief.proof = TestAdmin.token
        #expect(try thief.get("/v1/status").status == 401)
    }

    @Test(
        "only a page of ours uses a session: the browser says so, or names our origin (H-163, H-144)",
        arguments: [
            (["Sec-Fetch-Site: same-origin"], 200), (["Origin: OWN"], 200), ([], 401), (["Sec-Fetch-Site: none"], 401),
            (["Sec-Fetch-Site: same-site"], 403), (["Sec-Fetch-Site: cross-site"], 403),
            (["Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: same-origin"], 401), (["Origin: null"], 403),
            (["Origin: http://evil.example"], 403), (["Sec-Fetch-Site: cross-site", "Origin: OWN"], 403),
        ] as [([String], Int)]
    )
    func ownPages(said: [String], status: Int) throws {
        let admin = try TestAdmin()
        var browser = TestBrowser(admin)
        try browser.logIn()
        let named = said.map { $0.replacing("OWN", with: browser.origin) }
        let fields = [admin.host, "Cookie: \(browser.cookie)", "Respite-Session: \(browser.proof)"] + named
        #expect(try admin.send("GET", "/v1/status", fields).status == status)
        let type = "Content-Type: application/json"
        let purge = Array(#"{"uri":"http://origin.example/"}"#.utf8)
        #expect(try admin.send("POST", "/v1/purge", fields + [type], content: purge).status == status)
    }

    @Test("a rebound name gets 421 for pages, for a login, and with a session (H-143, H-163)")
    func reboundName() throws {
        let admin = try TestAdmin()
        var browser = TestBrowser(admin)
        try browser.logIn()
        let foreign = ["Host: evil.example:\(admin.port)"] + browser.fields.dropFirst()
        for path in ["/", "/login", "/assets/app.js", "/v1/status"] {
            #expect(try admin.send("GET", path, foreign).status == 421, "\(path)")
            #expect(try admin.send("GET", path, foreign + TestBrowser.visit).status == 421, "\(path)")
        }
        let login = Array(#"{"token":"\#(TestAdmin.token)"}"#.utf8)
        let type = "Content-Type: application/json"
        #expect(try admin.send("POST", "/login", foreign + [type], content: login).status == 421)
        // Without Host, as HTTP/1.0 allows, there is no telling which name the browser used.
        let answer = try admin.send("GET", "/v1/status", Array(browser.fields.dropFirst()))
        #expect(answer.status != 200)
    }

    @Test("only the login page logs in, and only by JSON; a wrong token gives nothing (H-163, H-145)")
    func login() throws {
        let admin = try TestAdmin()
        var browser = TestBrowser(admin)
        let content = Array(#"{"token":"\#(TestAdmin.token)"}"#.utf8)
        let json = "Content-Type: application/json"
        for (fields, status) in [
            ([json], 403), (["Sec-Fetch-Site: none", json], 403), (["Sec-Fetch-Site: cross-site", json], 403),
            ([TestBrowser.ownPage], 415),
            ([TestBrowser.ownPage, "Content-Type: application/x-www-form-urlencoded"], 415),
            ([TestBrowser.ownPage, "Content-Type: text/plain"], 415),
        ] {
            let answer = try admin.send("POST", "/login", [admin.host] + fields, content: content)
            #expect(answer.status == status && answer["Set-Cookie"] == nil, "\(fields)")
        }
        for wrong in [#"{"token":"x"}"#, #"{"token":""}"#, #"{"code":"x"}"#, #"{"code":""}"#] {
            let answer = try browser.logIn(wrong)
            #expect(answer.status == 401 && answer["Set-Cookie"] == nil, "\(wrong)")
        }
        for wrong in ["{}", #"{"token":"a","code":"b"}"#, #"{"token":1}"#, #"{"user":"a"}"#] {
            let answer = try browser.logIn(wrong)
            #expect(answer.status == 400, "\(wrong)")
        }
    }

    @Test("a session from the token for readers only reads, and makes no link (H-163)")
    func readers() throws {
        let admin = try TestAdmin { _, options in options.readToken = Array("a-token-for-readers".utf8) }
        try admin.hold("http://origin.example/a")
        var browser = TestBrowser(admin)
        let answer = try browser.logIn(token: "a-token-for-readers")
        #expect(answer.status == 200)
        #expect(try browser.get("/v1/resources").status == 200)
        #expect(try JSONReader.parse(try browser.get("/v1/sessions").content)["mayChange"] == .boolean(false))
        let id = ResourceIdentifier(try TargetURI(parsing: "http://origin.example/a")).text
        #expect(try browser.get("/v1/resources/\(id)/body").status == 403)
        #expect(try browser.post("/v1/purge", #"{"uri":"http://origin.example/a"}"#).status == 403)
        #expect(try browser.post("/v1/sessions").status == 403)
        #expect(try browser.get("/").status == 200)
    }

    @Test("logging out ends the session, and no other one (H-163)")
    func logout() throws {
        let admin = try TestAdmin()
        var (first, second) = (TestBrowser(admin), TestBrowser(admin))
        try first.logIn()
        try second.logIn()
        let answer = try first.post("/logout")
        #expect(answer.status == 200 && answer["Set-Cookie"]?.contains("Max-Age=0") == true)
        #expect(try first.get("/v1/status").status == 401 && second.get("/v1/status").status == 200)
        // Another page cannot log anybody out.
        let foreign = [admin.host, "Sec-Fetch-Site: cross-site", "Cookie: \(second.cookie)"]
        #expect(try admin.send("POST", "/logout", foreign).status == 403)
        #expect(try admin.send("GET", "/logout", second.fields).status == 405)
        #expect(try second.get("/v1/status").status == 200)
    }

    @Test("a new token in the file ends the sessions of the old one; a reload that keeps it does not (H-163)")
    func newToken() throws {
        let admin = try TestAdmin()
        var browser = TestBrowser(admin)
        try browser.logIn()
        admin.apply { $0.hosts = [Array("cache.example".utf8)] }
        #expect(try browser.get("/v1/status").status == 200)
        admin.apply { $0.token = Array("another-token-altogether".utf8) }
        #expect(try browser.get("/v1/status").status == 401)
        #expect(try browser.visit("/", from: "none").status == 401)
    }

    @Test("a wrong token beside a session is a wrong token (H-142)")
    func tokenAndSession() throws {
        let admin = try TestAdmin()
        var browser = TestBrowser(admin)
        try browser.logIn()
        let wrong = "Authorization: Bearer wrong"
        #expect(try admin.send("GET", "/v1/status", browser.fields + [wrong]).status == 401)
    }
}
