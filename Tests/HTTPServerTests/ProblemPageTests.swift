import HTTPCore
import TestSupport
import Testing

@testable import HTTPServer

/// Errors of ours for who has opened a URL in a browser.
@Suite struct ProblemPageTests {
    private static func isWanted(_ fields: String...) throws -> Bool {
        let text = (["GET / HTTP/1.1", "Host: a"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
        let bytes = Array(text.utf8)
        var parser = RequestParser()
        var head = RequestHead()
        try #require(parser.parse(bytes.span, into: &head) == .complete(consumed: bytes.count))
        return ProblemPage.isWanted(by: head)
    }

    @Test(
        "a navigation gets a page, and who prefers one; a script's request, and who takes anything, does not",
        arguments: [
            (["Sec-Fetch-Dest: document"], true), (["Sec-Fetch-Dest: empty", "Accept: text/html"], false), ([], false),
            (["Accept: text/html,application/xhtml+xml,*/*;q=0.8"], true), (["Accept: */*"], false),
            (["Accept: application/json"], false), (["Accept: text/html;q=0.5, application/problem+json"], false),
            (["Accept: TEXT/*, application/*; q=0.999"], true), (["Accept: text/html; q=0"], false),
            (["Accept: text/html;q=0.5", "Accept: application/*;q=0.4"], true), (["Accept: ,"], false),
            (["Accept: text/html;q=zz, */*;q=."], true),
        ] as [([String], Bool)]
    )
    func wanted(fields: [String], expected: Bool) throws {
        let text = fields.joined(separator: "\r\n")
        #expect(try (fields.isEmpty ? Self.isWanted() : Self.isWanted(text)) == expected)
    }

    @Test("a browser gets the page with a policy that lets nothing run; a tool gets the document")
    func served() throws {
        let server = try TestServer()
        for (accept, type, hasPolicy) in [("text/html", "text/html", true), ("*/*", "application/problem+json", false)]
        {
            let client = server.client()
            client.send("GET /refuse HTTP/1.1\r\nHost: a\r\nAccept: \(accept)\r\nConnection: close\r\n\r\n")
            let text = client.receiveAll().text
            #expect(text.hasPrefix("HTTP/1.1 413 ") && text.contains("\r\nContent-Type: \(type)"), "\(text)")
            #expect(text.contains("\r\nContent-Security-Policy: \(ProblemPage.policy)\r\n") == hasPolicy)
        }
    }

    @Test("nothing in a page is markup but our own, and all of it is ASCII")
    func escaping() {
        let hostile = "</title><script>alert('\"1\"')</script>&amp;\u{202E}\u{0}\u{85}é"
        let problem = ProblemDocument(
            status: 502,
            title: hostile,
            detail: hostile,
            members: [.init("origin", hostile), .init(hostile, "x")]
        )
        let bytes = ProblemPage(problem: problem).bytes
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(bytes.allSatisfy { $0 == 0x0A || (0x20..<0x7F).contains($0) })
        #expect(!text.contains("<script") && !text.contains("\"1\"") && !text.contains("'"))
        #expect(
            text.contains(
                "&lt;script&gt;alert(&#39;&quot;1&quot;&#39;)&lt;/script&gt;&amp;amp;&#xFFFD;&#xFFFD;&#xFFFD;&#xE9;"
            )
        )
        #expect(text.hasPrefix("<!doctype html>") && text.contains("<title>502 "))
    }
}
