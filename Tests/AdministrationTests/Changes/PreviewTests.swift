import Administration
import HTTPCore
import JSON
import ResourceCore
import Settings
import Testing

/// `"dryRun": true` of `/v1/purge`, `/v1/wipe` and `/v1/invalidate`.
struct PreviewTests {
    private static func preview(_ admin: TestAdmin, _ path: String, _ json: String) throws -> JSONValue {
        let answer = try admin.post(path, json)
        try #require(answer.status == 200, "\(answer.text)")
        return try JSONReader.parse(answer.content)
    }

    private static func first(_ preview: JSONValue) -> [String] { preview["first"]?.elements.compactMap(\.text) ?? [] }

    @Test("a dry run counts resources of memory and store, each once, and changes nothing")
    func many() throws {
        let admin = try TestAdmin()
        let held = try ["http://h.example/a", "http://h.example/b", "http://else.example/"].map { try admin.hold($0) }
        for uri in ["http://h.example/b", "http://h.example/c"] { admin.store?.put(try .sample(uri)) }
        admin.store?.put(try .sample("http://h.example/c", partition: .credential([9])))
        for (path, count, uris) in [
            ("/v1/purge", 3, ["http://h.example/a", "http://h.example/b", "http://h.example/c"]),
            ("/v1/invalidate", 3, ["http://h.example/a", "http://h.example/b", "http://h.example/c"]),
            ("/v1/wipe", 2, ["http://h.example/a", "http://h.example/b"]),
        ] {
            let preview = try Self.preview(admin, path, #"{"filter":"http://h.example/**","dryRun":true}"#)
            #expect(preview["dryRun"] == .boolean(true) && preview["resources"]?.integer == Int64(count), "\(path)")
            #expect(Self.first(preview).sorted() == uris, "\(path)")
        }
        #expect(held.allSatisfy { $0.latestResponse != nil && !$0.snapshot.variants.contains(where: \.isInvalidated) })
        #expect(admin.store?.all.count == 3 && admin.store?.all.contains(where: \.isInvalidated) == false)
    }

    @Test(
        "of one resource it says whether anything is there",
        arguments: [
            ("/v1/purge", "http://h.example/a", 1), ("/v1/purge", "http://h.example/c", 1),
            ("/v1/purge", "http://h.example/none", 0),
            ("/v1/wipe", "http://h.example/a", 1), ("/v1/wipe", "http://h.example/c", 0),
            ("/v1/invalidate", "http://h.example/c", 1),
        ] as [(String, String, Int64)]
    )
    func one(path: String, uri: String, count: Int64) throws {
        let admin = try TestAdmin()
        let held = try admin.hold("http://h.example/a")
        admin.store?.put(try .sample("http://h.example/c"))
        let preview = try Self.preview(admin, path, #"{"dryRun":true,"uri":"\#(uri)"}"#)
        #expect(preview["resources"]?.integer == count && Self.first(preview) == (count == 1 ? [uri] : []))
        #expect(held.latestResponse != nil && admin.store?.all.count == 1)
    }

    @Test("it names 20 at most, and false is no dry run")
    func limits() throws {
        let admin = try TestAdmin()
        for number in 0..<25 { admin.store?.put(try .sample("http://h.example/\(number)")) }
        let preview = try Self.preview(admin, "/v1/purge", #"{"filter":"**","dryRun":true}"#)
        #expect(preview["resources"]?.integer == 25 && Self.first(preview).count == 20)
        #expect(try admin.post("/v1/purge", #"{"filter":"**","dryRun":1}"#).status == 400)
        let purged = try Self.preview(admin, "/v1/purge", #"{"filter":"**","dryRun":false}"#)
        #expect(purged["purged"]?.integer == 25 && admin.store?.all.isEmpty == true)
    }
}
