import Testing

@testable import Cassettes

/// What is found in cassettes, and removed from them.
struct ReportTests {
    @Test("each credential that stands in a cassette is found, with its place and without its value")
    func credentials() throws {
        var entry = CassetteEntry.sample(
            "POST",
            "http://a.example/?api_key=k-1",
            #"{"password": "p"}"#,
            fields: [CassetteField("Authorization", "Bearer t-1"), CassetteField("Cookie", "a=scrubbed")]
        )
        entry.response.fields.append(CassetteField("Set-Cookie", "sid=1; Path=/"))
        let found = try Cassette(entries: [.sample(), entry]).credentials()
        #expect(
            found.map(\.description) == [
                "POST http://a.example/?api_key=scrubbed: a credential stands in the URL, Authorization of the request, "
                    + "the content of the request, Set-Cookie of the response"
            ]
        )
    }

    @Test("equal responses at the end are pruned, those before another one stay, whatever their dates")
    func pruning() {
        func entry(_ text: String, date: String = "x", _ url: String = "http://a.example/") -> CassetteEntry {
            var entry = CassetteEntry.sample("GET", url, response: text)
            entry.response.fields.append(CassetteField("Date", date))
            return entry
        }
        let entries = [
            entry("1"), entry("1"), entry("2", date: "1"), entry("other", "http://b.example/"), entry("2", date: "2"),
            entry("2", date: "3"),
        ]
        let pruned = Cassette(entries: entries).pruned
        #expect(pruned.entries == [entries[0], entries[1], entries[2], entries[3]])
        var player = CassettePlayer(pruned)
        let texts = (0..<5).map { _ -> String in
            guard case .response(let response) = player.answer(entries[0].request) else { return "miss" }
            return String(decoding: response.content, as: UTF8.self)
        }
        #expect(texts == ["1", "1", "2", "2", "2"])
    }
}
