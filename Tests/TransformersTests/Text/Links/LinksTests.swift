import HTTPCore
import Transforms
import TestSupport
import Testing

@testable import Transformers

@Suite("Links in prefix form")
struct LinksTests {
    private static let gateway = "127.0.0.1:3128"

    private func apply(_ content: String, _ type: String, _ run: Run = Run(), host: String? = gateway) throws -> String?
    {
        var run = run
        run.request = host.map { [("Host", $0)] } ?? []
        var response = head(("Content-Type", type), ("Content-Length", "9"))
        let result = try run.transform(LinksTransformer(), &response, Array(content.utf8))
        #expect(response.fields.contains(.contentLength) == (result == nil))
        return result.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whole, and cut at every byte.
    private func check(_ content: String, _ type: String, _ expected: String) throws {
        #expect(try apply(content, type) == expected)
        for piece in 1...max(1, content.utf8.count) {
            #expect(try apply(content, type, Run(piece: piece, room: piece % 3 == 0 ? 1 : 1_000)) == expected)
        }
    }

    @Test(
        "strings of JSON that are absolute URLs get the prefix",
        arguments: [
            (#"{"a":"https://x.example/y"}"#, #"{"a":"http://127.0.0.1:3128/https://x.example/y"}"#),
            (#"["http:\/\/x.example\/y"]"#, #"["http://127.0.0.1:3128/http:\/\/x.example\/y"]"#),
            (#""HTTPS://X.example""#, #""http://127.0.0.1:3128/HTTPS://X.example""#),
            (
                #"["https://x.example:8080/{id}?a=\u0026b","é"]"#,
                #"["http://127.0.0.1:3128/https://x.example:8080/{id}?a=\u0026b","é"]"#
            ),
            (#"["https://[::1]/" ]"#, #"["http://127.0.0.1:3128/https://[::1]/" ]"#),
            (#"["http://ü.example/ü"]"#, #"["http://127.0.0.1:3128/http://ü.example/ü"]"#),
        ]
    )
    func json(content: String, expected: String) throws {
        try check(content, "application/json", expected)
    }

    @Test(
        "other strings of JSON stay: names, text with a URL in it, other schemes, the gateway's own",
        arguments: [
            #"{"https://x.example/":1,"http://y.example" : 2}"#,
            "{\"https://x.example/\"\r\n\t:1}",
            #"["see https://x.example/", "https://x.example/ is it"]"#,
            #"["git+https://x.example/","ftp://x.example/","//x.example/","https:","https://","http:/x","httpx://y","h",""]"#,
            #"["http://127.0.0.1:3128/https://x.example/","https://127.0.0.1:3128"]"#, #"["https://u:p@x.example/"]"#,
            #"["a\"https://x.example/","\\","https://x.example/\"","https://x.example/\n"]"#,
            #"["https://x.example/<b>"]"#,
            #"["https:\u002f\u002fx.example"]"#, #"["https://x.exampl"#, "", #"nonsense https://x.example/ "#,
        ]
    )
    func jsonUntouched(content: String) throws {
        try check(content, "application/json", content)
    }

    @Test("the metadata of an npm package leads through the gateway")
    func npm() throws {
        let content = """
            {"_id":"left-pad","name":"left-pad","homepage":"https://github.example/s/left-pad#readme",
             "repository":{"url":"git+https://github.example/s/left-pad.git"},
             "versions":{"1.3.0":{"dist":{"shasum":"5b8a","tarball":"https://npm-index.example/left-pad/-/left-pad-1.3.0.tgz",
             "signatures":[{"keyid":"SHA256:jl3b","sig":"MEUC"}]}}},"readme":"# left-pad\\n[![x](https://travis-ci.example/x.png)]"}
            """
        let expected = """
            {"_id":"left-pad","name":"left-pad","homepage":"http://127.0.0.1:3128/https://github.example/s/left-pad#readme",
             "repository":{"url":"git+https://github.example/s/left-pad.git"},
             "versions":{"1.3.0":{"dist":{"shasum":"5b8a","tarball":"http://127.0.0.1:3128/https://npm-index.example/left-pad/-/left-pad-1.3.0.tgz",
             "signatures":[{"keyid":"SHA256:jl3b","sig":"MEUC"}]}}},"readme":"# left-pad\\n[![x](https://travis-ci.example/x.png)]"}
            """
        try check(content, "application/vnd.npm.install-v1+json", expected)
    }

    @Test(
        "attributes of HTML that are absolute URLs get the prefix, however they are quoted",
        arguments: [
            (#"<a href="https://x.example/y">"#, #"<a href="http://127.0.0.1:3128/https://x.example/y">"#),
            ("<a href='http://x.example'>", "<a href='http://127.0.0.1:3128/http://x.example'>"),
            ("<A HREF=https://x.example/>t", "<A HREF=http://127.0.0.1:3128/https://x.example/>t"),
            ("<a href=https://x.example>", "<a href=http://127.0.0.1:3128/https://x.example>"),
            (
                "<img\nalt=x\tSrc\n=\n\" HTTP://x.example?a>b\" />",
                "<img\nalt=x\tSrc\n=\n\" http://127.0.0.1:3128/HTTP://x.example?a>b\" />"
            ),
            (
                "<a class=x href=https://x.example id=y>",
                "<a class=x href=http://127.0.0.1:3128/https://x.example id=y>"
            ),
            ("<a disabled href='https://x.example'/>", "<a disabled href='http://127.0.0.1:3128/https://x.example'/>"),
            (
                "<form action='https://x.example/f'><button formaction=http://y.example>",
                "<form action='http://127.0.0.1:3128/https://x.example/f'><button formaction=http://127.0.0.1:3128/http://y.example>"
            ),
            (
                "<a href=\"https:&#x2F;&#47;x.example&#x2f;y\">",
                "<a href=\"http://127.0.0.1:3128/https:&#x2F;&#47;x.example&#x2f;y\">"
            ),
            (
                "<a href='http://x.example&amp;'><a href='http://x.example&'>",
                "<a href='http://127.0.0.1:3128/http://x.example&amp;'><a href='http://127.0.0.1:3128/http://x.example&'>"
            ),
            (
                "<script>a<</script><a href=https://y.example/>",
                "<script>a<</script><a href=http://127.0.0.1:3128/https://y.example/>"
            ),
            (
                "<script>a=/script><a href=https://n.example/></script><a href=https://y.example/>",
                "<script>a=/script><a href=https://n.example/></script><a href=http://127.0.0.1:3128/https://y.example/>"
            ),
            (
                "<script src='https://x.example/a.js'></script><a href='https://y.example/'>",
                "<script src='http://127.0.0.1:3128/https://x.example/a.js'></script><a href='http://127.0.0.1:3128/https://y.example/'>"
            ),
            (
                "<!-- > <a href='https://n.example/'> --><a href='https://x.example/'>",
                "<!-- > <a href='https://n.example/'> --><a href='http://127.0.0.1:3128/https://x.example/'>"
            ),
            ("<!--><a href='https://x.example/'>", "<!--><a href='http://127.0.0.1:3128/https://x.example/'>"),
            (
                "<!DOCTYPE html><svg><use xlink:href='https://x.example/'>",
                "<!DOCTYPE html><svg><use xlink:href='http://127.0.0.1:3128/https://x.example/'>"
            ),
            ("a < b <<a href='https://x.example/'>", "a < b <<a href='http://127.0.0.1:3128/https://x.example/'>"),
            (
                "</b x=\"<\"><a href='https://x.example/'>",
                "</b x=\"<\"><a href='http://127.0.0.1:3128/https://x.example/'>"
            ),
        ]
    )
    func html(content: String, expected: String) throws {
        try check(content, "text/html; charset=utf-8", expected)
    }

    @Test(
        "each URL of a srcset gets it",
        arguments: [
            (
                "<img srcset='https://x.example/1.png, https://y.example/2.png 2x'>",
                "<img srcset='P/https://x.example/1.png, P/https://y.example/2.png 2x'>"
            ),
            (
                "<img srcset=\" /a 1x,https://x.example/b 2x ,\nhttp://y.example\">",
                "<img srcset=\" /a 1x,P/https://x.example/b 2x ,\nP/http://y.example\">"
            ),
            (
                "<source srcset='https://x.example/a,b.png f(1,2) 1x, https://y.example/'>",
                "<source srcset='P/https://x.example/a,b.png f(1,2) 1x, P/https://y.example/'>"
            ),
            ("<link imagesrcset=https://x.example/1>", "<link imagesrcset=P/https://x.example/1>"),
            (
                "<img srcset='https://x.example, https://y.example'>",
                "<img srcset='P/https://x.example, P/https://y.example'>"
            ),
        ]
    )
    func srcset(content: String, expected: String) throws {
        try check(content, "text/html", Self.withGateway(expected))
    }

    private static func withGateway(_ text: String) -> String {
        text.split(separator: "P/", omittingEmptySubsequences: false).joined(separator: "http://\(gateway)/")
    }

    @Test(
        "all other HTML stays as it is",
        arguments: [
            "https://x.example/ <p>https://x.example/</p>", "<html xmlns='http://www.w3.org/1999/xhtml'>",
            "<a title='https://x.example/'>",
            "<script>var a = \"<a href='https://x.example/'>\";</script>",
            "<style>a{b:url(https://x.example/)} <a href=https://x.example></style>",
            "<textarea><a href='https://x.example/'></textarea>", "<title><a href=https://x.example></TITLE >",
            "<?php <a href='https://x.example/'",
            "<a href='/x'><a href='//x.example/'><a href='mailto:a@b'><a href=''><a href>",
            "</a href='https://x.example/'>",
            "<a href='https://u@x.example/'>",
            "<a href='http://127.0.0.1:3128/https://x.example/'>", "<a href='see https://x.example/'>",
            "<a href='https://",
            "<a hrefx='https://x.example/'>",
            "<script>a</scripty><a href='https://x.example/'></script>", "<a data-href='https://x.example/'>",
            "<a href='http:&#x2F;", "<", "<!-", "<!---",
        ]
    )
    func htmlUntouched(content: String) throws {
        try check(content, "text/html", content)
    }

    @Test(
        "without a Host, or with one that could do harm, nothing changes",
        arguments: ["x\"y", "a b", "a/b", "<b>", "", "é"]
    )
    func hosts(host: String) throws {
        #expect(try apply(#"["https://x.example/"]"#, "application/json", host: host) == nil)
        #expect(try LinksTransformer().variation(for: fields([("Host", host)])) == "")
        #expect(try apply(#"["https://x.example/"]"#, "application/json", host: nil) == nil)
    }

    @Test("the rendition depends on the gateway's name")
    func variation() throws {
        let links = try LinksTransformer()
        #expect(links.variation(for: fields([("Host", "Proxy.EXAMPLE:3128")])) == "proxy.example:3128")
        #expect(links.variation(for: fields([])) == "")
        let secure = fields([("Host", "Proxy.EXAMPLE:3443"), ("X-Forwarded-Proto", "https")])
        #expect(links.variation(for: secure) == "https:proxy.example:3443")
        #expect(LinkPrefix(request: secure)?.bytes == Array("https://proxy.example:3443/".utf8))
        #expect(
            try apply(#"["https://x.example/"]"#, "application/json", host: "[::1]:3128")
                == #"["http://[::1]:3128/https://x.example/"]"#
        )
    }

    @Test(
        "content of other types stays as it is",
        arguments: ["text/plain", "application/javascript", "image/svg+xml", "text/css", "x"]
    )
    func types(type: String) throws {
        #expect(try apply("<a href='https://x.example/'>", type) == nil)
    }

    @Test("output per call is bounded, and long strings are not held back")
    func bounds() throws {
        var run = Run(piece: 65_536, room: 10_000)
        run.request = [("Host", Self.gateway)]
        var response = head(("Content-Type", "application/json"))
        let links = Array(String(repeating: #""http://x","#, count: 20_000).utf8)
        let result = try #require(try run.transform(LinksTransformer(), &response, links))
        #expect(result.count == links.count + 20_000 * "http://127.0.0.1:3128/".utf8.count)
        #expect(run.largestCall <= 10_000 + 16_384)
        let long = "[\"https://x.example/" + String(repeating: "a", count: 100_000) + "\"]"
        #expect(try apply(long, "application/json") == long)
        let blanks = "[\"https://x.example/\"" + String(repeating: " ", count: 100_000) + "]"
        #expect(try apply(blanks, "application/json") == blanks)
    }

    @Test(
        "random content passes unchanged except for prefixes, however it is split",
        arguments: ["application/json", "text/html"]
    )
    func noise(type: String) throws {
        var random = FixedRandom(seed: 13)
        let words = [
            "\"", "\\", "http://", "x.example", "/", "<a ", "href", "=", "'", ">", "<!--", "-->", " ", ":", "<script>",
            "</script>", "srcset", ",", "&#x2F;", "s", "{", "}",
        ]
        for _ in 0..<300 {
            let content = (0..<(random.next() % 40)).map { _ in words[Int(random.next() % UInt64(words.count))] }
                .joined()
            let whole = try apply(content, type)
            let run = Run(piece: 1 + Int(random.next() % 7), room: 1 + Int(random.next() % 50))
            #expect(try apply(content, type, run) == whole)
            let without = whole?.split(separator: "http://\(Self.gateway)/", omittingEmptySubsequences: false).joined()
            #expect(without == content)
        }
    }

    @Test("`links` is \"prefix\"")
    func options() throws {
        #expect(throws: TransformerOptionError.self) { try LinksTransformer(form: "relative") }
        #expect(try LinksTransformer().needsDecodedContent)
    }
}
