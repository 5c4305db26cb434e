import HTTPCore
import Testing

@testable import HTTPServer

/// Errors of ours as they go out, word by word.
@Suite struct ProblemResponseTests {
    @Test("a refusal has its date, its kind, a word of RFC 9209, and is kept by nobody")
    func whole() {
        let problem = ProblemDocument(status: 503, detail: "too \"many\"")
        let now = HTTPDate(seconds: 784_111_777)
        var output = Array("before".utf8)
        ProblemResponse.append(
            problem,
            fields: ProblemResponse.fields(problem, at: now),
            connection: .close,
            to: &output
        )
        let content = String(decoding: problem.json, as: UTF8.self)
        let expected =
            "beforeHTTP/1.1 503 Service Unavailable\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
            + "Content-Type: application/problem+json\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
            + "Proxy-Status: respite; error=http_request_error; details=\"too \\\"many\\\"\"\r\n"
            + "Content-Length: \(content.utf8.count)\r\nConnection: close\r\n\r\n\(content)"
        #expect(String(decoding: output, as: UTF8.self) == expected)
    }

    @Test("a given status of the proxy is told in place of the usual one")
    func givenStatus() {
        let problem = ProblemDocument(status: 502, detail: "no")
        let status = ProxyStatus(error: .dnsError)
        let fields = ProblemResponse.fields(problem, status: status, at: HTTPDate(seconds: 0))
        #expect(fields.value(of: .proxyStatus) == status.bytes && fields.count(of: .proxyStatus) == 1)
    }

    @Test("a refusal's reason fits into a status line: 200 bytes of ASCII without controls")
    func reasonPhrase() {
        func phrase(_ detail: String) -> String {
            String(decoding: ProblemDocument(status: 502, detail: detail).reasonPhrase, as: UTF8.self)
        }
        #expect(phrase("no route, ~ is for ever") == "no route, ~ is for ever")
        #expect(phrase("a\u{1F}\u{7F}\r\né") == "a??????")
        #expect(phrase(String(repeating: "x", count: 199)) == String(repeating: "x", count: 199))
        #expect(phrase(String(repeating: "y", count: 201)) == String(repeating: "y", count: 200))
    }

    @Test("the page of a problem is all of it, and nothing else")
    func page() {
        let problem = ProblemDocument(
            status: 502,
            detail: "no\tway\nout",
            members: [.init("origin", "a.example"), .init("tried", "2")]
        )
        let expected = """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>502 Bad Gateway</title>
            <style>
            :root { color-scheme: light dark }
            body { font: 1rem/1.5 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem }
            body { overflow-wrap: anywhere }
            dt { font-weight: bold }
            </style>
            <h1>502 Bad Gateway</h1>
            <p>no way out</p>
            <dl>
            <dt>origin<dd>a.example
            <dt>tried<dd>2
            </dl>
            <p><small>This is an answer of the proxy, Respite, not of the site.</small>

            """
        #expect(String(decoding: ProblemPage(problem: problem).bytes, as: UTF8.self) == expected)
        var bare = problem
        bare.members = []
        #expect(!String(decoding: ProblemPage(problem: bare).bytes, as: UTF8.self).contains("<dl>"))
    }

    @Test(
        "the page is preferred by weight, to the thousandth",
        arguments: [
            ("text/html;q=0.500, application/problem+json;q=0.499", true),
            ("text/html;q=0.499, application/problem+json;q=0.500", false),
            ("text/html;q=0.5, application/problem+json;q=0.5", false),
            ("text/html;q=0.001, application/problem+json;q=0.0001", true),
            ("text/html ;level=1 ;\tq=0.3, application/*;q=0.4", false),
            ("text/html;level=1, application/*;q=0.9", true), ("text/html;q=1.9, application/*;q=1", false),
            ("application/problem+json;q=0.1, text/html;q=0.2, application/*", true),
            ("application/problem+json;q=0.3, text/html;q=0.2, */*;q=0", false),
            ("text/*;q=0.2, application/*;q=0.1", true), ("text/html;q=0, text/*, */*", false),
            ("*/*;q=0.2, application/*;q=0.1", true), ("text/plain, image/png", false),
        ]
    )
    func weights(accept: String, isWanted: Bool) throws {
        let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nAccept: \(accept)\r\n\r\n".utf8)
        var parser = RequestParser()
        var head = RequestHead()
        try #require(parser.parse(bytes.span, into: &head) == .complete(consumed: bytes.count))
        #expect(ProblemPage.isWanted(by: head) == isWanted)
    }

    @Test("each outcome has its word and its number, which records keep")
    func outcomes() {
        let words = [
            "own", "hit", "stale", "revalidated", "miss", "collapsed", "pass", "upgrade", "tunnel", "command",
            "refused", "error", "left",
        ]
        #expect(RequestOutcome.allCases.map { "\($0.text)" } == words)
        #expect(RequestOutcome.allCases.map(\.rawValue) == Array(0..<13))
    }
}
