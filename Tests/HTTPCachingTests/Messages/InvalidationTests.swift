import HTTPCaching
import HTTPCore
import Testing

@Suite("invalidation (RFC 9111 §4.4)")
struct InvalidationTests {
    private let target = TargetURI(scheme: .http, host: "a.example".bytes, port: 8080, path: "/x/y?z".bytes)

    private func targets(_ lines: [FieldLine] = [], status: UInt16 = 200, method: Method = .post) -> [String] {
        Invalidation.targets(method: method, target: target, status: status, fields: Fields(lines)).map(\.text)
    }

    @Test("every method not known to be safe invalidates, unknown ones too (C-15.1)")
    func methods() {
        for method in [Method.post, .put, .delete, .patch, .other("M-SEARCH".bytes), .other("get".bytes)] {
            #expect(Invalidation.isUnsafe(method))
            #expect(targets(method: method) == ["http://a.example:8080/x/y?z"])
        }
        for method in [Method.get, .head, .options, .trace, .query] {
            #expect(!Invalidation.isUnsafe(method))
            #expect(targets(method: method).isEmpty)
        }
    }

    @Test(
        "a success or redirection invalidates, an error nothing (C-15.1, C-15.2)",
        arguments: [(200, 1), (204, 1), (302, 1), (399, 1), (400, 0), (404, 0), (500, 0), (599, 0), (103, 0)]
            as [(UInt16, Int)]
    )
    func statuses(status: UInt16, count: Int) { #expect(targets(status: status).count == count) }

    @Test(
        "Location and Content-Location of the same origin are invalidated too (C-21.8)",
        arguments: [
            ("/other", "/other"), ("http://a.example:8080/other?q", "/other?q"), ("//A.EXAMPLE:8080/o", "/o"),
            ("HTTP://a.example:8080", "/"), ("w", "/x/w"), ("../w", "/w"), ("../../../w", "/w"),
            ("./w/./v/../u", "/x/w/u"),
            ("?q", "/x/y?q"), ("/a/b/..", "/a/"), ("/a/./", "/a/"), ("w#frag", "/x/w"),
            ("http://a.example:8080?q", "/?q"),
            ("/a?b=../c", "/a?b=../c"), ("w:v/..", nil), ("/w:v", "/w:v"), ("//", nil), (".", "/x/"),
        ] as [(String, String?)]
    )
    func references(reference: String, path: String?) {
        let expected = path.map { ["http://a.example:8080\($0)"] } ?? []
        for field in ["Location", "Content-Location"] {
            #expect(targets([(field, reference)]) == ["http://a.example:8080/x/y?z"] + expected)
        }
    }

    @Test(
        "references to other origins are not followed (H-123)",
        arguments: [
            "http://b.example:8080/w", "https://a.example:8080/w", "http://a.example/w", "//b.example/w",
            "http://a.example:8081/w", "http://u@a.example:8080/w", "ftp://a.example:8080/w", "mailto:a", "http:/w",
            "http://a.example:8080:8080/w", "http://a.example:x/w", "//a.example:99999999/w", "/w w", "/w\u{7F}", "/ü",
            "http://[::1]:8080/w", "http://a.example.:8080/w",
        ]
    )
    func otherOrigins(reference: String) {
        #expect(targets([("Location", reference)]) == ["http://a.example:8080/x/y?z"])
    }

    @Test("default ports and IPv6 literals are compared as what they are (C-21.8)")
    func authorities() {
        let secure = TargetURI(scheme: .https, host: "[::1]".bytes, port: 443, path: "/".bytes)
        for reference in ["https://[::1]/w", "https://[::1]:443/w", "//[::1]:/w"] {
            let all = Invalidation.targets(
                method: .put,
                target: secure,
                status: 201,
                fields: Fields([("Location", reference)])
            )
            #expect(all.map(\.text) == ["https://[::1]/", "https://[::1]/w"])
        }
    }

    @Test("the target named again is invalidated once")
    func once() { #expect(targets([("Location", "/x/y?z"), ("Content-Location", "y?z")]).count == 1) }
}
