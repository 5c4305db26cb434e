import Testing

@testable import Cassettes

/// What a cassette's file may say, and what is made of it.
struct CassetteReadingTests {
    /// A file with one entry; the members of the log, the entry, the request and the response come behind their first.
    private static func read(
        log: String = "",
        entry: String = "",
        request: String = "",
        response: String = #""status": 200"#,
        url: String = "http://a.example/"
    ) throws -> CassetteEntry {
        let text = """
            {"log": {\(log) "entries": [{\(entry) "request": {"method": "GET", "url": "\(url)"\(request)}, \
            "response": {\(response)}}]}}
            """
        return try #require(try Cassette(har: Array(text.utf8)).entries.first)
    }

    private static let own = #""_respite": {"version": 1},"#

    @Test("what another tool's file says of codings goes, with its pseudo-fields and the host; strong tags become weak")
    func foreign() throws {
        let fields = #"[{"name": ":x", "value": "1"}, {"name": "Host", "value": "a"}, {"name": "A", "value": "b\tc"}]"#
        let coded = #"""
            "status": 200, "headers": [{"name": ":status", "value": "200"}, {"name": "Content-Encoding", "value": "br"},
            {"name": "Content-Length", "value": "3"}, {"name": "Content-MD5", "value": "x"},
            {"name": "Content-Digest", "value": "x"}, {"name": "Digest", "value": "x"},
            {"name": "Repr-Digest", "value": "x"}, {"name": "ETag", "value": "\"1\""}, {"name": "ETag", "value": "W/\"2\""}]
            """#
        let entry = try Self.read(request: #", "headers": \#(fields)"#, response: coded)
        #expect(entry.request.fields == [CassetteField("A", "b\tc")])
        #expect(entry.response.fields == [CassetteField("ETag", "W/\"1\""), CassetteField("ETag", "W/\"2\"")])
        let plain = #"""
            "status": 200, "headers": [{"name": "Content-Length", "value": "3"}, {"name": "ETag", "value": "\"1\""}]
            """#
        #expect(try Self.read(response: plain).response.fields.map(\.value) == ["3", "\"1\""])
        let ours = try Self.read(log: Self.own, request: #", "headers": \#(fields)"#, response: coded)
        #expect(ours.request.fields.count == 3 && ours.response.fields.count == 9)
    }

    @Test("times that are missing or negative are zero, and content may be Base64 in both directions")
    func values() throws {
        let bare = try Self.read()
        #expect(bare.started == "1970-01-01T00:00:00Z" && bare.waited == 0 && bare.received == 0)
        #expect(bare.request.content.isEmpty && bare.response.content.isEmpty && bare.response.reason == "")
        let full = try Self.read(
            log: Self.own,
            entry: #""startedDateTime": "2026-01-01T00:00:00Z", "timings": {"wait": 3, "receive": 0.5},"#,
            request: #", "postData": {"text": "AP8=", "_respite": {"encoding": "base64"}}"#,
            response: #"""
                "status": 599, "statusText": "Odd", "content": {"text": "AP8K", "encoding": "base64"}, "_respite":
                {"trailers": [{"name": "Sum", "value": "1"}], "pieces": [{"bytes": 1}, {"bytes": 2, "ms": -1}]}
                """#
        )
        let response = CassetteResponse(
            status: 599,
            reason: "Odd",
            content: [0, 255, 10],
            trailers: [CassetteField("Sum", "1")],
            pieces: [CassettePiece(count: 1, time: 0), CassettePiece(count: 2, time: 0)]
        )
        let request = CassetteRequest(method: "GET", url: "http://a.example/", content: [0, 255])
        let expected = CassetteEntry(
            started: "2026-01-01T00:00:00Z",
            waited: 3,
            received: 0.5,
            request: request,
            response: response
        )
        #expect(full == expected)
        #expect(try Self.read(entry: #""timings": {"wait": -1, "receive": -0.5},"#) == bare)
        #expect(try Self.read(request: #", "postData": {"text": "AP8="}"#).request.content == Array("AP8=".utf8))
    }

    @Test("entries come in the order they were recorded in; those without a number by their place")
    func order() throws {
        let orders = [#""_respite": {"order": 5},"#, "", #""_respite": {"order": 0},"#, #""_respite": {"order": 1},"#]
        let entries = orders.enumerated().map { index, order in
            """
            {\(order) "request": {"method": "GET", "url": "http://a.example/\(index)"}, "response": {"status": 200}}
            """
        }
        let text = #"{"log": {"_respite": {"version": 1}, "entries": [\#(entries.joined(separator: ","))]}}"#
        let urls = try Cassette(har: Array(text.utf8)).entries.map(\.request.url)
        #expect(urls == ["http://a.example/2", "http://a.example/1", "http://a.example/3", "http://a.example/0"])
    }

    @Test(
        "what cannot be in a file is refused",
        arguments: [
            (#""status": 199"#, "", false), (#""status": 200"#, "", true), (#""status": 600"#, "", false),
            (#""status": 200"#, #", "headers": [{"name": "a b", "value": ""}]"#, false),
            (#""status": 200"#, #", "headers": [{"name": "A", "value": "\u001f"}]"#, false),
            (#""status": 200"#, #", "headers": [{"name": "A", "value": "\u007f"}]"#, false),
            (#""status": 200"#, #", "headers": [{"name": "A", "value": "\t ~"}]"#, true),
            (#""status": 200, "_respite": {"pieces": [{"bytes": -1}]}"#, "", false),
            (#""status": 200, "_respite": {"pieces": [{"bytes": 2147483647}]}"#, "", true),
            (#""status": 200, "_respite": {"pieces": [{"bytes": 2147483648}]}"#, "", false),
        ]
    )
    func refused(response: String, request: String, isRead: Bool) {
        #expect(((try? Self.read(request: request, response: response)) != nil) == isRead)
    }

    @Test(
        "a URL is absolute, and one of HTTP in any case",
        arguments: [("HTTPS://A.example/", true), ("ftp://a.example/", false), ("//a/", false)]
    )
    func urls(url: String, isRead: Bool) {
        #expect(((try? Self.read(url: url)) != nil) == isRead)
    }

    @Test(
        "a version that never was is told from one that is too new",
        arguments: [(0, "which is no version"), (2, "update")]
    )
    func versions(version: Int, message: String) {
        let text = #"{"log": {"_respite": {"version": \#(version)}, "entries": []}}"#
        let error = #expect(throws: CassetteError.self) { try Cassette(har: Array(text.utf8)) }
        #expect(error?.place == "$.log._respite.version" && error?.userMessage.contains(message) == true)
        #expect(error?.userMessage.hasPrefix("is \(version), ") == true)
    }

    // MARK: Remedies

    private static let correction = "; correct it there, or record the cassette again"
    private static let entry = #""request": {"method": "GET", "url": "http://a.example/""#

    @Test(
        "a fault has one remedy: for a version, for what can be corrected where it stands, or for a file that is cut",
        arguments: [
            (
                #"{"log": {"_respite": {"version": 2}, "entries": []}}"#, "$.log._respite.version",
                "is 2, and this Respite reads 1; a newer Respite has recorded it: update"
            ),
            (
                #"{"log": {"_respite": {"version": 0}, "entries": []}}"#, "$.log._respite.version",
                "is 0, which is no version; record the cassette again"
            ),
            (#"{"log": {"_respite": {}, "entries": []}}"#, "$.log._respite.version", "is missing"),
            (#"{"log": {}}"#, "$.log.entries", "is missing\(correction)"),
            (
                #"{"log": {"entries": [{\#(entry), "headers": [{"name": "a b", "value": ""}]}, "response": {}}]}}"#,
                "$.log.entries[0].request.headers[0].name", "must be the name of a field\(correction)"
            ),
            (
                #"{"log": {"entries": [{\#(entry), "headers": [{"name": "a", "value": "\n"}]}, "response": {}}]}}"#,
                "$.log.entries[0].request.headers[0].value", "must have no line ends or other controls\(correction)"
            ),
            (
                #"{"log": {"entries": ["#, "line 1, column 21",
                "ends too early; the file is cut off or was edited: restore it, or record the cassette again"
            ),
        ]
    )
    func remedies(file: String, place: String, message: String) {
        let error = #expect(throws: CassetteError.self) { try Cassette(har: Array(file.utf8)) }
        #expect(error?.place == place && error?.userMessage == message)
    }

    @Test("content of a request that is no text is written as Base64, and read as it was")
    func binaryRequest() throws {
        var entry = CassetteEntry.sample("POST", "http://a.example/")
        entry.request.content = [0, 255, 10]
        let file = Cassette(entries: [entry]).har(creator: "1")
        #expect(try Cassette(har: file).entries == [entry])
        #expect(String(decoding: file, as: UTF8.self).contains(#""text": "AP8K""#))
    }
}
