import Administration
import HTTPCaching
import HTTPCore
import JSON
import ResourceModel
import Settings
import Stores
import TestSupport
import Testing

/// Purging and invalidating.
struct ChangeTests {
    @Test("purge drops a URL from memory and store, and tells how much")
    func purge() throws {
        let admin = try TestAdmin()
        let held = try admin.hold("http://h.example/1")
        for uri in ["http://h.example/1", "http://h.example/1", "http://h.example/2"] {
            admin.store?.put(try .sample(uri))
        }
        let answer = try admin.post("/v1/purge", "{\"uri\":\"http://H.example:80/1\"}")
        #expect(answer.status == 200 && answer.text == "{\"purged\":2}\n")
        #expect(held.latestResponse == nil)
        #expect(admin.store?.all.map(\.uri.text) == ["http://h.example/2"])
        #expect(try admin.post("/v1/purge", "{\"uri\":\"http://h.example/1\"}").text == "{\"purged\":0}\n")
    }

    @Test("purge by pattern drops what fits, also what was never looked up")
    func purgePattern() throws {
        let admin = try TestAdmin()
        let held = try ["a/1", "b/1"].map { try admin.hold("http://h.example/\($0)") }
        for uri in ["http://h.example/a/2", "http://h.example/b/2"] { admin.store?.put(try .sample(uri)) }
        #expect(try admin.post("/v1/purge", "{\"filter\":\"http://h.example/a/**\"}").status == 200)
        #expect(held.map { $0.latestResponse == nil } == [true, false])
        #expect(admin.store?.all.map(\.uri.text) == ["http://h.example/b/2"])
    }

    @Test("purge by pattern tells how much was in memory, if that is more than in the store")
    func purgeCount() throws {
        for hasStore in [true, false] {
            let admin = try TestAdmin(hasStore: hasStore)
            let held = try ["a/1", "a/2", "a/3", "b/1"].map { try admin.hold("http://h.example/\($0)") }
            #expect(try admin.post("/v1/purge", "{\"filter\":\"http://h.example/a/**\"}").text == "{\"purged\":3}\n")
            #expect(held.map { $0.latestResponse == nil } == [true, true, true, false])
            #expect(try admin.post("/v1/purge", "{\"filter\":\"http://h.example/a/**\"}").text == "{\"purged\":0}\n")
        }
    }

    @Test("a replacement has a status, a lifetime of ten years at most and one type; only PUT and PATCH have these")
    func replacementTerms() throws {
        let admin = try TestAdmin()
        let resource = try admin.hold("http://h.example/a", "before")
        let id = try #require(try admin.json("/v1/resources?uri=http://h.example/a")["id"]?.text)
        func ask(_ method: String, _ query: String, _ fields: String...) throws -> Int {
            let content = method == "GET" ? [] : Array("after".utf8)
            return try admin.send(
                method,
                "/v1/resources/\(id)?\(query)",
                [admin.host, TestAdmin.bearer] + fields,
                content: content
            ).status
        }
        for (method, query, status) in [
            ("PUT", "status=201&ttl=5&durable=false", 200), ("PUT", "status=199", 400), ("PUT", "status=600", 400),
            ("PUT", "status=599", 200), ("PUT", "ttl=315360000", 200), ("PUT", "ttl=315360001", 400),
            ("PUT", "ttl=-1", 400),
            ("PUT", "ttl=0", 200), ("PUT", "durable=no", 400), ("PATCH", "ttl=5&durable=false", 200),
            ("PATCH", "status=201", 400),
            ("GET", "ttl=5", 400), ("GET", "status=200", 400), ("GET", "", 200),
        ] {
            #expect(try ask(method, query) == status, "\(method) \(query)")
        }
        #expect(try ask("PUT", "", "Content-Type: a/b") == 200)
        #expect(try ask("PUT", "", "Content-Type: a/b", "Content-Type: a/b") == 400)
        #expect(try ask("PUT", "", "Content-Encoding: gzip") == 415)
        #expect(try ask("PATCH", "", "Content-Type: a/b") == 400)
        withExtendedLifetime(resource) {}
    }

    @Test("purge works without a store")
    func purgeMemory() throws {
        let admin = try TestAdmin(hasStore: false)
        let held = try admin.hold("http://h.example/1")
        #expect(try admin.post("/v1/purge", "{\"uri\":\"http://h.example/1\"}").text == "{\"purged\":1}\n")
        #expect(held.latestResponse == nil)
    }

    @Test("a wipe drops what is in memory, and leaves the store alone (S-193)")
    func wipe() throws {
        let admin = try TestAdmin()
        let held = try ["http://h.example/1", "http://h.example/2", "http://i.example/"].map { try admin.hold($0) }
        for uri in ["http://h.example/1", "http://h.example/s"] { admin.store?.put(try .sample(uri)) }
        #expect(try admin.post("/v1/wipe", "{\"uri\":\"http://h.example/1\"}").text == "{\"wiped\":1}\n")
        #expect(held[0].latestResponse == nil && held[1].latestResponse != nil)
        #expect(try admin.post("/v1/wipe", "{\"filter\":\"http://h.example/**\"}").text == "{\"wiped\":1}\n")
        #expect(held.map { $0.latestResponse != nil } == [false, false, true])
        #expect(try admin.post("/v1/wipe", "{\"uri\":\"http://h.example/s\"}").text == "{\"wiped\":0}\n")
        #expect(admin.store?.all.count == 2)
    }

    @Test("invalidate marks what is held, in memory and in the store")
    func invalidate() throws {
        let admin = try TestAdmin()
        let held = try admin.hold("http://h.example/m")
        for uri in ["http://h.example/s", "http://h.example/t", "http://i.example/"] {
            admin.store?.put(try .sample(uri))
        }
        #expect(try admin.post("/v1/invalidate", "{\"uri\":\"http://h.example/s\"}").text == "{\"invalidated\":1}\n")
        #expect(admin.store?.all.map(\.isInvalidated) == [true, false, false])
        #expect(
            try admin.post("/v1/invalidate", "{\"filter\":\"http://h.example/**\"}").text == "{\"invalidated\":3}\n"
        )
        #expect(admin.store?.all.map(\.isInvalidated) == [true, true, false])
        #expect(held.snapshot.isInvalidated)
        #expect(try admin.post("/v1/invalidate", "{\"uri\":\"http://h.example/none\"}").text == "{\"invalidated\":0}\n")
    }

    @Test("content may be nested as deep as the limit says, and no deeper (H-146)")
    func depth() throws {
        let admin = try TestAdmin()
        func nested(_ depth: Int) -> String {
            "{\"uri\":" + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "}"
        }
        let (allowed, tooDeep) = (try admin.post("/v1/purge", nested(64)), try admin.post("/v1/purge", nested(65)))
        #expect(allowed.status == 400 && allowed.text.contains("$.uri"), "it is an array, which no URI is")
        #expect(tooDeep.status == 400 && !tooDeep.text.contains("$.uri"))
    }

    @Test(
        "wrong content is 400 with the path of the fault, and changes nothing (H-146)",
        arguments: [
            ("{\"uri\":5}", "$.uri"), ("{\"uri\":null}", "$.uri"), ("{\"uri\":\"/relative\"}", "$.uri"),
            ("{\"uri\":\"ftp://h.example/\"}", "$.uri"), ("{\"urx\":\"http://h.example/\"}", "$.urx"), ("{}", "$"),
            ("[]", "$"),
            ("{\"uri\":\"http://h.example/\",\"filter\":\"**\"}", "$.filter"), ("{\"filter\":\"\"}", "$.filter"),
            ("{\"filter\":\"state:fresh\"}", "$.filter"), ("{\"filter\":\"status:x\"}", "$.filter"),
            ("{\"uri\":\"http://h.example/\",\"uri\":\"http://i.example/\"}", "line 1"), ("{\"uri\":", "line 1"),
            ("", "line 1"),
            ("{\"uri\":\"http://h.example/\"} x", "line 1"), ("{\"uri\":NaN}", "line 1"),
            ("{\"uri\":\"\\ud800\"}", "line 1"),
            ("\(String(repeating: "[", count: 100_000))", ""),
        ]
    )
    func wrongContent(content: String, path: String) throws {
        let admin = try TestAdmin()
        admin.store?.put(try .sample("http://h.example/"))
        for route in ["/v1/purge", "/v1/invalidate"] {
            let answer = try admin.send(
                "POST",
                route,
                [admin.host, TestAdmin.bearer, "Content-Type: application/json"]
                    + (content.isEmpty ? ["Content-Length: 0"] : []),
                content: Array(content.utf8)
            )
            #expect(answer.status == 400, "\(answer.text)")
            #expect(try JSONReader.parse(answer.content)["path"]?.text?.hasPrefix(path) == true, "\(answer.text)")
        }
        #expect(admin.store?.all.map(\.isInvalidated) == [false])
    }

    @Test(
        "content of another type is 415 (H-145)",
        arguments: ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "application/jsonx"]
    )
    func wrongType(type: String) throws {
        let admin = try TestAdmin()
        let field = type.isEmpty ? [] : ["Content-Type: \(type)"]
        let content = Array("{\"uri\":\"http://h.example/\"}".utf8)
        let answer = try admin.send("POST", "/v1/purge", [admin.host, TestAdmin.bearer] + field, content: content)
        #expect(answer.status == 415)
    }

    @Test("content above the limit is 413, announced or not (H-146)")
    func tooLarge() throws {
        let admin = try TestAdmin { _, options in options.contentLimit = 1000 }
        let content = [UInt8](repeating: 0x20, count: 1001)
        let fields = [admin.host, TestAdmin.bearer, "Content-Type: application/json"]
        #expect(try admin.send("POST", "/v1/purge", fields, content: content).status == 413)
        let client = RawClient(port: admin.port)
        let head = ["POST /v1/purge HTTP/1.1"] + fields + ["Transfer-Encoding: chunked", "", ""]
        client.send(Array(head.joined(separator: "\r\n").utf8))
        client.send(Array("3e9\r\n".utf8) + content + Array("\r\n0\r\n\r\n".utf8))
        #expect(Answer(client.receiveAllBytes().bytes)?.status == 413)
    }

    // MARK: Local data (S-199, S-200)

    private static func patch(
        _ admin: TestAdmin,
        _ query: String,
        _ content: String,
        type: String? = nil
    ) throws -> Answer {
        let fields = [admin.host, TestAdmin.bearer] + (type.map { ["Content-Type: \($0)"] } ?? [])
        return try admin.send("PATCH", "/v1/resources?\(query)", fields, content: Array(content.utf8))
    }

    @Test(
        "PATCH replaces the content alone: status, type and other fields stay, what was about the content goes (S-200, S-249)"
    )
    func content() throws {
        let admin = try TestAdmin(hasStore: false)
        let resource = try admin.hold(
            "http://h.example/a",
            "old",
            [
                ("Content-Type", "text/x-own; charset=utf-8"), ("ETag", "\"1\""), ("Last-Modified", "yesterday"),
                ("X-Own", "stays"), ("Content-Encoding", "gzip"), ("Content-Digest", "x"), ("Set-Cookie", "a=b"),
                ("Vary", "Accept"), ("Cache-Control", "no-cache"), ("Expires", "0"),
            ]
        )
        let answer = try Self.patch(admin, "uri=http://h.example/a", "new")
        #expect(answer.status == 200, "\(answer.text)")
        let stored = try #require(resource.latestResponse)
        let names = stored.fields.lines.map { String(decoding: stored.fields.name(of: $0), as: UTF8.self).lowercased() }
        #expect(Set(names) == ["content-type", "x-own", "date"])
        #expect(stored.fields.text(of: .contentType) == "text/x-own; charset=utf-8" && stored.status == 200)
        #expect(resource.latestData?.content as? [UInt8] == Array("new".utf8) && resource.isUpToDate)
        let id = try #require(try admin.json("/v1/resources")["resources"]?.elements.first?["id"]?.text)
        let again = try admin.send(
            "PATCH",
            "/v1/resources/\(id)?ttl=5",
            [admin.host, TestAdmin.bearer],
            content: Array("newer".utf8)
        )
        #expect(again.status == 200 && resource.latestData?.content as? [UInt8] == Array("newer".utf8))
    }

    @Test(
        "PATCH keeps the fields of what only the store holds; where nothing is held the type is application/binary (S-200)"
    )
    func contentOfStored() throws {
        let admin = try TestAdmin()
        admin.store?.put(try .sample("http://h.example/a"))
        let before = try admin.json("/v1/resources?uri=http://h.example/a")["variants"]?.elements.first
        #expect(try Self.patch(admin, "uri=http://h.example/a", "new").status == 200)
        let after = try admin.json("/v1/resources?uri=http://h.example/a")["variants"]?.elements.first
        #expect(after?["size"]?.integer == 3 && after?["status"] == before?["status"] && after != nil)
        #expect(try Self.patch(admin, "uri=http://h.example/none", "new").status == 200)
        let made = admin.service.resource(for: try TargetURI(parsing: "http://h.example/none"))
        #expect(made.latestResponse?.fields.text(of: .contentType) == "application/binary")
    }

    @Test("what is for everybody is so where a rule has a field belong to the key, too (S-200)")
    func contentOfKeyed() throws {
        let admin = try TestAdmin()
        admin.service.configure(whenURLMatches: { _ in true }) {
            $0.caching.rules = [CachingRule(name: "r", keyFields: [Array("X-Kind".utf8)])]
        }
        let uri = try TargetURI(parsing: "http://h.example/a")
        let options = admin.service.configuration(for: uri).values.caching
        let common = Partition.common(options, PlainHasher())
        #expect(common != .shared)
        let fields = [("Cache-Control", "max-age=60"), ("Content-Type", "text/css")]
        admin.store?.put(try .sample("http://h.example/a", partition: common, status: 404, fields: fields))
        let listed = try admin.json("/v1/resources")["resources"]?.elements.first
        #expect(listed?["partition"]?.text == "shared")
        #expect(try Self.patch(admin, "uri=http://h.example/a", "new").status == 200)
        let held = try admin.json("/v1/resources?uri=http://h.example/a")["variants"]?.elements.first
        #expect(held?["partition"]?.text == "shared" && held?["status"]?.integer == 404)
        let stored = admin.service.resource(for: uri).latestResponse
        #expect(stored?.fields.text(of: .contentType) == "text/css")
        let live = try admin.json("/v1/resources")["resources"]?.elements.first
        #expect(live?["partition"]?.text == "shared" && live?["inMemory"] == .boolean(true))
    }

    @Test("PATCH takes no type and no status: those are of what is held")
    func contentTerms() throws {
        let admin = try TestAdmin()
        #expect(try Self.patch(admin, "uri=http://h.example/a", "new", type: "text/plain").status == 400)
        #expect(try Self.patch(admin, "uri=http://h.example/a&status=404", "new").status == 400)
        #expect(try Self.patch(admin, "filter=**", "new").status == 400)
    }
}
