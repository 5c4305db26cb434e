import Administration
import HTTPCore
import Locking
import Settings
import Stores
import Testing

/// `/v1/explain`: what would be done with a request, and why.
struct ExplainTests {
    @Test("outcome, key, partitions and reasons, with the words of Cache-Status and as lines")
    func document() throws {
        let admin = try TestAdmin()
        let resource = try admin.hold("http://h.example/a")
        let document = try admin.json(
            "/v1/explain?url=http://h.example:80/a&header=Authorization:%20secret&header=Cookie:%20secret=1"
        )
        #expect(document["key"]?.text == "http://h.example/a")
        #expect(document["outcome"]?.text == "serve")
        #expect(document["cacheStatus"]?.text == "respite; hit; ttl=30; detail=override")
        let partitions = document["partitions"]?.elements ?? []
        #expect(partitions.compactMap { $0["name"]?.text } == ["personal", "credential", "shared"])
        #expect(partitions.first?["fields"]?.elements.compactMap(\.text) == ["Authorization", "Cookie"])
        #expect(document["reasons"]?.elements.first?["word"]?.text == "override")
        let lines = (document["text"]?.elements ?? []).compactMap(\.text)
        #expect(lines.contains("outcome: serve (Cache-Status: respite; hit; ttl=30; detail=override)"))
        #expect(!lines.joined().contains("secret"))
        withExtendedLifetime(resource) {}
    }

    @Test("a sentence about a tunnel stands alone and as the last line")
    func tunnel() throws {
        let admin = try TestAdmin { source, _ in source.tunnelNote = { "about \($0.text)" } }
        let document = try admin.json("/v1/explain?url=https://h.example/a")
        #expect(document["tunnel"]?.text == "about https://h.example/a")
        let lines = (document["text"]?.elements ?? []).compactMap(\.text)
        #expect(
            lines.count > 1 && lines.last == "about https://h.example/a"
                && lines.dropLast().contains { $0.hasPrefix("outcome: ") }
        )
    }

    @Test(
        "what is no URL or no field line is refused with a sentence",
        arguments: [
            "", "?url=/a", "?url=http://h.example/&header=nothing", "?url=http://h.example/&header=a%20b:c",
            "?url=http://h.example/&x=1",
        ]
    )
    func refused(query: String) throws {
        let admin = try TestAdmin()
        let answer = try admin.send("GET", "/v1/explain\(query)", [admin.host, TestAdmin.bearer])
        #expect(answer.status == 400)
    }

    @Test(
        "a field line may have blanks around its value, and tabs, but no controls",
        arguments: [
            ("X:a", 200), ("X:%20%09a%20b%09%20", 200), ("X:", 200), ("X:a%7Fb", 400), ("X:a%01b", 400),
            ("X:%1Fa", 400),
            ("X:a%09b", 200), ("X:a%1F", 400),
        ]
    )
    func fieldLine(line: String, status: Int) throws {
        let seen = Lock<[String]>([])
        let admin = try TestAdmin { source, _ in
            source.forwarded = { request in
                let fields = request.fields
                let values = fields.lines.map { String(decoding: fields.value(of: $0), as: UTF8.self) }
                seen.withLock { $0 += values }
            }
        }
        #expect(try admin.get("/v1/explain?url=http://h.example/&header=\(line)").status == status)
        let expected = ["X:a": "a", "X:%20%09a%20b%09%20": "a b", "X:": "", "X:a%09b": "a\tb"]
        #expect(seen.withLock { $0 } == (status == 200 ? [expected[line]] : []))
    }

    @Test("a request is judged with what its service puts into all requests (C-20.1b)")
    func forwarded() throws {
        let own = Partition.credential(Array("api".utf8))
        let admin = try TestAdmin { source, _ in
            source.forwarded = { request in
                request.partitions = Partitions(confinedTo: own, own: own)
                request.identity = "api"
            }
        }
        let resource = try admin.hold("http://h.example/a")
        let document = try admin.json("/v1/explain?url=http://h.example/a")
        #expect(document["outcome"]?.text == "load")
        let partitions = document["partitions"]?.elements ?? []
        #expect(partitions.compactMap { $0["name"]?.text } == ["the service's own"])
        withExtendedLifetime(resource) {}
    }
}
