import Observability
import Testing

@testable import Administration

/// Which requests count as refused.
@Suite struct RefusalCountTests {
    private static func count(_ admin: TestAdmin) -> Int? {
        let lines = String(decoding: admin.metrics.prometheusText(), as: UTF8.self).split(separator: "\n")
        let name = "respite_admin_refused_total "
        return lines.first { $0.hasPrefix(name) }.flatMap { Int($0.dropFirst(name.count)) }
    }

    @Test("each request that is refused because of host, site, token or session counts once")
    func refused() throws {
        let admin = try TestAdmin()
        var browser = TestBrowser(admin)
        try browser.logIn()
        #expect(Self.count(admin) == 0)
        let json = "Content-Type: application/json"
        let login = Array(#"{"token":"wrong"}"#.utf8)
        let answers = [
            try admin.send("GET", "/v1/status", ["Host: evil.example", TestAdmin.bearer]),
            try admin.send("GET", "/v1/status", [admin.host, TestAdmin.bearer, "Origin: http://evil.example"]),
            try admin.send("GET", "/v1/status", [admin.host]),
            try browser.post("/v1/sessions"),
            try admin.send("POST", "/login", [admin.host, json], content: login),
            try TestBrowser(admin).post("/login", #"{"token":"wrong"}"#),
        ]
        #expect(answers.map(\.status) == [421, 403, 401, 403, 403, 401])
        #expect(Self.count(admin) == answers.count)
    }

    @Test("who may use the API and asks for what is not there, or in a wrong way, is not counted")
    func wrong() throws {
        let admin = try TestAdmin()
        let answers = [
            try admin.get("/v1/none"), try admin.get("/v1/status?a=b"), try admin.get("/v1/purge"),
            try admin.post("/v1/purge", "{}"), try TestBrowser(admin).post("/login", "{}"),
        ]
        #expect(answers.map(\.status) == [404, 400, 405, 400, 400])
        #expect(Self.count(admin) == 0)
    }
}
