import Administration
import Exchanges
import HTTPCaching
import HTTPCore
import JSON
import ResourceCore
import Stores
import Testing
import Transforms

/// What lists say of resources that load, have failed, or are held in part.
@Suite struct StandingTests {
    /// A resource that loads (x), one that is fresh (y) and one whose load has failed (z), all in memory; a stale one
    /// (w) in the store.
    private static func filled() throws -> (admin: TestAdmin, held: [Resource]) {
        let admin = try TestAdmin()
        admin.service.defaultProvider = PromptProvider { request in
            request.uri.path == Array("/x".utf8) ? .silence : .failure(.connectionRefused)
        }
        admin.store?.put(try .sample("http://h.example/w", age: 100))
        let held = try ["x", "z"].map { admin.service.resource(for: try TargetURI(parsing: "http://h.example/\($0)")) }
        held[0].refresh { _ in }
        #expect(try admin.post("/v1/refresh", #"{"uri":"http://h.example/z"}"#).status == 502)
        return (admin, [try admin.hold("http://h.example/y", "four")] + held)
    }

    private static func uris(_ page: JSONValue) -> [String] {
        page["resources"]?.elements.compactMap { $0["uri"]?.text } ?? []
    }

    @Test("by state a failure comes first, then what is fresh, what loads, and what is stale")
    func order() throws {
        let (admin, held) = try Self.filled()
        let expected = ["z", "y", "x", "w"].map { "http://h.example/\($0)" }
        #expect(try Self.uris(admin.json("/v1/resources?sort=state")) == expected)
        #expect(try Self.uris(admin.json("/v1/resources?sort=state&reverse=true")) == expected.reversed())
        withExtendedLifetime(held) {}
    }

    @Test(
        "a filter by state selects what stands so",
        arguments: [("error", ["z"]), ("fresh", ["y"]), ("loading", ["x"]), ("stale", ["w"])]
    )
    func states(state: String, names: [String]) throws {
        let (admin, held) = try Self.filled()
        let found = try Self.uris(admin.json("/v1/resources?filter=state:\(state)"))
        #expect(found == names.map { "http://h.example/\($0)" })
        withExtendedLifetime(held) {}
    }

    @Test("a resource has the members that are known of it, and no other")
    func lines() throws {
        let (admin, held) = try Self.filled()
        let lines = try admin.json("/v1/resources")["resources"]?.elements ?? []
        let byURI = Dictionary(uniqueKeysWithValues: lines.compactMap { line in line["uri"]?.text.map { ($0, line) } })
        #expect(
            byURI["http://h.example/x"]?.names == [
                "id", "uri", "state", "variants", "hits", "inMemory", "isLoading", "progress",
            ]
                || byURI["http://h.example/x"]?.names == [
                    "id", "uri", "state", "variants", "hits", "inMemory", "isLoading",
                ]
        )
        #expect(
            byURI["http://h.example/x"]?["state"]?.text == "loading"
                && byURI["http://h.example/x"]?["isLoading"] == .boolean(true)
        )
        #expect(
            byURI["http://h.example/z"]?.names == [
                "id", "uri", "state", "variants", "hits", "inMemory", "isLoading", "error",
            ]
        )
        #expect(byURI["http://h.example/z"]?["error"]?["type"]?.text == "connection_refused")
        #expect(byURI["http://h.example/z"]?["error"]?["status"]?.integer == 502)
        let fresh = byURI["http://h.example/y"]
        #expect(fresh?["variants"]?.integer == 1 && fresh?["hits"]?.integer == 0)
        #expect(
            byURI["http://h.example/w"]?["variants"] == nil
                && byURI["http://h.example/w"]?["inMemory"] == .boolean(false)
        )
        withExtendedLifetime(held) {}
    }

    @Test("the last page of an order has no next one, also where it is full")
    func lastPage() throws {
        let admin = try TestAdmin()
        for name in ["a", "b"] { admin.store?.put(try .sample("http://h.example/\(name)")) }
        #expect(try admin.json("/v1/resources?sort=url&limit=2")["next"] == nil)
        #expect(try admin.json("/v1/resources?sort=url&limit=1")["next"]?.text == "url..aHR0cDovL2guZXhhbXBsZS9h")
        #expect(try admin.json("/v1/resources?sort=url&limit=3")["next"] == nil)
    }

    /// A part of a response, with a credential of its client in it.
    private static func part() throws -> StoredRecord {
        let fields = [
            ("Cache-Control", "max-age=60"), ("Surrogate-Key", "news"), ("Set-Cookie", "a=secret"),
            ("Content-Type", "text/plain"),
        ]
        var record = try StoredRecord.sample("http://h.example/a", fields: fields)
        record.extent = ContentExtent(5..<12, total: 20)
        return record
    }

    @Test("a stored part is told with its place, its times, its renditions and its fields, and without secrets")
    func variant() throws {
        let admin = try TestAdmin()
        admin.store?.put(try Self.part())
        var fields = Fields()
        fields.append(.contentType, "text/css")
        fields.append(.contentEncoding, "br")
        let names = [RenditionName(pipeline: "p", variation: "v"), RenditionName(pipeline: "q", variation: "")]
        let renditions = zip(names, [fields, Fields()]).map { name, fields in
            StoredRenditionSummary(
                partition: .shared,
                selection: [],
                name: name,
                fields: fields,
                count: 3,
                madeAt: HTTPDate(seconds: 1_700_000_000)
            )
        }
        var foreign = renditions[0]
        foreign.partition = .credential([1])
        let all = renditions + [foreign]
        admin.store?.renditions.withLock { $0 = all }
        let made = #""size":3,"stored":"Tue, 14 Nov 2023 22:13:20 GMT"}"#
        let list =
            #"[{"pipeline":"p","variation":"v","contentType":"text/css","contentEncoding":"br",\#(made),"#
            + #"{"pipeline":"q",\#(made)]"#
        #expect(
            try admin.get("/v1/resources?uri=http://h.example/a").text == """
                {"id":"aHR0cDovL2guZXhhbXBsZS9h","uri":"http://h.example/a","isLoading":false,"variants":[{"number":0,"state":"fresh",\
                "status":200,"partition":"shared","vary":[],"selecting":[],"size":7,"extents":[{"first":5,"last":11}],\
                "total":20,"ageSeconds":10,"lifetimeSeconds":60,"lifetimeSource":"max-age","ttlSeconds":50,\
                "isInvalidated":false,"stored":"Tue, 14 Nov 2023 22:13:10 GMT","in":"store",\
                "renditions":\(list),"forms":\(list),"tags":["news"],"fields":[["Cache-Control","max-age=60"],\
                ["Surrogate-Key","news"],["Set-Cookie","…"],["Content-Type","text/plain"]]}]}

                """
        )
    }

    @Test("the content of a stored part is 206 with its place")
    func content() throws {
        let admin = try TestAdmin()
        admin.store?.put(try Self.part())
        let answer = try admin.get("/v1/resources/aHR0cDovL2guZXhhbXBsZS9h/body")
        #expect(answer.status == 206 && answer["Content-Range"] == "bytes 5-11/20" && answer.text == "content")
        #expect(answer["Content-Length"] == "7" && answer["Content-Type"] == "text/plain")
    }

    @Test("of variants of one kind the newest comes first, and those for all before those of one credential")
    func newest() throws {
        let admin = try TestAdmin()
        for (selection, age, partition) in [
            ([1], 30, .shared), ([2], 10, .shared), ([3], 20, .shared), ([4], 5, .credential([9])),
            ([5], 1, .credential([9])),
        ] as [([UInt8], Int64, Partition)] {
            var record = try StoredRecord.sample("http://h.example/a", partition: partition, age: age)
            record.selection = selection
            admin.store?.put(record)
        }
        let variants = try admin.json("/v1/resources?uri=http://h.example/a")["variants"]?.elements ?? []
        #expect(variants.map { $0["ageSeconds"]?.integer } == [10, 20, 30, 1, 5])
        #expect(variants.map { $0["number"]?.integer } == [0, 1, 2, 3, 4])
    }

    @Test("no field that gives access to something is told with its value (H-158)")
    func secretFields() throws {
        let admin = try TestAdmin()
        let names = ["Set-Cookie", "Cookie", "Authorization", "Proxy-Authorization", "Proxy-Authentication-Info"]
        let fields = names.map { ($0, "secret") } + [("X-Own", "told")]
        try admin.store?.put(.sample("http://h.example/a", fields: fields))
        let shown = try admin.json("/v1/resources?uri=http://h.example/a")["variants"]?.elements.first
        let told = shown?["fields"]?.elements.map { $0.elements.compactMap(\.text) }
        #expect(told == names.map { [$0, "…"] } + [["X-Own", "told"]])
    }

    /// The key by which a variant is selected: for each field its name, a mark, and a value.
    private static func selection(_ parts: [(name: String, mark: UInt8, value: String?)]) -> [UInt8] {
        var key: [UInt8] = []
        for (name, mark, value) in parts {
            key.appendWithLength(Array(name.utf8))
            key.append(mark)
            if let value { key.appendWithLength(Array(value.utf8)) }
        }
        return key
    }

    @Test("the fields that select a response are told; of a credential there is the name alone, and no archive (H-158)")
    func selecting() throws {
        let admin = try TestAdmin()
        var record = try StoredRecord.sample("http://h.example/a")
        record.selection = Self.selection([
            ("accept", 0, nil), ("accept-language", 1, "de"), ("x-plan", 2, "hash"), ("authorization", 1, "secret"),
        ])
        admin.store?.put(record)
        let text = try admin.get("/v1/resources?uri=http://h.example/a").text
        let told = #"[["accept",null],["accept-language","de"],["x-plan","…"],["authorization","…"]]"#
        #expect(text.contains("\"selecting\":\(told)"), "\(text)")
        let id = try #require(try admin.json("/v1/resources")["resources"]?.elements.first?["id"]?.text)
        let archive = try admin.json("/v1/resources/\(id)/har")
        #expect(archive["left"]?.elements.compactMap(\.text) == ["a credential selects it"])
    }
}
