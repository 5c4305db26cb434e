import JSON
import Testing

/// Refreshing by `POST /v1/refresh`.
struct RefreshTests {
    @Test("a refresh that brings no response names the URL and the reason, with 502 in place of the origin's status")
    func refreshWithoutResponse() throws {
        // Given a service without a network
        let admin = try TestAdmin()
        // When a URL is to be loaded
        let answer = try admin.post("/v1/refresh", "{\"uri\":\"http://h.example/1\"}")
        // Then
        #expect(answer.status == 502)
        #expect(answer.text.contains("http://h.example/1 could not be loaded: "))
        #expect(answer.text.contains("(502)"))
    }

    @Test("with ifOlderThan, what was stored less long ago is not loaded")
    func recent() throws {
        // Given a response that is stored now, in a service without a network
        let admin = try TestAdmin()
        let fields = [admin.host, TestAdmin.bearer, "Content-Type: text/plain"]
        let stored = try admin.send("PUT", "/v1/resources?uri=http://h.example/1", fields, content: Array("a".utf8))
        #expect(stored.status == 200)
        func refresh(_ members: String) throws -> Answer {
            try admin.post("/v1/refresh", "{\"uri\":\"http://h.example/1\"\(members)}")
        }
        // Then it is recent for ten seconds, and loaded without such a time
        let recent = try refresh(",\"ifOlderThan\":10")
        #expect(recent.status == 200, "\(recent.text)")
        #expect(recent.text.contains("\"result\":\"recent\",\"ageSeconds\":0"))
        #expect(try refresh(",\"ifOlderThan\":0").status == 502)
        #expect(try refresh("").status == 502)
    }

    @Test(
        "what is wrong in the content is named",
        arguments: [
            "{}", #"{"uri":"x"}"#, #"{"uri":"http://h.example/","ifOlderThan":-1}"#,
            #"{"uri":"http://h.example/","ifOlderThan":"1"}"#,
        ]
    )
    func wrong(content: String) throws {
        let answer = try TestAdmin().post("/v1/refresh", content)
        #expect(answer.status == 400 && answer.text.contains("the content is wrong at $"), "\(answer.text)")
    }

    @Test(
        "a refresh says that it needs a URL, how old that may be, and what it does not know",
        arguments: [
            (#"{"ifOlderThan":5}"#, #"$: needs "uri""#),
            (#"{"uri":"x"}"#, "$.uri: must be an absolute http or https URL"),
            (#"{"uri":"http://h.example/","ifOlderThan":-1}"#, "$.ifOlderThan: must be from 0 to 31536000 seconds"),
            (
                #"{"uri":"http://h.example/","ifOlderThan":31536001}"#,
                "$.ifOlderThan: must be from 0 to 31536000 seconds"
            ),
            (#"{"uri":"http://h.example/","filter":"**"}"#, "$.filter: is unknown"),
        ]
    )
    func sentences(content: String, sentence: String) throws {
        let answer = try TestAdmin().post("/v1/refresh", content)
        let detail = try JSONReader.parse(answer.content)["detail"]?.text
        #expect(answer.status == 400 && detail == "the content is wrong at \(sentence)")
    }
}
