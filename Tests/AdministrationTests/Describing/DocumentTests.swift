import Administration
import HTTPCore
import JSON
import Outcomes
import Platform
import ResourceCore
import Settings
import Testing

/// What the API answers is what `/v1/openapi.json` says.
@Suite struct DocumentTests {
    private static let filled = Result { try FilledAdmin() }

    private static func document() throws -> JSONValue { try filled.get().admin.json("/v1/openapi.json") }

    /// Checks an answer of a path of the document by its status, type and schema.
    private static func check(
        _ answer: Answer,
        _ method: String,
        _ path: String,
        with check: inout SchemaCheck
    ) throws {
        let line = "\(method) \(path): \(answer.status) \(answer.text.prefix(300))"
        let operation = try #require(check.document["paths"]?[path]?[method.lowercased()], "\(line)")
        let response = try #require(operation["responses"]?["\(answer.status)"], "\(line)")
        let type = String(answer["Content-Type"]?.split(separator: ";").first ?? "")
        let contents = response["content"]
        let content = try #require(contents?[type] ?? contents?["*/*"], "\(line): \(type)")
        guard type.hasSuffix("json"), let schema = content["schema"] else { return }
        let before = check.faults.count
        check.check(try JSONReader.parse(answer.content), schema)
        #expect(check.faults.count == before, "\(line): \(check.faults.dropFirst(before))")
    }

    // MARK: The document

    @Test("the document and the index have every route, each operation under a name of its own")
    func complete() throws {
        let document = try Self.document()
        #expect(document["openapi"]?.text == "3.1.0" && document["info"]?["version"]?.text == "1.2.3")
        var lines: [String] = []
        var names: [String] = []
        for path in document["paths"]?.members ?? [] {
            for operation in path.value.members {
                lines.append("\(operation.name.uppercased()) \(path.name)")
                names.append(operation.value["operationId"]?.text ?? "")
                let variables = path.name.matches(of: #/\{(\w+)\}/#).map { String($0.output.1) }
                let described = (operation.value["parameters"]?.elements ?? []).filter { $0["in"]?.text == "path" }
                #expect(described.compactMap { $0["name"]?.text } == variables, "\(path.name)")
                #expect(operation.value["summary"]?.text?.hasSuffix(".") ?? false, "\(path.name)")
            }
        }
        #expect(Set(names).count == names.count && !names.contains(""))
        let index = try Self.filled.get().admin.json("/v1")
        let listed = (index["routes"]?.elements ?? []).map { "\($0["method"]?.text ?? "") \($0["path"]?.text ?? "")" }
        #expect(listed == lines && lines.count > 30)
        #expect(index["document"]?.text == "/v1/openapi.json" && index["version"]?.text == "1.2.3")
    }

    @Test("every reference leads to a schema, and every schema is referred to")
    func references() throws {
        let filled = try Self.filled.get()
        let text = try filled.admin.get("/v1/openapi.json").text
        let targets = Set(text.matches(of: #/"#\/components\/schemas\/(\w+)"/#).map { String($0.output.1) })
        let document = try Self.document()
        #expect(targets == Set(document["components"]?["schemas"]?.names ?? []) && targets.count > 30)
    }

    @Test("a JSON content is required, and names its members; other content may be empty")
    func contents() throws {
        var counts = [0, 0]
        for path in try Self.document()["paths"]?.members ?? [] {
            for operation in path.value.members {
                guard let content = operation.value["requestBody"] else { continue }
                let isJSON = content["content"]?.names == ["application/json"]
                counts[isJSON ? 0 : 1] += 1
                #expect((content["required"] == .boolean(true)) == isJSON, "\(path.name)")
                let isDescribed = content["content"]?["application/json"]?["schema"]?["$ref"] != nil
                #expect(isDescribed == isJSON && (content["description"] != nil) != isJSON, "\(path.name)")
            }
        }
        #expect(counts == [8, 4])
    }

    @Test("the cookie in the document is that of the port which the client uses")
    func cookie() throws {
        let port = try Self.filled.get().admin.port
        let schemes = try Self.document()["components"]?["securitySchemes"]
        #expect(schemes?["sessionCookie"]?["name"]?.text == "respite-\(port)")
    }

    // MARK: Answers

    @Test("answers have the status, the type and the members of the document, and in all every member it names")
    func answers() throws {
        let filled = try FilledAdmin()
        let admin = filled.admin
        let (held, stored) = try (filled.id(FilledAdmin.held), filled.id(FilledAdmin.stored))
        var check = SchemaCheck(try admin.json("/v1/openapi.json"))
        for (path, target) in [
            ("/v1", ""), ("/v1/openapi.json", ""), ("/healthz", ""), ("/readyz", ""), ("/metrics", ""),
            ("/v1/status", ""), ("/v1/history", ""), ("/v1/tunnels", ""), ("/v1/origins", ""), ("/v1/services", ""),
            ("/v1/config", ""), ("/v1/log", ""), ("/v1/log/lines", ""), ("/v1/log/lines", "?level=x"),
            ("/v1/resources", "?sort=size&limit=1"), ("/v1/resources", "?sort=x"), ("/v1/requests.har", ""),
            ("/v1/mode", ""), ("/v1/resources", ""), ("/v1/resources", "?limit=1"),
            ("/v1/resources", "?uri=\(FilledAdmin.held)"), ("/v1/resources", "?uri=http://h.example/none"),
            ("/v1/resources/{id}", held), ("/v1/resources/{id}", stored), ("/v1/resources/{id}/body", "\(held)/body"),
            ("/v1/resources/{id}/body", "\(held)/body?variant=7"), ("/v1/resources/{id}/har", "\(stored)/har"),
            ("/v1/explain", "?url=\(FilledAdmin.held)&header=Accept:%20a"),
            ("/v1/explain", "?url=https://h.example/none"), ("/v1/requests", "?limit=1"), ("/v1/requests/{id}", "1"),
            ("/v1/requests/{id}", "zzz"), ("/v1/sessions", ""), ("/", ""), ("/login", ""), ("/assets/{name}", "app.js"),
            ("/v1/resources", "?limit=0"), ("/v1/tunnels", "?limit=x"),
        ] {
            let actual = path.contains("{") ? path.prefix { $0 != "{" } + target : path + target
            try Self.check(admin.get(String(actual)), "GET", path, with: &check)
        }
        for (method, path, query, content) in [
            ("PUT", "/v1/resources", "?uri=http://h.example/put", "text"),
            ("PATCH", "/v1/resources", "?uri=http://h.example/put", "x"),
            ("PUT", "/v1/log", "", #"{"enabled":["common"]}"#), ("PUT", "/v1/mode", "", #"{"mode":"auto"}"#),
            ("PUT", "/v1/mode", "", #"{"mode":"auto","service":"none-such"}"#),
            ("POST", "/v1/purge", "", #"{"filter":"**","dryRun":true}"#),
            ("POST", "/v1/invalidate", "", #"{"uri":"http://h.example/stored","dryRun":true}"#),
            ("POST", "/v1/refresh", "", #"{"uri":"http://h.example/x","dryRun":true}"#),
            ("POST", "/v1/wipe", "", #"{"uri":"http://h.example/put"}"#),
            ("POST", "/v1/wipe", "", #"{"filter":"state:error"}"#),
            ("POST", "/v1/invalidate", "", #"{"uri":"http://h.example/stored"}"#),
            ("POST", "/v1/refresh", "", #"{"uri":"http://h.example/x"}"#),
            ("POST", "/v1/refresh", "", #"{"uri":"http://h.example/x","ifOlderThan":60}"#),
            ("POST", "/v1/refresh", "", #"{"filter":"x"}"#),
            ("POST", "/v1/purge", "", #"{"filter":"**"}"#), ("POST", "/v1/purge", "", "{"),
            ("POST", "/v1/import", "", #"{"entry":{}}"#), ("POST", "/v1/import", "", Self.importedEntry),
            ("POST", "/v1/reload", "", ""), ("POST", "/v1/sessions", "", ""), ("POST", "/logout", "", ""),
            ("POST", "/login", "", #"{"token":"wrong"}"#),
        ] {
            let type = method == "PATCH" || content.isEmpty ? [] : ["Content-Type: application/json"]
            let fields = [admin.host, TestAdmin.bearer, TestBrowser.ownPage] + type
            let answer = try admin.send(method, path + query, fields, content: Array(content.utf8))
            try Self.check(answer, method, path, with: &check)
        }
        var browser = TestBrowser(admin)
        try Self.check(browser.logIn(), "POST", "/login", with: &check)
        try Self.check(browser.get("/v1/sessions"), "GET", "/v1/sessions", with: &check)
        Self.expectAllSeen(check)
    }

    private static let importedEntry = #"""
        {"entry":{"startedDateTime":"2023-11-14T22:13:20Z","request":{"method":"GET","url":"http://h.example/import"},
        "response":{"status":200,"headers":[{"name":"ETag","value":"x"},{"name":"Cache-Control","value":"max-age=9"}],
        "content":{"size":1,"text":"x"}}}}
        """#

    /// Every member that schemas of answers describe has occurred, except those that need a daemon with a network.
    private static func expectAllSeen(_ check: SchemaCheck) {
        var described: Set<String> = []
        for path in check.document["paths"]?.members ?? [] {
            for operation in path.value.members {
                let schema = operation.value["responses"]?["200"]?["content"]?["application/json"]?["schema"]
                if let schema { described.formUnion(check.described(schema)) }
            }
        }
        let missing = described.subtracting(check.seen).filter { name in
            !elsewhere.contains { name.hasPrefix($0) }
        }
        #expect(missing.isEmpty, "\(missing.sorted())")
        #expect(described.count > 200)
    }

    /// Members that other tests see: loads, failures, parts, renditions, outages.
    private static let elsewhere: Set<String> = [
        "ListedResource.progress", "ListedResource.error", "ListedResource.extents", "ListedResource.total",
        "Resource.progress", "Resource.error", "ResourceError.", "Variant.extents", "Variant.total",
        "Variant.lifetimeRule", "Rendition.", "Outage.", "Names.servers.", "Refreshed.", "EffectiveSettings.",
        "Explanation.service", "Explanation.partitions", "OriginList.origins.pause", "OriginList.origins.quotaIsScarce",
        "Traffic.savedMilliseconds", "SharedTier.", "Status.shared",
    ]

    // MARK: Refusals

    @Test("whatever is wrong, the answer is one of the document's problems")
    func problems() throws {
        let filled = try FilledAdmin { source, options in
            guard let workers = try? WorkerPool(count: 1) else { return }
            workers.stop()
            source.workers = workers
            options.contentLimit = 40
            options.overrideLimit = 4
        }
        let admin = filled.admin
        var check = SchemaCheck(try admin.json("/v1/openapi.json"))
        let (json, text) = ("Content-Type: application/json", "Content-Type: text/plain")
        let long = #"{"uri":"http://h.example/0123456789012345678901234567890123456789"}"#
        for (status, method, path, fields, content) in [
            (401, "GET", "/v1/status", [admin.host], ""), (421, "GET", "/v1/status", ["Host: else"], ""),
            (403, "GET", "/v1/status", [admin.host, TestAdmin.bearer, "Origin: http://else.example"], ""),
            (403, "PUT", "/v1/mode", [admin.host, "Authorization: Bearer \(FilledAdmin.readToken)", json], "{}"),
            (400, "POST", "/v1/purge", [admin.host, TestAdmin.bearer, json], "{}"),
            (413, "POST", "/v1/purge", [admin.host, TestAdmin.bearer, json], long),
            (415, "POST", "/v1/purge", [admin.host, TestAdmin.bearer, text], "{}"),
            (415, "POST", "/login", [admin.host, TestBrowser.ownPage], "{}"),
            (503, "POST", "/v1/purge", [admin.host, TestAdmin.bearer, json], #"{"filter":"**"}"#),
            (503, "GET", "/v1/origins", [admin.host, TestAdmin.bearer], ""),
            (503, "GET", "/v1/tunnels", [admin.host, TestAdmin.bearer], ""),
            (503, "GET", "/v1/resources", [admin.host, TestAdmin.bearer], ""),
            (431, "GET", "/v1/status", [admin.host, "X: \(String(repeating: "x", count: 300_000))"], ""),
        ] {
            let answer = try admin.send(method, path, fields, content: Array(content.utf8))
            #expect(answer.status == status, "\(method) \(path): \(answer.status)")
            #expect(answer["Content-Type"] == "application/problem+json", "\(method) \(path)")
            try Self.check(answer, method, path, with: &check)
        }
        let target = "/v1/resources?uri=http://h.example/\(String(repeating: "x", count: 300_000))"
        try Self.check(admin.get(target), "GET", "/v1/resources", with: &check)
        for path in ["/v1/resources?uri=http://h.example/put", "/v1/resources?uri=http://h.example/put&durable=1"] {
            let answer = try admin.send("PUT", path, [admin.host, TestAdmin.bearer], content: Array("12345".utf8))
            #expect(answer.status == (path.hasSuffix("=1") ? 400 : 413))
            try Self.check(answer, "PUT", "/v1/resources", with: &check)
        }
        let visit = [admin.host] + TestBrowser.visit
        try Self.check(admin.send("GET", "/v1/status", visit), "GET", "/v1/status", with: &check)
    }
}

/// The comparison of the tests itself.
@Suite struct SchemaCheckTests {
    @Test(
        "a value that does not fit its schema is found",
        arguments: [
            (#"{"type":"string"}"#, "1"), (#"{"type":"string","enum":["a"]}"#, #""b""#),
            (#"{"type":"integer"}"#, "1.5"), (#"{"type":"integer","minimum":0}"#, "-1"),
            (#"{"type":"number","maximum":1}"#, "1.5"), (#"{"type":"boolean"}"#, "null"),
            (#"{"type":"array","items":{"type":"string"}}"#, "[1]"),
            (#"{"type":"array","items":{},"minItems":2}"#, "[1]"), (#"{"type":"array"}"#, "[]"),
            (#"{"type":"object","properties":{}}"#, #"{"a":1}"#),
            (#"{"type":"object","properties":{"a":{}},"required":["a"]}"#, "{}"),
            (#"{"oneOf":[{},{}]}"#, "1"), (#"{"anyOf":[{"type":"null"},{"type":"string"}]}"#, "1"),
            (##"{"$ref":"#/components/schemas/None"}"##, "1"), (#"{"pattern":"a"}"#, "1"),
        ]
    )
    func faults(schema: String, value: String) throws {
        var check = SchemaCheck(.object([]))
        check.check(try JSONReader.parse(Array(value.utf8)), try JSONReader.parse(Array(schema.utf8)))
        #expect(check.faults.count == 1, "\(check.faults)")
    }

    @Test("one that fits is not")
    func right() throws {
        let schema = """
            {"type":"object","required":["a"],"properties":{"a":{"type":"array","items":{"anyOf":[{"type":"integer","minimum":1},\
            {"type":"null"}]}},"b":{"oneOf":[{"type":"string"},{"type":"boolean"}]}}}
            """
        var check = SchemaCheck(.object([]))
        check.check(
            try JSONReader.parse(Array(#"{"a":[1,null],"b":true}"#.utf8)),
            try JSONReader.parse(Array(schema.utf8)),
            in: "S"
        )
        #expect(check.faults.isEmpty && check.seen == ["S.a", "S.b"])
        #expect(check.described(try JSONReader.parse(Array(schema.utf8)), in: "S") == ["S.a", "S.b"])
    }
}
