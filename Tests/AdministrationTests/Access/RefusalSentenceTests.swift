import Administration
import JSON
import Platform
import Testing

/// What the API says of requests that it refuses.
@Suite struct RefusalSentenceTests {
    private static let readToken = "for-a-monitor-of-ours"
    private static let json = "Content-Type: application/json"

    private static func detail(_ answer: Answer) throws -> String? {
        try JSONReader.parse(answer.content)["detail"]?.text
    }

    @Test("who may not use the API is told what is missing (H-142 to H-144)")
    func access() throws {
        let admin = try TestAdmin { _, options in options.readToken = Array(Self.readToken.utf8) }
        for (method, path, fields, status, sentence) in [
            (
                "GET", "/v1/status", [admin.host], 401,
                "this needs the admin token as `Authorization: Bearer TOKEN`"
            ),
            (
                "PUT", "/v1/mode", [admin.host, "Authorization: Bearer \(Self.readToken)"], 403,
                "this needs the admin token; the one of `admin-read-token-file` changes nothing, and reads neither "
                    + "content nor settings"
            ),
            (
                "GET", "/v1/status", ["Host: else.example", TestAdmin.bearer], 421,
                "Host is none of this listener's names; `admin-hosts` adds names"
            ),
            (
                "GET", "/v1/status", [admin.host, TestAdmin.bearer, "Origin: http://evil.example"], 403,
                "a page of another site may not use the admin API"
            ),
            (
                "POST", "/login", [admin.host, Self.json], 403,
                "only the login page may log in"
            ),
        ] as [(String, String, [String], Int, String)] {
            let answer = try admin.send(method, path, fields)
            #expect(try answer.status == status && Self.detail(answer) == sentence, "\(answer.text)")
        }
        var browser = TestBrowser(admin)
        try browser.logIn()
        let link = try browser.post("/v1/sessions")
        #expect(try Self.detail(link) == "a session makes no links; this needs the admin token")
    }

    @Test(
        "what is not there, or is asked for in a wrong way, is told in a sentence",
        arguments: [
            ("/v1/none", 404, "there is nothing at this path"), ("/v1/mode", 404, "there are no modes here"),
            ("/v1/resources?uri=http://h.example/none", 404, "nothing is stored of this resource"),
            ("/v1/explain?url=/a", 400, "`url` must be an absolute http or https URL"),
            (
                "/v1/explain?url=http://h.example/&header=nothing", 400,
                "`header` must be a field line such as Accept-Language: de"
            ),
            (
                "/v1/explain?url=http://h.example/&method=a%20b", 400,
                "`method` must be a method such as GET"
            ),
            (
                "/v1/resources?filter=status:99", 400,
                "the filter's `status:` needs a status such as 404, or a class such as 4xx"
            ),
            (
                "/v1/resources?filter=state:old", 400,
                "the filter's `state:` needs one of fresh, stale, loading, error"
            ),
        ] as [(String, Int, String)]
    )
    func questions(path: String, status: Int, sentence: String) throws {
        let answer = try TestAdmin().get(path)
        #expect(try answer.status == status && Self.detail(answer) == sentence, "\(answer.text)")
    }

    @Test(
        "content that cannot be taken is refused with the reason",
        arguments: [
            (
                "PUT", "/v1/resources?uri=http://h.example/", ["Content-Type: a/b", "Content-Type: a/b"], 400,
                "there are two Content-Type fields"
            ),
            (
                "PUT", "/v1/resources?uri=http://h.example/", ["Content-Encoding: gzip"], 415,
                "the content must not have a content coding"
            ),
            (
                "PATCH", "/v1/resources?uri=http://h.example/", ["Content-Type: a/b"], 400,
                "PATCH keeps the stored type; send no Content-Type, or use PUT"
            ),
            ("POST", "/v1/purge", [json, json], 415, "the content must be application/json"),
            ("POST", "/v1/purge", [], 415, "the content must be application/json"),
        ] as [(String, String, [String], Int, String)]
    )
    func contents(method: String, path: String, fields: [String], status: Int, sentence: String) throws {
        let admin = try TestAdmin()
        let content = Array(#"{"filter":"**"}"#.utf8)
        let answer = try admin.send(method, path, [admin.host, TestAdmin.bearer] + fields, content: content)
        #expect(try answer.status == status && Self.detail(answer) == sentence, "\(answer.text)")
    }

    @Test("a daemon that stops, or has too much to do, says so")
    func busy() throws {
        let full = try WorkerPool(count: 1, queueLimit: 0)
        defer { full.stop() }
        let admin = try TestAdmin { source, _ in
            source.workers = full
            source.isReady = { false }
        }
        let ready = try admin.get("/readyz")
        let sentence = "no further requests are accepted: the daemon is stopping"
        #expect(try ready.status == 503 && Self.detail(ready) == sentence)
        for dryRun in ["", #","dryRun":true"#] {
            let change = try admin.post("/v1/purge", "{\"filter\":\"**\"\(dryRun)}")
            #expect(try change.status == 503 && Self.detail(change) == "too many changes or listings are in progress")
        }
    }

    @Test(
        "a listing for which the workers have no room is refused, and each one after it, too",
        arguments: ["/v1/tunnels", "/v1/origins", "/v1/resources", "/v1/resources?sort=url"]
    )
    func noRoom(path: String) throws {
        let full = try WorkerPool(count: 1, queueLimit: 0)
        defer { full.stop() }
        let admin = try TestAdmin { source, _ in source.workers = full }
        for _ in 0..<2 {
            let answer = try admin.get(path)
            #expect(try answer.status == 503 && Self.detail(answer) == "too many listings are in progress")
        }
    }
}
