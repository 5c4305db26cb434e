import HTTPCore
import Testing

@Suite("Target URIs")
struct TargetURITests {
    @Test(
        "references are resolved as in RFC 3986 §5.4",
        arguments: [
            ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
            ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"), ("", "http://a/b/c/d;p?q"),
            (".", "http://a/b/c/"), ("..", "http://a/b/"), ("../g", "http://a/b/g"), ("../../g", "http://a/g"),
            ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("g.", "http://a/b/c/g."),
            ("..g", "http://a/b/c/..g"),
            ("./g/.", "http://a/b/c/g/"), ("g/../h", "http://a/b/c/h"), ("g;x=1/../y", "http://a/b/c/y"),
            ("g?y/../x", "http://a/b/c/g?y/../x"), ("http://b/x/../y", "http://b/y"), ("HTTPS://B:443", "https://b/"),
            ("g:h", nil), ("mailto:a@b", nil), ("/a b", nil), ("http://u@b/", nil), ("//", nil), ("/\u{e9}", nil),
            ("http:g", nil),
        ] as [(String, String?)]
    )
    func resolution(reference: String, expected: String?) throws {
        let base = try TargetURI(parsing: "http://a/b/c/d;p?q")
        #expect(base.resolving(latin(reference))?.text == expected)
    }

    @Test("origins are compared by scheme, host and port")
    func origins() throws {
        let one = try TargetURI(parsing: "http://a.example/x")
        #expect(one.hasSameOrigin(as: try TargetURI(parsing: "http://A.example:80/y")))
        for other in ["https://a.example/x", "http://a.example:81/x", "http://a.example./x"] {
            #expect(!one.hasSameOrigin(as: try TargetURI(parsing: other)))
        }
    }

    @Test(
        "a URI made of another one's origin and a path is the one made of all its parts",
        arguments: [
            ("http://a.example/", "", "/x?y"), ("https://a.example:8443/p", "/p", "/x"), ("http://[::1]:81/", "", ""),
            ("https://a.example/p/", "/p", ""),
        ]
    )
    func sharedOrigin(base: String, prefix: String, path: String) throws {
        let base = try TargetURI(parsing: base)
        let whole = TargetURI(scheme: base.scheme, host: base.host, port: base.port, path: latin(prefix + path))
        let uri = TargetURI(originOf: base, prefix: latin(prefix), path: latin(path).span)
        #expect(uri == whole)
        #expect(uri.host == whole.host && uri.path == whole.path && uri.authority == whole.authority)
        #expect(uri.port == whole.port && uri.scheme == whole.scheme)
    }

    @Test("a URI from text loses its fragment and nothing else")
    func parsingText() throws {
        #expect(try TargetURI(parsing: "http://a.example/b#c?d").text == "http://a.example/b")
        for bad in ["", "a", "/a", "http://", "http://a.example b/", "ftp://a.example/", "http://\u{e9}/", "#"] {
            #expect(throws: ParseError.self) { try TargetURI(parsing: bad) }
        }
    }
}
