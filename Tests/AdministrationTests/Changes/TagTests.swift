import Administration
import HTTPCore
import JSON
import Settings
import Stores
import Testing

/// Purges by tag over the admin API (C-24.3).
struct TagTests {
    private static func tagged(_ uri: String, _ tags: String) throws -> StoredRecord {
        try .sample(uri, fields: [("Cache-Control", "max-age=60"), ("Surrogate-Key", tags)])
    }

    private static func admin() throws -> TestAdmin {
        let admin = try TestAdmin()
        for (uri, tags) in [
            ("http://h.example/1", "news front"), ("http://h.example/2", "news"), ("http://else.example/3", "sport"),
        ] {
            admin.store?.put(try tagged(uri, tags))
        }
        return admin
    }

    @Test("a purge by tag removes the responses with one of the tags, of all hosts (C-24.3)")
    func purge() throws {
        let admin = try Self.admin()
        #expect(try admin.post("/v1/purge", #"{"tags":["front","sport","none"]}"#).text == "{\"purged\":2}\n")
        #expect(admin.store?.all.map(\.uri.text) == ["http://h.example/2"])
        #expect(try admin.post("/v1/purge", #"{"tags":["sport"]}"#).text == "{\"purged\":0}\n")
    }

    @Test("a dry run tells how many resources have the tag, and removes nothing (C-24.3)")
    func dryRun() throws {
        let admin = try Self.admin()
        let answer = try admin.post("/v1/purge", #"{"tags":["news"],"dryRun":true}"#)
        let preview = try JSONReader.parse(answer.content)
        #expect(preview["resources"]?.integer == 2 && preview["dryRun"] == .boolean(true))
        let first = preview["first"]?.elements.compactMap(\.text).sorted()
        #expect(first == ["http://h.example/1", "http://h.example/2"] && admin.store?.all.count == 3)
    }

    @Test(
        "what is no list of tags gets 400, and removes nothing (C-24.3, H-146)",
        arguments: [
            #"{"tags":[]}"#, #"{"tags":"news"}"#, #"{"tags":[1]}"#, #"{"tags":[""]}"#, #"{"tags":["é"]}"#,
            #"{"tags":["a\u0000"]}"#, #"{"tags":["a\n"]}"#, #"{"tags":["news"],"uri":"http://h.example/1"}"#,
            #"{"tags":["news"],"filter":"**"}"#, #"{"tags":null}"#, #"{"tag":["news"]}"#,
            "{\"tags\":[" + Array(repeating: "\"news\"", count: 257).joined(separator: ",") + "]}",
            "{\"tags\":[\"" + String(repeating: "a", count: 1025) + "\"]}",
        ]
    )
    func invalid(json: String) throws {
        let admin = try Self.admin()
        #expect(try admin.post("/v1/purge", json).status == 400)
        #expect(admin.store?.all.count == 3)
    }

    @Test("only a purge is by tag; without the token, or from a page, nothing is (C-24.3, H-144)")
    func refused() throws {
        let admin = try Self.admin()
        for path in ["/v1/wipe", "/v1/invalidate"] {
            #expect(try admin.post(path, #"{"tags":["news"]}"#).status == 400)
        }
        let content = Array(#"{"tags":["news"]}"#.utf8)
        let json = "Content-Type: application/json"
        #expect(try admin.send("POST", "/v1/purge", [admin.host, json], content: content).status == 401)
        let page = [admin.host, json, TestAdmin.bearer, "Origin: http://evil.example"]
        #expect(try admin.send("POST", "/v1/purge", page, content: content).status == 403)
        #expect(admin.store?.all.count == 3)
    }

    @Test("a resource shows the tags of each response (C-24.3)")
    func shown() throws {
        let admin = try Self.admin()
        let resource = try admin.json("/v1/resources?uri=http://h.example/1")
        let tags = resource["variants"]?.elements.first?["tags"]?.elements.compactMap(\.text)
        #expect(tags == ["news", "front"])
        let explained = try admin.json("/v1/explain?url=http://h.example/1")
        #expect(explained["variants"]?.elements.first?["tags"]?.elements.compactMap(\.text) == ["news", "front"])
    }
}
