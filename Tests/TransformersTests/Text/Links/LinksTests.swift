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
            (#"{"a":"https://x.org/y"}"#, #"{"a":"http://127.0.0.1:3128/https://x.org/y"}"#),
            (#"["http:\/\/x.org\/y"]"#, #"["http://127.0.0.1:3128/http:\/\/x.org\/y"]"#),
            (#""HTTPS://X.org""#, #""http://127.0.0.1:3128/HTTPS://X.org""#),
            (
                #"["https://x.org:8080/{id}?a=\u0026b","é"]"#,
                #"["http://127.0.0.1:3128/https://x.org:8080/{id}?a=\u0026b","é"]"#
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
            #"{"https://x.org/":1,"http://y.org" : 2}"#, #"["see https://x.org/", "https://x.org/ is it"]"#,
            #"["git+https://x.org/","ftp://x.org/","//x.org/","https:","https://","http:/x","httpx://y","h",""]"#,
            #"["http://127.0.0.1:3128/https://x.org/","https://127.0.0.1:3128"]"#, #"["https://u:p@x.org/"]"#,
            #"["a\"https://x.org/","\\","https://x.org/\"","https://x.org/\n"]"#, #"["https://x.org/<b>"]"#,
            #"["https:\u002f\u002fx.org"]"#, #"["https://x.or"#, "", #"nonsense https://x.org/ "#,
        ]
    )
    func jsonUntouched(content: String) throws {
        try check(content, "application/json", content)
    }

    @Test("the metadata of an npm package leads through the gateway")
    func npm() throws {
        let content = """
            {"_id":"left-pad","name":"left-pad","homepage":"https://github.com/s/left-pad#readme",
             "repository":{"url":"git+https://github.com/s/left-pad.git"},
             "versions":{"1.3.0":{"dist":{"shasum":"5b8a","tarball":"https://npm-index.example/left-pad/-/left-pad-1.3.0.tgz",
             "signatures":[{"keyid":"SHA256:jl3b","sig":"MEUC"}]}}},"readme":"# left-pad\\n[![x](https://travis-ci.org/x.png)]"}
            """
        let expected = """
            {"_id":"left-pad","name":"left-pad","homepage":"http://127.0.0.1:3128/https://github.com/s/left-pad#readme",
             "repository":{"url":"git+https://github.com/s/left-pad.git"},
             "versions":{"1.3.0":{"dist":{"shasum":"5b8a","tarball":"http://127.0.0.1:3128/https://npm-index.example/left-pad/-/left-pad-1.3.0.tgz",
             "signatures":[{"keyid":"SHA256:jl3b","sig":"MEUC"}]}}},"readme":"# left-pad\\n[![x](https://travis-ci.org/x.png)]"}
            """
        try check(content, "application/vnd.npm.install-v1+json", expected)
    }

    @Test(
        "attributes of HTML that are absolute URLs get the prefix, however they are quoted",
        arguments: [
            (#"<a href="https://x.org/y">"#, #"<a href="http://127.0.0.1:3128/https://x.org/y">"#),
            ("<a href='http://x.org'>", "<a href='http://127.0.0.1:3128/http://x.org'>"),
            ("<A HREF=https://x.org/>t", "<A HREF=http://127.0.0.1:3128/https://x.org/>t"),
            ("<a href=https://x.org>", "<a href=http://127.0.0.1:3128/https://x.org>"),
            (
                "<img\nalt=x\tSrc\n=\n\" HTTP://x.org?a>b\" />",
                "<img\nalt=x\tSrc\n=\n\" http://127.0.0.1:3128/HTTP://x.org?a>b\" />"
            ),
            ("<a class=x href=https://x.org id=y>", "<a class=x href=http://127.0.0.1:3128/https://x.org id=y>"),
            ("<a disabled href='https://x.org'/>", "<a disabled href='http://127.0.0.1:3128/https://x.org'/>"),
            (
                "<form action='https://x.org/f'><button formaction=http://y.org>",
                "<form action='http://127.0.0.1:3128/https://x.org/f'><button formaction=http://127.0.0.1:3128/http://y.org>"
            ),
            (
                "<a href=\"https:&#x2F;&#47;x.org&#x2f;y\">",
                "<a href=\"http://127.0.0.1:3128/https:&#x2F;&#47;x.org&#x2f;y\">"
            ),
            (
                "<a href='http://x.org&amp;'><a href='http://x.org&'>",
                "<a href='http://127.0.0.1:3128/http://x.org&amp;'><a href='http://127.0.0.1:3128/http://x.org&'>"
            ),
            (
                "<script>a<</script><a href=https://y.org/>",
                "<script>a<</script><a href=http://127.0.0.1:3128/https://y.org/>"
            ),
            (
                "<script src='https://x.org/a.js'></script><a href='https://y.org/'>",
                "<script src='http://127.0.0.1:3128/https://x.org/a.js'></script><a href='http://127.0.0.1:3128/https://y.org/'>"
            ),
            (
                "<!-- > <a href='https://n.org/'> --><a href='https://x.org/'>",
                "<!-- > <a href='https://n.org/'> --><a href='http://127.0.0.1:3128/https://x.org/'>"
            ),
            ("<!--><a href='https://x.org/'>", "<!--><a href='http://127.0.0.1:3128/https://x.org/'>"),
            (
                "<!DOCTYPE html><svg><use xlink:href='https://x.org/'>",
                "<!DOCTYPE html><svg><use xlink:href='http://127.0.0.1:3128/https://x.org/'>"
            ),
            ("a < b <<a href='https://x.org/'>", "a < b <<a href='http://127.0.0.1:3128/https://x.org/'>"),
            ("</b x=\"<\"><a href='https://x.org/'>", "</b x=\"<\"><a href='http://127.0.0.1:3128/https://x.org/'>"),
        ]
    )
    func html(content: String, expected: String) throws {
        try check(content, "text/html; charset=utf-8", expected)
    }

    @Test(
        "each URL of a srcset gets it",
        arguments: [
            (
                "<img srcset='https://x.org/1.png, https://y.org/2.png 2x'>",
                "<img srcset='P/https://x.org/1.png, P/https://y.org/2.png 2x'>"
            ),
            (
                "<img srcset=\" /a 1x,https://x.org/b 2x ,\nhttp://y.org\">",
                "<img srcset=\" /a 1x,P/https://x.org/b 2x ,\nP/http://y.org\">"
            ),
            (
                "<source srcset='https://x.org/a,b.png f(1,2) 1x, https://y.org/'>",
                "<source srcset='P/https://x.org/a,b.png f(1,2) 1x, P/https://y.org/'>"
            ),
            ("<link imagesrcset=https://x.org/1>", "<link imagesrcset=P/https://x.org/1>"),
            ("<img srcset='https://x.org, https://y.org'>", "<img srcset='P/https://x.org, P/https://y.org'>"),
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
            "https://x.org/ <p>https://x.org/</p>", "<html xmlns='http://www.w3.org/1999/xhtml'>",
            "<a title='https://x.org/'>",
            "<script>var a = \"<a href='https://x.org/'>\";</script>",
            "<style>a{b:url(https://x.org/)} <a href=https://x.org></style>",
            "<textarea><a href='https://x.org/'></textarea>", "<title><a href=https://x.org></TITLE >",
            "<?php <a href='https://x.org/'",
            "<a href='/x'><a href='//x.org/'><a href='mailto:a@b'><a href=''><a href>", "</a href='https://x.org/'>",
            "<a href='https://u@x.org/'>",
            "<a href='http://127.0.0.1:3128/https://x.org/'>", "<a href='see https://x.org/'>", "<a href='https://",
            "<a hrefx='https://x.org/'>",
            "<script>a</scripty><a href='https://x.org/'></script>", "<a data-href='https://x.org/'>",
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
        #expect(try apply(#"["https://x.org/"]"#, "application/json", host: host) == nil)
        #expect(try LinksTransformer().variation(for: fields([("Host", host)])) == "")
        #expect(try apply(#"["https://x.org/"]"#, "application/json", host: nil) == nil)
    }

    @Test("the rendition depends on the gateway's name")
    func variation() throws {
        let links = try LinksTransformer()
        #expect(links.variation(for: fields([("Host", "Proxy.LOCAL:3128")])) == "proxy.local:3128")
        #expect(links.variation(for: fields([])) == "")
        let secure = fields([("Host", "Proxy.LOCAL:3443"), ("X-Forwarded-Proto", "https")])
        #expect(links.variation(for: secure) == "https:proxy.local:3443")
        #expect(LinkPrefix(request: secure)?.bytes == Array("https://proxy.local:3443/".utf8))
        #expect(
            try apply(#"["https://x.org/"]"#, "application/json", host: "[::1]:3128")
                == #"["http://[::1]:3128/https://x.org/"]"#
        )
    }

    @Test(
        "content of other types stays as it is",
        arguments: ["text/plain", "application/javascript", "image/svg+xml", "text/css", "x"]
    )
    func types(type: String) throws {
        #expect(try apply("<a href='https://x.org/'>", type) == nil)
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
        let long = "[\"https://x.org/" + String(repeating: "a", count: 100_000) + "\"]"
        #expect(try apply(long, "application/json") == long)
        let blanks = "[\"https://x.org/\"" + String(repeating: " ", count: 100_000) + "]"
        #expect(try apply(blanks, "application/json") == blanks)
    }

    @Test(
        "random content passes unchanged except for prefixes, however it is split",
        arguments: ["application/json", "text/html"]
    )
    func noise(type: String) throws {
        var random = FixedRandom(seed: 13)
        let words = [
            "\"", "\\", "http://", "x.org", "/", "<a ", "href", "=", "'", ">", "<!--", "-->", " ", ":", "<script>",
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
