import Administration
import HTTPCore
import HTTPServer
import Locking
import Testing

/// `/v1/reload` and `/v1/config`.
@Suite struct ReloadTests {
    private static func admin(_ answer: @escaping @Sendable () -> ReloadResponse) throws -> TestAdmin {
        try TestAdmin { source, _ in
            source.configuration = ConfigurationSource(
                write: { url, method, writer in
                    writer.member("url", url?.text ?? "-")
                    writer.member("method", method.text)
                },
                reload: { $0(answer()) }
            )
        }
    }

    @Test("a reload without content is made, whether a length of 0 is told or none; the answer says what has changed")
    func done() throws {
        let count = Lock(0)
        let admin = try Self.admin {
            count.withLock { $0 += 1 }
            return .done { $0.member("changed", "x") }
        }
        for length in [[], ["Content-Length: 0"]] {
            let answer = try admin.send("POST", "/v1/reload", [admin.host, TestAdmin.bearer] + length)
            #expect(answer.status == 200 && answer.text == "{\"changed\":\"x\"}\n")
        }
        #expect(count.withLock { $0 } == 2)
    }

    @Test("a reload with content is refused, and nothing is read")
    func content() throws {
        let count = Lock(0)
        let admin = try Self.admin {
            count.withLock { $0 += 1 }
            return .done { _ in }
        }
        let answer = try admin.send("POST", "/v1/reload", [admin.host, TestAdmin.bearer], content: [0x78])
        #expect(answer.status == 400 && answer.text.contains("a reload has no content"))
        #expect(count.withLock { $0 } == 0)
    }

    @Test("wrong settings are 422 with what is known of the fault, and a daemon that is busy is 503")
    func refused() throws {
        let wrong = try Self.admin { .refused(detail: "it is wrong", members: [ProblemDocument.Member("line", "7")]) }
        let refusal = try wrong.post("/v1/reload", "")
        #expect(refusal.status == 422 && refusal["Content-Type"] == "application/problem+json")
        #expect(refusal.text.contains(#""detail":"it is wrong""#) && refusal.text.contains(#""line":"7""#))
        #expect(refusal.text.contains(#""status":422"#) && refusal["Cache-Control"] == "no-store")
        let busy = try Self.admin { .unavailable(detail: "it is busy") }
        let later = try busy.post("/v1/reload", "")
        #expect(later.status == 503 && later.text.contains("it is busy"))
    }

    @Test(
        "settings are those of all, of a URL, or of a URL and a method; a method needs the URL and is a name",
        arguments: [
            ("", #"{"url":"-","method":"GET"}"#),
            ("?url=http://a.example", #"{"url":"http://a.example/","method":"GET"}"#),
            ("?url=http://a.example/x&method=POST", #"{"url":"http://a.example/x","method":"POST"}"#),
            ("?method=POST", nil), ("?url=/x", nil), ("?url=http://a.example/&method=a%20b", nil),
            (
                "?url=http://a.example/&method=\(String(repeating: "M", count: 64))",
                "{\"url\":\"http://a.example/\",\"method\":\"\(String(repeating: "M", count: 64))\"}"
            ),
            ("?url=http://a.example/&method=\(String(repeating: "M", count: 65))", nil),
        ] as [(String, String?)]
    )
    func shown(query: String, expected: String?) throws {
        let answer = try Self.admin { .done { _ in } }.get("/v1/config\(query)")
        #expect(answer.status == (expected == nil ? 400 : 200))
        if let expected { #expect(answer.text == expected + "\n") }
    }

    @Test(
        "what is wrong in a question for settings is told in a sentence",
        arguments: [
            ("?url=/x", "`url` must be an absolute http or https URL"),
            ("?method=POST", "`method` must be the name of a method, and needs `url`"),
            ("?url=http://a.example/&method=a%20b", "`method` must be the name of a method, and needs `url`"),
        ]
    )
    func sentences(query: String, sentence: String) throws {
        let answer = try Self.admin { .done { _ in } }.get("/v1/config\(query)")
        #expect(answer.status == 400 && answer.text.contains("\"detail\":\"\(sentence)\""), "\(answer.text)")
    }

    @Test("a daemon without settings has none to show or to read again")
    func none() throws {
        let admin = try TestAdmin()
        for answer in [try admin.get("/v1/config"), try admin.post("/v1/reload", "")] {
            #expect(answer.status == 404 && answer.text.contains("this daemon has no settings"))
        }
    }
}
