import Administration
import Exchanges
import HTTPCaching
import HTTPCore
import JSON
import Settings
import Stores
import Testing

/// What of an archive's entry is stored, and how.
@Suite struct ImportedTermsTests {
    private static let url = "http://a.example/page"

    private struct Terms {
        var started = "2023-11-14T22:11:40Z"
        var status = 200
        var reason = "OK"
        var fields = [("Cache-Control", "max-age=600")]
        var asked: [(String, String)] = []
        var waited = 0
    }

    private static func entry(_ terms: Terms) -> String {
        func list(_ fields: [(String, String)]) -> String {
            fields.map { #"{"name":"\#($0.0)","value":"\#($0.1)"}"# }.joined(separator: ",")
        }
        return """
            {"entry":{"startedDateTime":"\(terms.started)","timings":{"send":0,"wait":\(terms.waited),"receive":1},
             "request":{"method":"GET","url":"\(url)","headers":[\(list(terms.asked))]},
             "response":{"status":\(terms.status),"statusText":"\(terms.reason)","headers":[\(list(terms.fields))],
             "content":{"size":5,"text":"hello"}}},"isForeign":true}
            """
    }

    private static func load(_ admin: TestAdmin, _ terms: Terms) throws -> String {
        let answer = try admin.post("/v1/import", entry(terms))
        #expect(answer.status == 200)
        return answer.text
    }

    @Test("an error that a cache may store is stored like any response, with its reason phrase")
    func error() throws {
        let admin = try TestAdmin()
        var terms = Terms()
        (terms.status, terms.reason) = (404, #"!a\u001fb\u007fc ~"#)
        #expect(try Self.load(admin, terms) == "{\"stored\":true,\"uri\":\"\(Self.url)\"}\n")
        let record = try #require(admin.store?.all.first)
        #expect(record.status == 404 && String(decoding: record.reason, as: UTF8.self) == "!a b c ~")
        guard case .bytes(let content) = record.body else { throw HarnessFault() }
        #expect(content == Array("hello".utf8))
    }

    private struct HarnessFault: Error {}

    @Test("what may not be stored is told with the word and the sentence, and nothing else")
    func refused() throws {
        let admin = try TestAdmin()
        var terms = Terms()
        terms.fields = [("Cache-Control", "no-store")]
        let text = try Self.load(admin, terms)
        #expect(text.hasPrefix(#"{"stored":false,"reason":"no-store","detail":""#) && text.hasSuffix("\"}\n"))
    }

    @Test(
        "the age of an imported response is what the origin told, and the time since it was received",
        arguments: [
            ("2023-11-14T22:11:40Z", nil, 0, 100), ("2023-11-14T22:11:40Z", "5", 0, 105),
            ("2023-11-14T22:11:40Z", "-5", 0, 100), ("2023-11-14T22:11:40Z", "soon", 0, 100),
            ("2023-11-14T22:13:20Z", nil, 0, 0), ("2023-11-14T22:14:20Z", nil, 0, 0),
            ("2023-11-14T22:14:20Z", "7", 0, 7), ("2023-11-14T22:11:40Z", nil, 3000, 100),
            ("2023-11-14T22:11:40Z", "5", 2001, 105),
        ] as [(String, String?, Int, Int64)]
    )
    func age(started: String, told: String?, waited: Int, expected: Int64) throws {
        let admin = try TestAdmin()
        var terms = Terms()
        (terms.started, terms.waited) = (started, waited)
        if let told { terms.fields.append(("Age", told)) }
        #expect(try Self.load(admin, terms).contains("true"))
        let shown = try admin.json("/v1/resources?uri=\(Self.url)")["variants"]?.elements.first
        #expect(shown?["ageSeconds"]?.integer == expected)
    }

    @Test("a response without Date gets that of its receipt, one with Date keeps it")
    func date() throws {
        for (own, expected) in [
            (nil, "Tue, 14 Nov 2023 22:11:43 GMT"), ("Tue, 14 Nov 2023 22:11:00 GMT", "Tue, 14 Nov 2023 22:11:00 GMT"),
        ] as [(String?, String)] {
            let admin = try TestAdmin()
            var terms = Terms()
            terms.waited = 3000
            if let own { terms.fields.append(("Date", own)) }
            #expect(try Self.load(admin, terms).contains("true"))
            #expect(admin.store?.all.first?.fields.text(of: .date) == expected)
        }
    }

    @Test("an export has the fields that select the response, and nothing else of its request")
    func selecting() throws {
        let admin = try TestAdmin()
        var terms = Terms()
        terms.fields.append(("Vary", "Accept-Language"))
        terms.asked = [("Accept-Language", "de"), ("X-Own", "1"), ("Range", "bytes=0-1"), ("If-None-Match", "x")]
        #expect(try Self.load(admin, terms).contains("true"))
        let id = try #require(try admin.json("/v1/resources?uri=\(Self.url)")["id"]?.text)
        let archive = try admin.json("/v1/resources/\(id)/har")
        #expect(archive["left"]?.elements.isEmpty == true && archive["entries"]?.elements.count == 1)
        let headers = archive["entries"]?.elements.first?["request"]?["headers"]?.elements ?? []
        let lines = headers.map { "\($0["name"]?.text?.lowercased() ?? ""): \($0["value"]?.text ?? "")" }
        #expect(lines == ["accept-language: de"])
    }
}
