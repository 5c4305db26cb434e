import Testing

@testable import Cassettes

/// Which secrets are looked for, where they stand, and where they came from.
struct SecretIndexTests {
    private static func index(_ secrets: String...) -> SecretIndex {
        var index = SecretIndex()
        for secret in secrets { index.insert(Array(secret.utf8), name: "name of \(secret)") }
        return index
    }

    @Test(
        "a secret is looked for from eight bytes on, a plain word from sixteen, and what stands for one never",
        arguments: [
            ("1234567", false), ("12345678", true), ("abcdefgh", false), ("ABCDEFGHIJKLMNO", false),
            ("abcdefghijklmnoP", true), ("abcdefg1", true), ("abcdefg{", true), ("abcdefg@", true), ("abcdefgz", false),
            ("scrubbed", false), ("", false),
        ]
    )
    func searchable(secret: String, isFound: Bool) {
        let index = Self.index(secret)
        #expect(index.isEmpty == !isFound)
        #expect(index.occurrences(in: Array("<\(secret)>".utf8)).count == (isFound ? 1 : 0))
    }

    @Test("each place is found, the longest secret first, and nothing inside of what was found")
    func places() {
        let index = Self.index("secret-1", "secret-1-long", "t-1secret")
        func found(_ text: String) -> [String] {
            index.occurrences(in: Array(text.utf8)).map { "\($0.range.lowerBound)-\($0.range.upperBound) \($0.name)" }
        }
        #expect(found("secret-1") == ["0-8 name of secret-1"])
        #expect(found("xsecret-1secret-1y") == ["1-9 name of secret-1", "9-17 name of secret-1"])
        #expect(found("secret-1-long") == ["0-13 name of secret-1-long"])
        #expect(found("secret-1-lon") == ["0-8 name of secret-1"])
        #expect(found("secret-") == [] && found("") == [] && found("Secret-1") == [])
        #expect(index.scrubbed("a secret-1, secret-1-long") == "a scrubbed, scrubbed")
    }

    @Test("a secret is found with escapes in capitals and small letters; what needs none has none")
    func escapes() {
        let index = Self.index("a/ü-._~Z9 k")
        for text in ["a/ü-._~Z9 k", "a%2F%C3%BC-._~Z9%20k", "a%2f%c3%bc-._~Z9%20k"] {
            #expect(index.scrubbed("<\(text)>") == "<scrubbed>")
        }
        #expect(Self.index("ab:@[`{/").scrubbed("ab%3A%40%5B%60%7B%2F") == "scrubbed")
    }

    @Test("the first name of a secret stays")
    func names() {
        var index = Self.index("secret-1")
        index.insert(Array("secret-1".utf8), name: "other")
        #expect(index.occurrences(in: Array("secret-1".utf8)).map(\.name) == ["name of secret-1"])
    }

    // MARK: Where they come from

    private static func scrubbed(_ request: CassetteRequest, _ echo: String) throws -> String {
        var scrubber = try Scrubber(
            ScrubbingRules(fields: ["x-api-key"], parameters: ["token", "api_key"], paths: ["$..card"])
        )
        var request = request
        scrubber.scrub(&request)
        var other = CassetteRequest.sample("POST", "http://a.example/", echo, type: "text/plain")
        scrubber.removeSecrets(from: &other)
        return String(decoding: other.content, as: UTF8.self)
    }

    @Test(
        "what a field has of secrets is found elsewhere: tokens, passwords, cookies, keys and parameters",
        arguments: [
            ("Authorization", "Bearer token-123", "token-123"), ("Authorization", "token-12345", "token-12345"),
            ("Proxy-Authorization", "Basic dXNlcjpwYXNzd29yZC0x", "password-1"),
            ("Authorization", "basic dXNlcjpwYXNzd29yZC0x", "user:password-1"), ("X-Api-Key", "key-12345", "key-12345"),
            ("Cookie", "a=1; sid=cookie-123", "cookie-123"), ("Cookie", "cookie-alone", "cookie-alone"),
            ("Set-Cookie", "sid=cookie-123; Path=/", "cookie-123"), ("Set-Cookie", "cookie-alone", "cookie-alone"),
            ("Referer", "http://a.example/?token=a%2Fb-12345", "a%2Fb-12345"),
            ("Location", "/x?token=a%2Fb-12345", "a/b-12345"),
        ]
    )
    func fields(name: String, value: String, secret: String) throws {
        let request = CassetteRequest.sample("GET", fields: [CassetteField(name, value)])
        #expect(try Self.scrubbed(request, "<\(secret)>") == "<scrubbed>")
    }

    @Test("a field that has no value keeps none, and a name alone is none of a cookie")
    func fieldValues() throws {
        var scrubber = try Scrubber(ScrubbingRules(fields: ["x-api-key"], parameters: ["token", "api_key"]))
        let lines = [
            ("X-API-KEY", "", ""), ("Cookie", "a=; b", "a=;scrubbed"), ("Set-Cookie", "; Path=/", "; Path=/"),
            ("Authorization", "", ""), ("Content-Location", "/?token=1", "/?token=scrubbed"), ("X-Other", "a=1", "a=1"),
        ]
        var request = CassetteRequest.sample("GET", fields: lines.map { CassetteField($0.0, $0.1) })
        scrubber.scrub(&request)
        #expect(request.fields.map(\.value) == lines.map(\.2))
    }

    @Test(
        "what content has of secrets is found elsewhere: texts, numbers and all within them, and form parameters",
        arguments: [
            (#"{"card": "card-1234"}"#, "card-1234"), (#"{"card": 1234567890}"#, "1234567890"),
            (#"{"a": [{"card": {"b": ["c", "card-1234"]}}]}"#, "card-1234"),
            (#"{"card": [{"n": 12345678}]}"#, "12345678"),
            ("token=a%2Fb-12345&x=1", "a%2Fb-12345"), ("token=a%2Fb-12345&x=1", "a/b-12345"),
        ]
    )
    func content(text: String, secret: String) throws {
        let type = text.hasPrefix("{") ? "application/json" : "application/x-www-form-urlencoded"
        #expect(
            try Self.scrubbed(.sample("POST", "http://a.example/", text, type: type), "<\(secret)>") == "<scrubbed>"
        )
    }

    @Test("each line of a stream is scrubbed by itself, whatever its line ends are, and nothing else of it")
    func lines() throws {
        var scrubber = try Scrubber(ScrubbingRules(paths: ["$.a"]))
        func scrubbed(_ text: String, _ type: String) -> String {
            var request = CassetteRequest.sample("POST", "http://a.example/", text, type: type)
            scrubber.scrub(&request)
            return String(decoding: request.content, as: UTF8.self)
        }
        let lines = "{\"a\":1}\n{\"a\":2}\r\n\r{\"a\":3}\rno JSON\n\t{\"b\":1}\n{\"a\":4}"
        let replaced = "{\"a\":\"scrubbed\"}\n{\"a\":\"scrubbed\"}\r\n\r{\"a\":\"scrubbed\"}\rno JSON\n\t{\"b\":1}\n"
        #expect(scrubbed(lines, "application/x-ndjson") == replaced + "{\"a\":\"scrubbed\"}")
        let events = "data:{\"a\":1}\rdata: {\"a\":2}\n\n{\"a\":3}\nid: {\"a\":4}\ndata:"
        let kept = "data:{\"a\":\"scrubbed\"}\rdata: {\"a\":\"scrubbed\"}\n\n{\"a\":3}\nid: {\"a\":4}\ndata:"
        #expect(scrubbed(events, "text/event-stream") == kept)
    }
}
