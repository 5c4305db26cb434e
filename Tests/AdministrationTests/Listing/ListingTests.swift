import Administration
import Exchanges
import HTTPCore
import JSON
import Locking
import ResourceCore
import ResourceModel
import Settings
import Stores
import Testing
import Transforms

/// `/v1/resources`, and one resource.
struct ListingTests {
    private static func uris(_ page: JSONValue) -> [String] {
        page["resources"]?.elements.compactMap { $0["uri"]?.text } ?? []
    }

    /// All pages from the first.
    private static func all(_ admin: TestAdmin, limit: Int, filter: String = "") throws -> [String] {
        var found: [String] = []
        var cursor: String?
        repeat {
            let rest = (cursor.map { "&cursor=\($0)" } ?? "") + (filter.isEmpty ? "" : "&filter=\(filter)")
            let page = try admin.json("/v1/resources?limit=\(limit)\(rest)")
            #expect(uris(page).count <= limit)
            found += uris(page)
            cursor = page["next"]?.text
        } while cursor != nil && found.count < 1000
        return found
    }

    @Test(
        "memory comes first, the store behind it, each resource once, whatever the page size",
        arguments: [1, 3, 7, 100]
    )
    func pages(limit: Int) throws {
        let admin = try TestAdmin()
        let held = try (0..<5).map { try admin.hold("http://h.example/m/\($0)") }
        for number in 0..<8 { admin.store?.put(try .sample("http://h.example/s/\(number)")) }
        admin.store?.put(try .sample("http://h.example/m/1"))
        admin.store?.put(try .sample("http://h.example/s/1", partition: .credential([9])))
        let found = try Self.all(admin, limit: limit)
        let expected = (0..<5).map { "http://h.example/m/\($0)" } + (0..<8).map { "http://h.example/s/\($0)" }
        #expect(found == expected)
        #expect(try Self.all(admin, limit: limit, filter: "/s/") == Array(expected[5...]))
        #expect(try Self.all(admin, limit: limit, filter: "http://h.example/m/**") == Array(expected[..<5]))
        withExtendedLifetime(held) {}
    }

    @Test("what came into memory behind the cursor is listed from there")
    func moved() throws {
        let admin = try TestAdmin()
        let first = try admin.hold("http://h.example/m")
        for number in 0..<4 { admin.store?.put(try .sample("http://h.example/s/\(number)")) }
        let page = try admin.json("/v1/resources?limit=2")
        let second = try admin.hold("http://h.example/s/3")
        admin.store?.put(try .sample("http://h.example/s/3"))
        let rest = try admin.json("/v1/resources?limit=10&cursor=\(page["next"]?.text ?? "")")
        #expect(
            Self.uris(page) + Self.uris(rest) == ["http://h.example/m"] + (0..<4).map { "http://h.example/s/\($0)" }
        )
        withExtendedLifetime((first, second)) {}
    }

    @Test("a page ends in time, also where nothing was found; a later one has what the filter is for")
    func slowPages() throws {
        let store = RecordStore()
        for number in 0..<1200 { store.put(try .sample("http://h.example/s/\(number)")) }
        let environment = CoreEnvironment(timekeeper: HurriedClock(), hasher: PlainHasher(), store: store)
        let service = Service(name: "default", table: ResourceTable(environment: environment))
        let admin = try TestAdmin { source, _ in source.service = service }
        let first = try admin.json("/v1/resources?filter=http://*/s/1199")
        #expect(Self.uris(first).isEmpty && first["next"]?.text != nil)
        #expect(try Self.all(admin, limit: 10, filter: "http://*/s/1199") == ["http://h.example/s/1199"])
    }

    @Test("a load under way is shown with the fraction that has come, in the listing and by itself (S-220)")
    func progress() throws {
        let admin = try TestAdmin(hasStore: false)
        let provider = HeldProvider()
        admin.service.defaultProvider = provider
        let resource = admin.service.resource(for: try TargetURI(parsing: "http://h.example/a"))
        resource.load()
        let receiver = try #require(provider.receiver.withLock { $0 })
        var fields = Fields()
        fields.append(.cacheControl, "max-age=60")
        receiver.exchangeDidReceive(ResponseHead(status: 200, fields: fields, framing: .length(100)))
        receiver.exchangeDidReceive(ByteChunk(String(repeating: "x", count: 60)))
        let listed = try admin.json("/v1/resources?filter=state:loading")["resources"]?.elements.first
        let shown = try admin.json("/v1/resources?uri=http://h.example/a")
        for item in [listed, shown] {
            guard case .real(let progress)? = item?["progress"] else {
                Issue.record("no progress: \(String(describing: item))")
                continue
            }
            #expect(progress > 0.5 && progress < 0.7 && item?["isLoading"] == .boolean(true))
        }
        receiver.exchangeDidReceive(ByteChunk(String(repeating: "x", count: 40)))
        receiver.exchangeDidEnd(trailers: nil)
        let after = try admin.json("/v1/resources?uri=http://h.example/a")
        #expect(after["progress"] == nil && after["isLoading"] == .boolean(false))
    }

    @Test("a line tells status, size, age, the lifetime left and for whom it is")
    func lines() throws {
        let admin = try TestAdmin()
        admin.store?.put(try .sample("http://h.example/fresh", age: 10))
        admin.store?.put(try .sample("http://h.example/stale", age: 100))
        admin.store?.put(try .sample("http://h.example/own", partition: .credential([0xAB]), status: 404, age: 1))
        let held = try admin.hold("http://h.example/held", "four")
        let lines = try admin.json("/v1/resources")["resources"]?.elements ?? []
        let byURI = Dictionary(uniqueKeysWithValues: lines.compactMap { line in line["uri"]?.text.map { ($0, line) } })
        let fresh = try #require(byURI["http://h.example/fresh"])
        #expect(fresh["state"]?.text == "fresh" && fresh["status"]?.integer == 200 && fresh["size"]?.integer == 7)
        #expect(fresh["ageSeconds"]?.integer == 10 && fresh["ttlSeconds"]?.integer == 50)
        #expect(fresh["partition"]?.text == "shared" && fresh["inMemory"] == .boolean(false))
        #expect(byURI["http://h.example/stale"]?["state"]?.text == "stale")
        #expect(byURI["http://h.example/own"]?["partition"]?.text == "private")
        #expect(
            byURI["http://h.example/held"]?["inMemory"] == .boolean(true)
                && byURI["http://h.example/held"]?["size"]?.integer == 4
        )
        for (filter, expected) in [
            ("state:stale", ["http://h.example/stale"]), ("status:404", ["http://h.example/own"]),
            ("status:4xx", ["http://h.example/own"]),
            ("status:2xx%20state:fresh%20/f", ["http://h.example/fresh"]), ("state:error", []),
        ] {
            #expect(Self.uris(try admin.json("/v1/resources?filter=\(filter)")) == expected, "\(filter)")
        }
        withExtendedLifetime(held) {}
    }

    @Test(
        "a filter by status is for one, or for all with a digit",
        arguments: [
            ("404", [404]), ("4xx", [400, 404, 499]), ("5xx", [500, 599]), ("3xx", [399]), ("599", [599]), ("403", []),
        ] as [(String, [UInt16])]
    )
    func statuses(filter: String, expected: [UInt16]) throws {
        let admin = try TestAdmin()
        for status in [399, 400, 404, 499, 500, 599] as [UInt16] {
            admin.store?.put(try .sample("http://h.example/\(status)", status: status))
        }
        let found = Self.uris(try admin.json("/v1/resources?filter=status:\(filter)"))
        #expect(found == expected.map { "http://h.example/\($0)" })
    }

    @Test("a filter for loads or failures leaves the store alone, which has none")
    func memoryOnly() throws {
        let admin = try TestAdmin()
        admin.store?.put(try .sample("http://h.example/s"))
        for filter in ["state:loading", "state:error", "h%20state:loading"] {
            #expect(try Self.all(admin, limit: 10, filter: filter) == [])
        }
        #expect(admin.store?.listings == 0)
        #expect(try Self.all(admin, limit: 10, filter: "state:fresh") == ["http://h.example/s"])
        #expect((admin.store?.listings ?? 0) > 0)
    }

    @Test("a page has 100 resources if no number is given, and from 1 to 1000 if one is")
    func pageSize() throws {
        let admin = try TestAdmin()
        for number in 0..<1001 { admin.store?.put(try .sample("http://h.example/\(number)")) }
        for (query, count) in [("", 100), ("?limit=1", 1), ("?limit=1000", 1000)] {
            #expect(Self.uris(try admin.json("/v1/resources\(query)")).count == count, "\(query)")
        }
        for limit in ["0", "1001", "-1", "x"] {
            #expect(try admin.get("/v1/resources?limit=\(limit)").status == 400, "\(limit)")
        }
    }

    @Test(
        "a variant in the store is fresh within its lifetime, unless it is invalidated or has no-cache",
        arguments: [
            (10, false, "max-age=60", "fresh"), (100, false, "max-age=60", "stale"), (10, true, "max-age=60", "stale"),
            (10, false, "max-age=60, no-cache", "stale"),
        ]
    )
    func freshness(age: Int64, isInvalidated: Bool, control: String, state: String) throws {
        let admin = try TestAdmin()
        var record = try StoredRecord.sample("http://h.example/a", fields: [("Cache-Control", control)], age: age)
        record.isInvalidated = isInvalidated
        admin.store?.put(record)
        let shown = try admin.json("/v1/resources?uri=http://h.example/a")
        #expect(shown["variants"]?.elements.map { $0["state"]?.text } == [state])
    }

    @Test("a resource without anything is not there")
    func nothing() throws {
        let admin = try TestAdmin()
        let resource = admin.service.resource(for: try TargetURI(parsing: "http://h.example/empty"))
        #expect(Self.uris(try admin.json("/v1/resources")).isEmpty)
        #expect(try admin.get("/v1/resources?uri=http://h.example/empty").status == 404)
        withExtendedLifetime(resource) {}
    }

    @Test("one resource is shown with all its variants, without credentials and partition names (H-158)")
    func show() throws {
        let admin = try TestAdmin()
        let secret = "s3cr3t-value"
        let fields = [("Set-Cookie", "id=\(secret)"), ("Cache-Control", "max-age=60"), ("Vary", "Accept")]
        admin.store?.put(
            try .sample("http://h.example/p", "private", partition: .credential(Array(secret.utf8)), fields: fields)
        )
        admin.store?.put(try .sample("http://h.example/p", "shared", age: 20))
        let answer = try admin.get("/v1/resources?uri=http://h.example/p")
        #expect(answer.status == 200 && !answer.text.contains(secret))
        let shown = try JSONReader.parse(answer.content)
        let variants = shown["variants"]?.elements ?? []
        #expect(variants.map { $0["partition"]?.text } == ["shared", "private"])
        #expect(variants.first?["ageSeconds"]?.integer == 20 && variants.first?["lifetimeSource"]?.text == "max-age")
        #expect(variants.last?["vary"]?.elements.compactMap(\.text) == ["accept"])
        let id = try #require(shown["id"]?.text)
        #expect(try admin.get("/v1/resources/\(id)").content == answer.content)
    }

    @Test("content comes as it is stored, as an attachment that nobody runs (H-147)")
    func content() throws {
        let admin = try TestAdmin()
        admin.store?.put(try .sample("http://h.example/p", "<script>"))
        admin.store?.put(try .sample("http://h.example/p", "mine", partition: .credential([1])))
        let id = try #require(try admin.json("/v1/resources?uri=http://h.example/p")["id"]?.text)
        let answer = try admin.get("/v1/resources/\(id)/body")
        #expect(answer.status == 200 && answer.text == "<script>" && answer["Content-Type"] == "text/html")
        #expect(answer["Content-Disposition"] == "attachment" && answer["X-Content-Type-Options"] == "nosniff")
        #expect(answer["Content-Security-Policy"]?.contains("sandbox") == true)
        #expect(try admin.get("/v1/resources/\(id)/body?variant=1").text == "mine")
        #expect(try admin.get("/v1/resources/\(id)/body?variant=2").status == 404)
        let head = try admin.send("HEAD", "/v1/resources/\(id)/body", [admin.host, TestAdmin.bearer])
        #expect(head.status == 200 && head.content.isEmpty && head["Content-Length"] == "8")
    }

    @Test("content in a file is checked before it is sent; at a damaged block the answer is cut")
    func files() throws {
        let admin = try TestAdmin()
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        admin.store?.put(try .sample("http://h.example/good", body: .file(try TestFile(bytes))))
        admin.store?.put(try .sample("http://h.example/bad", body: .file(try TestFile(bytes, damagedFrom: 1 << 20))))
        for (name, isWhole) in [("good", true), ("bad", false)] {
            let id = try #require(try admin.json("/v1/resources?uri=http://h.example/\(name)")["id"]?.text)
            let answer = try admin.get("/v1/resources/\(id)/body")
            #expect(answer["Content-Length"] == "3000000")
            #expect(isWhole ? answer.content == bytes : answer.content.count <= 1 << 20)
        }
    }

    @Test("status tells version, listeners and store; without a store there is none")
    func status() throws {
        let status = try TestAdmin(hasStore: false).json("/v1/status")
        #expect(status["version"]?.text == "1.2.3" && status["store"] == .null && status["mode"]?.text == "auto")
        #expect(status["uptimeSeconds"]?.integer == 0 && status["ready"] == .boolean(true))
        let admin = try TestAdmin { source, _ in source.store = { StoreUsage(state: "full", reason: "no room") } }
        #expect(try admin.json("/v1/status")["store"]?["reason"]?.text == "no room")
    }
}
