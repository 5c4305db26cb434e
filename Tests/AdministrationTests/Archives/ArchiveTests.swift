import Administration
import HTTPCaching
import HTTPCore
import JSON
import Observability
import Settings
import Stores
import Testing

/// HAR files of what is stored: `/v1/resources/ID/har` and `/v1/import`.
@Suite struct ArchiveTests {
    private static let url = "http://a.example/page?x=1"

    private static func archive(
        _ admin: TestAdmin,
        _ url: String = Self.url,
        isPrivate: Bool = false
    ) throws -> (entries: [JSONValue], left: [String]) {
        let id = try #require(try admin.json("/v1/resources?uri=\(url)")["id"]?.text)
        let archive = try admin.json("/v1/resources/\(id)/har?private=\(isPrivate)")
        let left = (archive["left"]?.elements ?? []).compactMap(\.text)
        return (archive["entries"]?.elements ?? [], left)
    }

    /// An entry of a foreign tool, received 100 s before now by the clock of the tests.
    private static func entry(
        method: String = "GET",
        url: String = Self.url,
        started: String = "2023-11-14T22:11:40.500Z",
        asked: [(String, String)] = [],
        status: Int = 200,
        fields: [(String, String)] = [("Cache-Control", "max-age=600"), ("Content-Type", "text/plain")],
        content: String = #""size":5,"text":"hello""#,
        request: String = ""
    ) -> String {
        func list(_ fields: [(String, String)]) -> String {
            let lines = fields.map { name, value in
                let escaped = value.replacing("\"", with: "\\\"")
                return #"{"name":"\#(name)","value":"\#(escaped)"}"#
            }
            return lines.joined(separator: ",")
        }
        return """
            {"startedDateTime":"\(started)","timings":{"send":0,"wait":0,"receive":1},
             "request":{"method":"\(method)","url":"\(url)","headers":[\(list(asked))]\(request)},
             "response":{"status":\(status),"headers":[\(list(fields))],"content":{\(content)}}}
            """
    }

    private static func load(_ admin: TestAdmin, _ entry: String, isForeign: Bool = true) throws -> JSONValue {
        let answer = try admin.post("/v1/import", "{\"entry\":\(entry),\"isForeign\":\(isForeign)}")
        #expect(answer.status == 200, "\(answer.text)")
        return try JSONReader.parse(answer.content)
    }

    // MARK: Export

    @Test("an entry has the request, the fields, the content and the time of what is stored")
    func export() throws {
        let admin = try TestAdmin()
        try admin.store?.put(.sample(Self.url, "text", fields: [("Cache-Control", "max-age=60"), ("ETag", "\"v\"")]))
        let (entries, left) = try Self.archive(admin)
        let entry = try #require(entries.first)
        #expect(entries.count == 1 && left.isEmpty)
        #expect(entry["startedDateTime"]?.text == "2023-11-14T22:13:10Z")
        #expect(entry["request"]?["method"]?.text == "GET" && entry["request"]?["url"]?.text == Self.url)
        #expect(entry["response"]?["content"]?["text"]?.text == "text")
        let fields = entry["response"]?["headers"]?.elements ?? []
        let lines = fields.map { "\($0["name"]?.text ?? ""): \($0["value"]?.text ?? "")" }
        #expect(lines == ["Cache-Control: max-age=60", "ETag: \"v\""])
    }

    @Test("content of a file is read, and a damaged one is left out with the reason", arguments: [true, false])
    func files(isRight: Bool) throws {
        let admin = try TestAdmin()
        let file = try TestFile(Array("content of a file".utf8), damagedFrom: isRight ? .max : 0)
        try admin.store?.put(.sample(Self.url, body: .file(file)))
        let (entries, left) = try Self.archive(admin)
        #expect(entries.count == (isRight ? 1 : 0) && left == (isRight ? [] : ["its content cannot be read"]))
        if isRight { #expect(entries.first?["response"]?["content"]?["text"]?.text == "content of a file") }
    }

    @Test("private responses are left out unless they are asked for; no credential and no key of a partition is there")
    func privateEntries() throws {
        let admin = try TestAdmin()
        let key = Array("Bearer-of-alice".utf8)
        try admin.store?.put(
            .sample(
                Self.url,
                "hers",
                partition: .credential(key),
                fields: [("Cache-Control", "max-age=60"), ("Set-Cookie", "session=secret-of-alice")]
            )
        )
        let (none, left) = try Self.archive(admin)
        #expect(none.isEmpty && left == ["private, for the clients of one credential"])
        let (entries, _) = try Self.archive(admin, isPrivate: true)
        let entry = try #require(entries.first)
        #expect(entry["_respite"]?["private"] == .boolean(true))
        #expect(!"\(entry)".contains("secret-of-alice") && !"\(entry)".contains("Bearer-of-alice"))
        // It is for one client, so it is not imported.
        let id = try #require(try admin.json("/v1/resources?uri=\(Self.url)")["id"]?.text)
        let text = try admin.get("/v1/resources/\(id)/har?private=true").text
        let start = try #require(text.firstRange(of: "\"entries\":[")?.upperBound)
        let end = try #require(text.firstRange(of: "],\"left\"")?.lowerBound)
        #expect(try Self.load(admin, String(text[start..<end]), isForeign: false)["reason"]?.text == "private")
    }

    @Test("a URL or a reference with a secret is left out, and what is marked as invalid")
    func leftOut() throws {
        let admin = try TestAdmin { _, options in options.secrets = SecretParameters(["api_key"]) }
        let secret = "http://a.example/x?api_key=abcdefgh"
        try admin.store?.put(.sample(secret))
        let fields = [("Cache-Control", "max-age=60"), ("Location", "/y?api_key=abcdefgh")]
        try admin.store?.put(.sample("http://a.example/moved", status: 301, fields: fields))
        var marked = try StoredRecord.sample("http://a.example/marked")
        marked.isInvalidated = true
        admin.store?.put(marked)
        #expect(try Self.archive(admin, secret).left == ["its URL has a secret parameter"])
        let moved = try Self.archive(admin, "http://a.example/moved").left
        #expect(moved == ["it refers to a URL with a secret parameter"])
        #expect(try Self.archive(admin, "http://a.example/marked").left == ["it is marked as invalid"])
    }

    @Test("of questions nothing is exported, since the store has no content of theirs")
    func questions() throws {
        let admin = try TestAdmin()
        let uri = try TargetURI(parsing: "http://a.example/q").question(.query, [UInt8](repeating: 7, count: 32))
        var record = try StoredRecord.sample("http://a.example/q")
        record.uri = uri
        admin.store?.put(record)
        let found = try admin.json("/v1/resources")["resources"]?.elements.first
        let id = try #require(found?["id"]?.text)
        let archive = try admin.json("/v1/resources/\(id)/har")
        #expect(archive["entries"]?.elements.isEmpty == true && archive["left"]?.elements.count == 1)
    }

    // MARK: Import

    @Test("an imported response is stored for everybody, with the age that it has had since it was received")
    func stores() throws {
        let admin = try TestAdmin()
        let result = try Self.load(admin, Self.entry())
        #expect(result["stored"] == .boolean(true) && result["uri"]?.text == Self.url, "\(result)")
        let shown = try admin.json("/v1/resources?uri=\(Self.url)")["variants"]?.elements.first
        #expect(shown?["partition"]?.text == "shared" && shown?["status"]?.integer == 200)
        #expect(shown?["ageSeconds"]?.integer == 100 && shown?["ttlSeconds"]?.integer == 500)
        #expect(admin.store?.all.count == 1)
    }

    @Test("an export is imported again as it was: content that is no text, Vary and age, too")
    func roundTrip() throws {
        let fields = [("Cache-Control", "max-age=60"), ("Content-Type", "image/png"), ("Age", "5")]
        let admin = try TestAdmin()
        try admin.store?.put(.sample(Self.url, "\u{0}\u{1}binary", fields: fields))
        let id = try #require(try admin.json("/v1/resources?uri=\(Self.url)")["id"]?.text)
        let text = try admin.get("/v1/resources/\(id)/har").text
        let start = try #require(text.firstRange(of: "\"entries\":[")?.upperBound)
        let end = try #require(text.firstRange(of: "],\"left\"")?.lowerBound)
        let other = try TestAdmin()
        let result = try Self.load(other, String(text[start..<end]), isForeign: false)
        #expect(result["stored"] == .boolean(true), "\(result)")
        let record = try #require(other.store?.all.first)
        guard case .bytes(let content) = record.body else { throw Unexpected() }
        #expect(content == Array("\u{0}\u{1}binary".utf8))
        let shown = try other.json("/v1/resources?uri=\(Self.url)")["variants"]?.elements.first
        #expect(shown?["ageSeconds"]?.integer == 15)
    }

    private struct Unexpected: Error {}

    /// Entries that are refused, with the word for the reason.
    private static let refusals: [(String, String)] = [
        (entry(method: "POST"), "method"), (entry(method: "QUERY"), "method"),
        (entry(url: "ftp://a.example/"), "entry"), (entry(url: "data:text/plain,x"), "entry"),
        (entry(url: "http://"), "url"), (entry(started: "yesterday"), "time"),
        (entry(fields: [("Cache-Control", "no-store")]), "no-store"),
        (entry(fields: [("Cache-Control", "private, max-age=60")]), "private"),
        (entry(fields: [("Cache-Control", "max-age=60"), ("Vary", "*")]), "vary-any"),
        (entry(fields: [("Content-Type", "text/plain")]), "no-lifetime-no-validator"),
        (entry(asked: [("Authorization", "Bearer x")]), "authorization"),
        (entry(asked: [("X-Api-Key", "x")]), "authorization"),
        (entry(asked: [("Cookie", "a=b")], fields: [("ETag", "\"v\"")]), "cookie"),
        (entry(fields: [("ETag", "\"v\"")], request: #","cookies":[{"name":"a","value":"b"}]"#), "cookie"),
        (entry(status: 206), "partial-content"), (entry(status: 304), "status-for-one-request"),
        (entry(status: 0), "entry"), (entry(content: #""size":5"#), "entry"),
        (entry(content: #""size":5,"text":"%%","encoding":"base64""#), "entry"),
        (entry(fields: [("Bad Name", "x")]), "entry"), (entry(fields: [("X", #"a\r\nY: b"#)]), "entry"),
    ]

    @Test("what a shared cache may not store for all is refused, and nothing is stored", arguments: refusals)
    func refused(entry: String, word: String) throws {
        let admin = try TestAdmin()
        let result = try Self.load(admin, entry)
        #expect(result["stored"] == .boolean(false) && result["reason"]?.text == word, "\(result)")
        #expect(result["detail"]?.text?.isEmpty == false)
        #expect(admin.store?.all.isEmpty == true)
    }

    @Test("a response to a credential that its origin shares is imported, without the credential")
    func shared() throws {
        let admin = try TestAdmin()
        let entry = Self.entry(
            asked: [("Authorization", "Bearer planted-secret")],
            fields: [("Cache-Control", "public, max-age=600"), ("Vary", "Accept-Language")]
        )
        #expect(try Self.load(admin, entry)["stored"] == .boolean(true))
        let record = try #require(admin.store?.all.first)
        #expect(record.partition == .shared && record.requestFields.lines.isEmpty)
        let shown = try admin.get("/v1/resources?uri=\(Self.url)").text
        #expect(!shown.contains("planted-secret"))
    }

    @Test("of a foreign tool the content has no coding: the fields say so, and a strong tag becomes a weak one")
    func decoded() throws {
        let admin = try TestAdmin()
        let fields = [
            ("Cache-Control", "max-age=600"), ("Content-Encoding", "gzip"), ("Content-Length", "3"), ("ETag", "\"v\""),
        ]
        #expect(try Self.load(admin, Self.entry(fields: fields))["stored"] == .boolean(true))
        let stored = try #require(admin.store?.all.first).fields
        #expect(!stored.contains(.contentEncoding) && stored.text(of: .etag) == "W/\"v\"")
    }

    @Test("an older response does not replace a newer one; of two variants each is judged by itself")
    func newer() throws {
        let admin = try TestAdmin()
        let fields = [("Cache-Control", "max-age=600"), ("Vary", "Accept-Language")]
        let german = Self.entry(asked: [("Accept-Language", "de")], fields: fields)
        let later = "2023-11-14T23:12:30+01:00"
        let newer = Self.entry(started: later, asked: [("Accept-Language", "de")], fields: fields)
        // The same may be imported again.
        for _ in 0..<2 { #expect(try Self.load(admin, newer)["stored"] == .boolean(true)) }
        #expect(try Self.load(admin, german)["reason"]?.text == "newer-stored")
        let english = Self.entry(asked: [("Accept-Language", "en")], fields: fields)
        #expect(try Self.load(admin, english)["stored"] == .boolean(true))
    }

    @Test("ages are whole seconds: a second of difference is no newer response, two are")
    func rounding() throws {
        let admin = try TestAdmin()
        let times = ["2023-11-14T22:12:30Z", "2023-11-14T22:12:29Z", "2023-11-14T22:12:27Z"]
        let results = try times.map { try Self.load(admin, Self.entry(started: $0)) }
        #expect(results.map { $0["stored"] } == [.boolean(true), .boolean(true), .boolean(false)], "\(results)")
        #expect(results.last?["reason"]?.text == "newer-stored")
    }

    @Test("what is no entry is refused as a whole; larger content than may replace a response is, too")
    func faults() throws {
        let admin = try TestAdmin { _, options in
            options.overrideLimit = 1000
            options.contentLimit = 1000
        }
        for json in ["{}", "[]", "{\"entry\":{},\"more\":1}", "{\"entry\":{}"] {
            #expect(try admin.post("/v1/import", json).status == 400, "\(json)")
        }
        #expect(try Self.load(admin, "{}")["reason"]?.text == "entry")
        let large = String(repeating: "x", count: 3000)
        let entry = Self.entry(content: "\"size\":3000,\"text\":\"\(large)\"")
        #expect(try admin.post("/v1/import", "{\"entry\":\(entry)}").status == 413)
        #expect(admin.store?.all.isEmpty == true)
    }

    // MARK: Rights

    @Test("without the admin token, with the read token or from a page of another site nothing is told and stored")
    func rights() throws {
        let admin = try TestAdmin { _, options in options.readToken = Array("a-token-for-readers".utf8) }
        try admin.store?.put(.sample(Self.url, "told-to-nobody"))
        let id = try #require(try admin.json("/v1/resources?uri=\(Self.url)")["id"]?.text)
        let json = Array("{\"entry\":\(Self.entry(url: "http://b.example/"))}".utf8)
        let type = "Content-Type: application/json"
        let attempts: [([String], Int)] = [
            ([admin.host], 401), ([admin.host, "Authorization: Bearer wrong"], 401),
            ([admin.host, "Authorization: Bearer a-token-for-readers"], 403),
            (["Host: attacker.example", TestAdmin.bearer], 421),
            ([admin.host, TestAdmin.bearer, "Origin: http://attacker.example"], 403),
            ([admin.host, TestAdmin.bearer, "Sec-Fetch-Site: cross-site"], 403),
        ]
        for (fields, status) in attempts {
            let read = try admin.send("GET", "/v1/resources/\(id)/har", fields)
            #expect(read.status == status && !read.text.contains("told-to-nobody"), "\(fields)")
            #expect(try admin.send("POST", "/v1/import", fields + [type], content: json).status == status, "\(fields)")
        }
        #expect(admin.store?.all.count == 1)
    }
}
