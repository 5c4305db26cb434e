import HTTPCore
import Testing

@Suite struct HostPatternTests {
    @Test(
        "a pattern of hosts covers names by label and ports by number",
        arguments: [
            ("a.example", "https://a.example/", true), ("A.Example", "https://a.example/x?y", true),
            ("a.example", "https://a.example:8443/", false), ("a.example", "https://b.a.example/", false),
            ("a.example:8443", "https://a.example:8443/", true), ("a.example:8443", "https://a.example/", false),
            ("a.example:*", "https://a.example:8443/", true), ("a.example:*", "https://a.example/", true),
            ("*.example", "https://a.example/", true), ("*.example", "https://b.a.example/", false),
            ("*.example", "https://example/", false), ("**.example", "https://b.a.example/", true),
            ("**.example", "https://example/", true), ("**", "https://a.example:8443/", true),
            ("127.0.0.1:8443", "https://127.0.0.1:8443/", true), ("[::1]", "https://[::1]/", true),
            ("a.example", "http://a.example:443/", false), ("*", "https://a.example:8443/", true),
            ("*:443", "https://a.example:8443/", false), ("*:*", "https://[::1]/", true),
            ("{a,b}.example:{443,8443}", "https://b.example:8443/", true),
            ("{a,b}.example:{443,8443}", "https://c.example:8443/", false),
            ("https://a.example", "https://a.example/", true), ("https://*.example/**", "https://a.example/", true),
            ("https://**", "https://a.example:8443/", true), ("*://a.example/**", "http://a.example/", true),
            ("http://a.example/**", "https://a.example/", false), ("a.example", "https://a.example./", true),
            ("a.example.", "https://a.example/", true), ("[0:0::1]", "https://[::1]/", true),
        ]
    )
    func matching(pattern: String, url: String, expected: Bool) throws {
        #expect(try HostPattern(pattern).matches(try TargetURI(parsing: url)) == expected)
    }

    @Test(
        "what is no pattern of hosts is refused with a sentence",
        arguments: [
            "", "https://a.example/", "https://a.example/*", "https://a.example/**?x", "a.example/**", "a.example/x",
            "/**", "a.example:0", "a.example:x", "u@a.example", "a b", "a?b", "?", ":443", "ftp://a.example", "::1",
            "{a,b/c}",
        ]
    )
    func refused(text: String) {
        let error = #expect(throws: URLGlob.SyntaxError.self) { _ = try HostPattern(text) }
        #expect(error?.userMessage.isEmpty == false)
    }

    @Test("a name is compared at whatever port, without case and without a dot at its end")
    func names() throws {
        let pattern = try HostPattern("{a,**.b}.example")
        for host in ["a.example", "b.example", "x.y.b.example", "a.example."] {
            #expect(pattern.matches(host: Array(host.utf8)), "\(host)")
        }
        for host in ["x.a.example", "xb.example", "example", "", "."] {
            #expect(!pattern.matches(host: Array(host.utf8)), "\(host)")
        }
        #expect(pattern.hosts == ["a.example", "**.b.example"])
        #expect(!pattern.hasEveryHost && !pattern.hasPort && pattern.ports.isEmpty)
        for every in ["**", "{*,a}", "**.*", "*.*", "https://**"] {
            #expect(try HostPattern(every).hasEveryHost, "\(every)")
        }
        #expect(try HostPattern("*").hasEveryHost && !HostPattern("*").hasPort && HostPattern("*:80").hasPort)
        #expect(try HostPattern("a:{1,2}").ports == [1, 2] && HostPattern("a:*").hasPort)
    }

    @Test(
        "a pattern of hosts that fits nothing has a warning",
        arguments: [
            ("http://a.example/**", "`https://a.example/**`"), (".a.example", "`**.a.example`"), ("a..b", nil),
            ("10.0.0.256", nil), ("{a,.b}.example:8443", "`**.b.example`"), ("a,b", nil),
        ] as [(String, String?)]
    )
    func warned(pattern: String, suggestion: String?) throws {
        #expect(try #require(try HostPattern(pattern).warning).suggestion == suggestion)
        #expect(try HostPattern("*.a.example").warning == nil && HostPattern("**").warning == nil)
    }
}
