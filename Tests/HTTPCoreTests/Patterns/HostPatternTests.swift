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
            ("a.example", "http://a.example:443/", false),
        ]
    )
    func matching(pattern: String, url: String, expected: Bool) throws {
        #expect(try HostPattern(pattern).matches(try TargetURI(parsing: url)) == expected)
    }

    @Test(
        "what is no pattern of hosts is refused with a sentence",
        arguments: [
            "", "https://a.example", "a.example/x", "a.example:0", "a.example:x", "u@a.example", "a b", "a?b", ":443",
        ]
    )
    func refused(text: String) {
        let error = #expect(throws: URLGlob.SyntaxError.self) { _ = try HostPattern(text) }
        #expect(error?.userMessage.isEmpty == false)
    }
}
