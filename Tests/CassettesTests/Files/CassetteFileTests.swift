import JSON
import Settings
import Testing

@testable import Cassettes

/// The file of a cassette.
struct CassetteFileTests {
    /// Two exchanges, one of which has content that is no text.
    private static var cassette: Cassette {
        var entries = [
            CassetteEntry.sample("POST", "http://b.example/", #"{"q":"ä\n"}"#),
            .sample("GET", "http://a.example/x?page=1&q=a%20b", response: "line\r\n\tand ü \u{202E}"),
        ]
        entries[0].response.content = [0, 0xFF, 0x0A]
        entries[0].response.trailers = [CassetteField("Checksum", "1")]
        entries[1].response.pieces = [CassettePiece(count: 4, time: 0.5), CassettePiece(count: 13, time: 9)]
        return Cassette(
            entries: entries,
            scrubbing: ScrubbingRules(fields: ["x-api-key"], parameters: ["token"], paths: ["$..a"])
        )
    }

    @Test("a cassette is read as it was written, in the order of the recording")
    func roundTrip() throws {
        let read = try Cassette(har: Self.cassette.har(creator: "1.0"))
        #expect(read == Self.cassette)
    }

    @Test("equal cassettes have equal files, with entries by URL and text as it is")
    func layout() throws {
        let file = Self.cassette.har(creator: "1.0")
        #expect(file == Self.cassette.har(creator: "1.0"))
        let text = String(decoding: file, as: UTF8.self)
        let places = try ["http://a.example/x", "http://b.example/"].map { url in
            try #require(text.firstRange(of: url)).lowerBound
        }
        #expect(places[0] < places[1])
        #expect(text.contains(#""text": "{\"q\":\"ä\\n\"}""#))
        // What turns the direction of text is visible.
        #expect(text.contains(#"line\r\n\tand ü \u202e"#))
        #expect(text.contains(#""text": "AP8K""#) && text.contains(#""encoding": "base64""#))
        #expect(text.hasSuffix("}\n"))
    }

    @Test("the file has the members that HAR 1.2 requires")
    func members() throws {
        let log = try #require(JSONReader.parse(Self.cassette.har(creator: "1.0"))["log"])
        #expect(log["version"] == .text("1.2"))
        guard case .array(let entries)? = log["entries"] else { return #expect(Bool(false), "no entries") }
        for entry in entries {
            for name in ["startedDateTime", "time", "request", "response", "cache", "timings"] {
                #expect(entry[name] != nil, "\(name)")
            }
            for name in [
                "method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize",
            ] {
                #expect(entry["request"]?[name] != nil, "\(name)")
            }
            for name in [
                "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize",
                "bodySize",
            ] {
                #expect(entry["response"]?[name] != nil, "\(name)")
            }
        }
        let query = entries.first?["request"]?["queryString"]
        #expect(
            query
                == .array([
                    .object([.init(name: "name", value: .text("page")), .init(name: "value", value: .text("1"))]),
                    .object([.init(name: "name", value: .text("q")), .init(name: "value", value: .text("a b"))]),
                ])
        )
    }

    @Test("a file of a browser is read: its content has no coding, and its pseudo-fields are left out")
    func foreign() throws {
        let har = """
            {"log": {"version": "1.2", "creator": {"name": "b", "version": "1"}, "entries": [{
            "startedDateTime": "2026-01-01T00:00:00Z", "time": 3, "request": {"method": "GET", "url": "https://a.example/",
            "headers": [{"name": ":method", "value": "GET"}, {"name": "Accept", "value": "*/*"}]},
            "response": {"status": 200, "headers": [{"name": "Content-Encoding", "value": "gzip"}],
            "content": {"size": 2, "mimeType": "text/plain", "text": "hi"}}}]}}
            """
        let entry = try #require(try Cassette(har: Array(har.utf8)).entries.first)
        #expect(entry.request.fields == [CassetteField("Accept", "*/*")])
        #expect(entry.response.fields.isEmpty && entry.response.content == Array("hi".utf8))
    }

    @Test(
        "a file that is cut off, edited or too new is refused, with the place and a remedy",
        arguments: [
            ("", "line 1", "the file is empty; record it again"),
            (#"{"log": {"entries": ["#, "line 1, column 21", "ends too early; the file is cut off or was edited"),
            (#"{"log": {}}"#, "$.log.entries", "is missing; correct it there, or record the cassette again"),
            (
                #"{"log": {"_respite": {"version": 7}, "entries": []}}"#, "$.log._respite.version",
                "is 7, and this Respite reads 1; a newer Respite has recorded it: update"
            ),
            (#"{"log": {"_respite": {}, "entries": []}}"#, "$.log._respite.version", "is missing"),
            (
                #"{"log": {"entries": [{"request": {"method": "GET", "url": "/x"}, "response": {"status": 200}}]}}"#,
                "$.log.entries[0].request.url", "must be an absolute URL of http or https; correct it there"
            ),
            (
                #"{"log": {"entries": [{"request": {"method": "GET", "url": "http://a.example/"}, "response": {"status": 20}}]}}"#,
                "$.log.entries[0].response.status", "must be a whole number from 200 to 599"
            ),
            (
                #"{"log": {"entries": [{"request": {"method": "GET", "url": "http://a.example/", "headers": [{"name": "A", "value": "x\ny"}]}, "response": {"status": 200}}]}}"#,
                "$.log.entries[0].request.headers[0].value", "must have no line ends"
            ),
            (
                #"{"log": {"entries": [{"request": {"method": "GET", "url": "http://a.example/"}, "response": {"status": 200, "content": {"text": "%", "encoding": "base64"}}}]}}"#,
                "$.log.entries[0].response.content.text", "must be Base64"
            ),
        ]
    )
    func faults(file: String, place: String, message: String) {
        let error = #expect(throws: CassetteError.self) { try Cassette(har: Array(file.utf8)) }
        #expect(error?.place == place && error?.userMessage.contains(message) == true, "\(String(describing: error))")
    }

    @Test("pieces that do not fit the content any more are left out")
    func editedPieces() throws {
        var cassette = Self.cassette
        cassette.entries[1].response.content.removeLast()
        let read = try Cassette(har: cassette.har(creator: "1"))
        #expect(read.entries[1].response.pieces.isEmpty)
        #expect(read.entries[1].response.content == cassette.entries[1].response.content)
    }
}
