import Testing

@testable import Cassettes

/// Secrets and cassettes.
struct ScrubberTests {
    private static let rules = ScrubbingRules(
        fields: ["x-api-key"],
        parameters: ["token", "api_key", "password"],
        paths: ["$..card"]
    )

    private static func scrubbed(_ given: CassetteEntry) throws -> (CassetteEntry, Scrubber) {
        var scrubber = try Scrubber(rules)
        var entry = given
        scrubber.scrub(&entry.request)
        scrubber.scrub(&entry.response)
        scrubber.removeSecrets(from: &entry.request)
        scrubber.removeSecrets(from: &entry.response)
        return (entry, scrubber)
    }

    @Test(
        "the values of credential fields are replaced; schemes, names of cookies and attributes stay",
        arguments: [
            ("Authorization", "Bearer abc-1234567", "Bearer scrubbed"), ("Authorization", "abc-1234567", "scrubbed"),
            ("Proxy-Authorization", "Basic dTpwdy0xMjM0NTY3", "Basic scrubbed"), ("X-API-Key", "k-1", "scrubbed"),
            ("Cookie", "sid=1; theme=dark", "sid=scrubbed; theme=scrubbed"),
            ("Set-Cookie", "sid=abc; Path=/; HttpOnly", "sid=scrubbed; Path=/; HttpOnly"),
            ("Location", "https://a.example/cb?token=x&a=1", "https://a.example/cb?token=scrubbed&a=1"),
            ("Accept", "*/*", "*/*"),
        ]
    )
    func fields(name: String, value: String, expected: String) throws {
        let (entry, _) = try Self.scrubbed(.sample("GET", fields: [CassetteField(name, value)]))
        #expect(entry.request.fields == [CassetteField(name, expected)])
    }

    @Test("parameters of queries and forms, members and paths of JSON are replaced, on each line of a stream too")
    func places() throws {
        let (query, _) = try Self.scrubbed(.sample("GET", "http://u:p@a.example/x?api_key=k&b=1"))
        #expect(query.request.url == "http://a.example/x?api_key=scrubbed&b=1")
        let (form, _) = try Self.scrubbed(
            .sample("POST", "http://a.example/", "user=u&password=p%26w", type: "application/x-www-form-urlencoded")
        )
        #expect(form.request.content == Array("user=u&password=scrubbed".utf8))
        let (json, _) = try Self.scrubbed(
            .sample("POST", "http://a.example/", #"{"Password": "p", "token": "hello", "x": [{"card": {"n": 1}}]}"#)
        )
        #expect(
            String(decoding: json.request.content, as: UTF8.self)
                == #"{"Password": "scrubbed", "token": "hello", "x": [{"card": "scrubbed"}]}"#
        )
        let (stream, _) = try Self.scrubbed(
            .sample(
                response: "event: a\ndata: {\"api_key\":\"k\"}\n\ndata: [DONE]\n\n",
                responseType: "text/event-stream"
            )
        )
        #expect(
            String(decoding: stream.response.content, as: UTF8.self)
                == "event: a\ndata: {\"api_key\":\"scrubbed\"}\n\ndata: [DONE]\n\n"
        )
    }

    @Test("a secret that was seen is replaced wherever else it stands, escaped too")
    func elsewhere() throws {
        let secret = "s3cr3t/value"
        let (entry, _) = try Self.scrubbed(
            .sample(
                "POST",
                "http://a.example/s3cr3t%2Fvalue?x=s3cr3t%2fvalue",
                "plain \(secret)",
                type: "text/plain",
                fields: [CassetteField("X-Api-Key", secret), CassetteField("X-Echo", "<\(secret)>")],
                response: #"{"echo":"\#(secret)"}"#
            )
        )
        #expect(entry.request.url == "http://a.example/scrubbed?x=scrubbed")
        #expect(entry.request.content == Array("plain scrubbed".utf8))
        #expect(entry.request.fields.value(of: "x-echo") == "<scrubbed>")
        #expect(entry.response.content == Array(#"{"echo":"scrubbed"}"#.utf8))
    }

    @Test("short values and plain words are not looked for elsewhere")
    func ordinaryText() throws {
        let (entry, _) = try Self.scrubbed(
            .sample("GET", fields: [CassetteField("Cookie", "theme=standard; n=12345")], response: "standard 12345")
        )
        #expect(entry.response.content == Array("standard 12345".utf8))
    }

    @Test("pieces keep their content when a part of it is replaced")
    func pieces() throws {
        var entry = CassetteEntry.sample(responseType: "text/event-stream")
        let parts = ["data: {\"api_key\":\"k-1\"}\n\n", "data: {\"api", "_key\":\"k-", "2\"}\n\ndata: x", "\n\n"]
        entry.response.content = parts.flatMap { Array($0.utf8) }
        entry.response.pieces = parts.map { CassettePiece(count: $0.utf8.count, time: 0) }
        let response = try Self.scrubbed(entry).0.response
        var rest = response.content[...]
        let texts = response.pieces.map { piece in
            defer { rest = rest.dropFirst(piece.count) }
            return String(decoding: rest.prefix(piece.count), as: UTF8.self)
        }
        #expect(rest.isEmpty)
        #expect(
            texts == [
                "data: {\"api_key\":\"scrubbed\"}\n\n", "data: {\"api", "_key\":\"scrubbed\"", "}\n\ndata: x", "\n\n",
            ]
        )
    }

    @Test("a file with a secret is refused, with its place: in text, behind escapes, in Base64")
    func search() throws {
        var scrubber = try Scrubber(Self.rules)
        scrubber.note(Array("s3cr3t\"value".utf8), name: "X-Api-Key")
        let search = SecretSearch(scrubber.secrets)
        #expect(search.fault(in: Cassette(entries: [.sample()]).har(creator: "1")) == nil)
        let texts = [#"{"a": "s3cr3t\"value"}"#, #"{"a": ["x", "PHMzY3IzdCJ2YWx1ZT4="]}"#, #"no JSON s3cr3t"value"#]
        #expect(texts.map { search.fault(in: Array($0.utf8))?.place } == ["$.a", "$.a[1]", "byte 8"])
        #expect(search.fault(in: Array(texts[0].utf8))?.userMessage.contains("the value of X-Api-Key") == true)
    }

    @Test("a wrong path is refused with its column")
    func wrongPath() {
        let error = #expect(throws: CassetteError.self) { try Scrubber(ScrubbingRules(paths: ["$.a", "$..["])) }
        #expect(error?.place.hasPrefix("the path $..[, column ") == true)
    }

    @Test("a secret that was seen is replaced in fields, content and trailers of other responses, too")
    func otherResponses() throws {
        var scrubber = try Scrubber(Self.rules)
        scrubber.note(Array("s3cr3t-value".utf8), name: "X-Api-Key")
        var response = CassetteResponse(
            status: 200,
            fields: [CassetteField("X-Echo", "<s3cr3t-value>")],
            content: Array("one s3cr3t-value two".utf8),
            trailers: [CassetteField("X-Sum", "s3cr3t-value")],
            pieces: [CassettePiece(count: 6, time: 1), CassettePiece(count: 14, time: 2)]
        )
        scrubber.removeSecrets(from: &response)
        #expect(response.fields == [CassetteField("X-Echo", "<scrubbed>")])
        #expect(response.trailers == [CassetteField("X-Sum", "scrubbed")])
        #expect(response.content == Array("one scrubbed two".utf8))
        // The first piece ended within the secret: it now ends behind what stands for that.
        #expect(response.pieces.map(\.count) == [12, 4])
    }

    @Test("the requests of a cassette lose the secrets of all of them, earlier ones too; responses stay as they are")
    func wholeCassette() throws {
        var scrubber = try Scrubber(Self.rules)
        let entries: [CassetteEntry] = [
            .sample(
                "POST",
                "http://a.example/s3cr3t-value",
                "say s3cr3t-value",
                type: "text/plain",
                fields: [CassetteField("X-Echo", "<s3cr3t-value>")],
                response: "s3cr3t-value"
            ),
            .sample("GET", "http://a.example/", fields: [CassetteField("X-Api-Key", "s3cr3t-value")]),
        ]
        let cassette = scrubber.scrubbed(Cassette(entries: entries))
        #expect(cassette.entries.map(\.request.url) == ["http://a.example/scrubbed", "http://a.example/"])
        #expect(cassette.entries.map(\.request.content) == [Array("say scrubbed".utf8), []])
        #expect(cassette.entries.first?.request.fields.value(of: "x-echo") == "<scrubbed>")
        #expect(cassette.entries.last?.request.fields == [CassetteField("X-Api-Key", "scrubbed")])
        #expect(cassette.entries.map(\.response) == entries.map(\.response))
        #expect(cassette.scrubbing == Self.rules)
        // A secret that stands nowhere else is replaced in what comes later, too.
        var later = CassetteRequest.sample("GET", "http://a.example/?q=s3cr3t-value")
        scrubber.removeSecrets(from: &later)
        #expect(later.url == "http://a.example/?q=scrubbed")
    }

    @Test(
        "what keeps a file away is named by where the secret came from, with what to do",
        arguments: [
            (#"{"card": "card-12345"}"#, [], "card-12345", "a secret value of JSON"),
            (#"{"card": [1234567890]}"#, [], "1234567890", "a secret value of JSON"),
            ("{}", [CassetteField("Referer", "/?token=param-12345")], "param-12345", "a secret parameter"),
            ("{}", [CassetteField("Authorization", "Bearer token-12345")], "token-12345", "Authorization"),
            ("{}", [CassetteField("Referer", "http://me:p%40ss+1234@a.example/")], "p@ss+1234", "a password of a URL"),
            (
                "{}", [CassetteField("Referer", "http://me:p%40ss+1234@a.example/")], "p%40ss+1234",
                "a password of a URL"
            ),
            (
                "{}", [CassetteField("Location", "http://token-12345@a.example/")], "token-12345",
                "user information of a URL"
            ),
            (
                "{}", [CassetteField("Authorization", "Basic dXNlcjpwYXNzd29yZC0x")], "password-1",
                "the password of Authorization"
            ),
        ] as [(String, [CassetteField], String, String)]
    )
    func origins(content: String, fields: [CassetteField], secret: String, name: String) throws {
        var scrubber = try Scrubber(Self.rules)
        var request = CassetteRequest.sample("POST", "http://a.example/", content, fields: fields)
        scrubber.scrub(&request)
        let message =
            "a secret is there, the value of \(name): the cassette is not kept; `--scrub PATH` removes values of JSON, "
            + "and `log.secret-parameters` names more parameters"
        let search = SecretSearch(scrubber.secrets)
        for (file, place) in [("[0, \"\(secret)\"]", "$[1]"), ("{\"a\": {\"\(secret)\": 1}}", "$.a")] {
            let fault = search.fault(in: Array(file.utf8))
            #expect(fault == CassetteError(place: place, message))
        }
    }
}
