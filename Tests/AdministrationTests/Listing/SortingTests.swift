import Administration
import HTTPCore
import JSON
import Platform
import ResourceCore
import Settings
import TestSupport
import Testing

/// `/v1/resources?sort=…`.
struct SortingTests {
    private static func uris(_ page: JSONValue) -> [String] {
        page["resources"]?.elements.compactMap { $0["uri"]?.text } ?? []
    }

    private static func all(_ admin: TestAdmin, _ query: String, limit: Int) throws -> [String] {
        var found: [String] = []
        var cursor: String?
        repeat {
            let page = try admin.json("/v1/resources?\(query)&limit=\(limit)" + (cursor.map { "&cursor=\($0)" } ?? ""))
            #expect(uris(page).count <= limit)
            #expect(page["next"] == nil || uris(page).count == limit)
            found += uris(page)
            cursor = page["next"]?.text
        } while cursor != nil && found.count < 1000
        return found
    }

    /// Sizes 3, 1, 2, 2, 2 in the store, and one of size 7 in memory.
    private static func filled() throws -> (admin: TestAdmin, held: Resource) {
        let admin = try TestAdmin()
        for (name, size, status, age) in [
            ("c", 3, 404, 5), ("a", 1, 200, 70), ("e", 2, 200, 20), ("b", 2, 301, 20), ("d", 2, 200, 1),
        ] {
            let content = String(repeating: "x", count: size)
            admin.store?.put(try .sample("http://h.example/\(name)", content, status: UInt16(status), age: Int64(age)))
        }
        return (admin, try admin.hold("http://h.example/m"))
    }

    @Test(
        "each order goes over memory and store, ties by URL, whatever the page size, and `reverse` turns all of it",
        arguments: [
            ("url", "abcdem"), ("size", "mcbdea"), ("status", "adembc"), ("age", "abecdm"), ("ttl", "dcbema"),
            ("state", "bcdema"), ("hits", "mabcde"),
        ],
        [1, 2, 4, 100]
    )
    func orders(order: (String, String), limit: Int) throws {
        let (admin, held) = try Self.filled()
        let expected = order.1.map { "http://h.example/\($0)" }
        #expect(try Self.all(admin, "sort=\(order.0)", limit: limit) == expected)
        #expect(try Self.all(admin, "sort=\(order.0)&reverse=true", limit: limit) == expected.reversed())
        #expect(
            try Self.all(admin, "sort=\(order.0)&reverse=false&filter=state:stale", limit: limit) == [
                "http://h.example/a"
            ]
        )
        withExtendedLifetime(held) {}
    }

    @Test("what comes and goes between two pages moves no other resource")
    func changed() throws {
        let (admin, held) = try Self.filled()
        let page = try admin.json("/v1/resources?sort=size&limit=3")
        #expect(Self.uris(page) == ["http://h.example/m", "http://h.example/c", "http://h.example/b"])
        // The resource of the cursor goes, one comes before it, and two behind it.
        for record in admin.store?.all ?? [] where record.uri.bytes.last == UInt8(ascii: "b") {
            admin.store?.remove(record.uri, partition: record.partition, selection: record.selection)
        }
        for (name, size) in [("large", 9), ("bb", 2), ("none", 0)] {
            admin.store?.put(try .sample("http://h.example/\(name)", String(repeating: "x", count: size)))
        }
        let rest = try admin.json("/v1/resources?sort=size&limit=10&cursor=\(page["next"]?.text ?? "")")
        #expect(Self.uris(rest) == ["bb", "d", "e", "a", "none"].map { "http://h.example/\($0)" })
        withExtendedLifetime(held) {}
    }

    @Test("a listing keeps at most twice a page, also where the store's order is the worst")
    func bounded() throws {
        let admin = try TestAdmin()
        for number in 0..<60 {
            admin.store?.put(try .sample("http://h.example/\(number)", String(repeating: "x", count: number)))
        }
        let page = try admin.json("/v1/resources?sort=size&limit=2")
        #expect(Self.uris(page) == ["http://h.example/59", "http://h.example/58"])
        #expect(page["next"]?.text?.hasPrefix("size.1m.") == true)
    }

    @Test("four listings in an order run at once, a fifth is 503, and those that are done make room")
    func atOnce() throws {
        let (workers, gate) = (try WorkerPool(count: 1), WaitQueue<Bool>())
        defer {
            gate.push(true)
            workers.stop()
        }
        let admin = try TestAdmin { source, _ in source.workers = workers }
        for _ in 0..<2 {
            // The only worker is held up until a listing has been refused.
            workers.submit { _ = gate.pop() }
            let answers = try concurrently(5) { _ in
                let answer = try admin.get("/v1/resources?sort=url")
                if answer.status == 503 { gate.push(true) }
                return "\(answer.status) \(answer.text.contains("too many listings are in progress"))"
            }
            #expect(answers.sorted() == Array(repeating: "200 false", count: 4) + ["503 true"])
        }
    }

    @Test("age and remaining time count from when the origin made the response, not from when it came")
    func agesOfOrigins() throws {
        let admin = try TestAdmin()
        for (name, fields, age) in [
            ("a", [("Cache-Control", "max-age=120"), ("Age", "100")], 10),
            ("b", [("Cache-Control", "max-age=100")], 50),
        ] as [(String, [(String, String)], Int64)] {
            try admin.store?.put(.sample("http://h.example/\(name)", fields: fields, age: age))
        }
        #expect(try Self.all(admin, "sort=age", limit: 9) == ["http://h.example/a", "http://h.example/b"])
        #expect(try Self.all(admin, "sort=ttl", limit: 9) == ["http://h.example/b", "http://h.example/a"])
    }

    @Test(
        "a wrong order, direction or cursor is 400 and says what is right",
        arguments: [
            ("sort=weight", "`sort` must be one of url, state, status, size, age, ttl, hits"),
            ("reverse=true", "`reverse` turns the order of `sort`; give that, too"),
            ("sort=url&reverse=1", "`reverse` must be true or false"),
            ("sort=url&cursor=m1", "`cursor` must be the `next` of an earlier page"),
            ("sort=url&cursor=size.1.aHR0cDovL2gvYQ", "`cursor` must be the `next` of an earlier page"),
            (
                "sort=size&cursor=size.99999999999999999.aHR0cDovL2gvYQ",
                "`cursor` must be the `next` of an earlier page"
            ),
            ("sort=size&cursor=size.1.aHR0", "`cursor` must be the `next` of an earlier page"),
            ("cursor=size.1.aHR0cDovL2gvYQ", "`cursor` must be the `next` of an earlier page"),
        ]
    )
    func refused(query: String, detail: String) throws {
        let answer = try TestAdmin().get("/v1/resources?\(query)")
        #expect(answer.status == 400)
        #expect(answer.text.contains(detail))
    }
}
