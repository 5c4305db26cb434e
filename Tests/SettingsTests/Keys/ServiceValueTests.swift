import Testing
import TOML

@testable import Settings

/// The values that members of services may have, at the borders of what is right.
@Suite struct ServiceValueTests {
    private static func service(_ lines: String) -> String { "[service.x]\nbase = \"http://h.example/\"\n\(lines)\n" }

    @Test(
        "a base is a URL without dot segments, query and fragment, and has no slash at its end",
        arguments: [
            ("http://h.example", "http://h.example/"), ("http://h.example/a/", "http://h.example/a"),
            ("http://h.example/a", "http://h.example/a"), ("http://h.example//", "http://h.example/"),
            ("http://h.example/...", "http://h.example/..."), ("http://h.example/a//b", "http://h.example/a//b"),
            ("http://h.example/.a/b..", "http://h.example/.a/b.."),
            ("http://h.example/a//", nil), ("http://h.example/a/../b", nil), ("http://h.example/..", nil),
            ("http://h.example/./a", nil), ("http://h.example/.", nil), ("http://h.example/a?b", nil),
            ("http://h.example/a#b", nil), ("http://h.example/*", nil), ("h.example", nil),
        ] as [(String, String?)]
    )
    func bases(text: String, base: String?) throws {
        let file = "[service.x]\nbase = \"\(text)\"\n"
        guard let base else {
            #expect(
                refusal(file)?.summary
                    == "respite.toml:2:8: `service.x.base` must be an absolute http or https URL such as "
                    + "\"https://api.example.com/v1\", without query, not \"\(text)\""
            )
            return
        }
        #expect(try load(file).values.services.map(\.base.text) == [base])
    }

    @Test(
        "the origin of a web page is as a browser sends it, or every one",
        arguments: [
            ("*", "*"), ("https://a.example", "https://a.example"), ("HTTPS://A.example:443", "https://a.example"),
            ("http://a.example:8080", "http://a.example:8080"), ("https://a.example/", nil),
            ("https://a.example/x", nil), ("a.example", nil), ("null", nil),
        ] as [(String, String?)]
    )
    func webOrigins(text: String, origin: String?) throws {
        let file = Self.service("allow-origins = \"\(text)\"")
        guard let origin else {
            #expect(
                refusal(file)?.summary
                    == "respite.toml:3:17: `service.x.allow-origins` must be an origin such as \"https://app.example\", or "
                    + "\"*\", not \"\(text)\""
            )
            return
        }
        #expect(try load(file).values.services.map(\.allowOrigins) == [[origin]])
    }

    private static let faults: [(String, String)] = [
        ("headers = { A = {} }", "3:17: `service.x.headers` needs `file`, where the value is"),
        ("headers = { A = { prefix = \"x\" } }", "3:17: `service.x.headers` needs `file`, where the value is"),
        ("headers = { A = { file = \"\" } }", "3:26: `headers.A.file` must be the path of a file, not \"\""),
        (
            "headers = { A = { file = \"f\", prefix = \"a\\tb\" } }",
            "3:40: `headers.A.prefix` must be text in one line, not \"a\u{FFFD}b\""
        ),
        (
            "headers = { A = { file = \"f\", prefix = \"\\u007f\" } }",
            "3:40: `headers.A.prefix` must be text in one line, not \"\u{FFFD}\""
        ),
        ("headers = { A = \"b\", a = \"c\" }", "3:22: `service.x.headers` has a twice"),
        ("headers = { Range = \"x\" }", "3:13: `service.x.headers` cannot set Range, which is the proxy's own"),
        (
            "headers = { A = \" b\" }",
            "3:17: `service.x.headers` must be the value of a field: text in one line, without spaces around it"
        ),
        (
            "headers = { A = 1 }",
            "3:17: `service.x.headers` must be the value of a field: text in one line, without spaces around it"
        ),
        (
            "headers = \"b\"",
            "3:11: `service.x.headers` must be a table such as { Authorization = { file = \"token\" } }, not text"
        ),
        ("token = {}", "3:9: `service.x.token` needs `url`, the token endpoint"),
        ("token = { url = \"http://l.example/\" }", "3:9: `service.x.token` needs `client-id`"),
        (
            "token = { url = \"http://l.example/\", client-id = \"a\" }",
            "3:9: `service.x.token` needs `client-secret` or `refresh-token`"
        ),
        (
            "token = { url = \"http://l.example/#x\" }",
            "3:17: `token.url` must be an absolute http or https URL such as \"https://login.example.com/token\", not "
                + "\"http://l.example/#x\""
        ),
        ("token = { client-secret = {} }", "3:27: `token.client-secret` needs `file`, where the value is"),
        (
            "token = 1",
            "3:9: `service.x.token` must be a table such as { url = \"https://…/token\", client-id = \"…\", "
                + "client-secret = { file = \"…\" } }, not a whole number"
        ),
        (
            "client-certificate = {}",
            "3:22: `service.x.client-certificate` needs `certificate-file` and `key-file`"
        ),
        (
            "client-certificate = { certificate-file = \"a\" }",
            "3:22: `service.x.client-certificate` needs `certificate-file` and `key-file`"
        ),
        (
            "client-certificate = { key-file = \"a\" }",
            "3:22: `service.x.client-certificate` needs `certificate-file` and `key-file`"
        ),
        (
            "client-certificate = \"a\"",
            "3:22: `service.x.client-certificate` must be a table such as { certificate-file = \"me.crt\", key-file = "
                + "\"me.key\" }, not text"
        ),
        ("proxy = {}", "3:9: `service.x.proxy` needs `url`"),
        ("proxy = { login = { file = \"f\" } }", "3:9: `service.x.proxy` needs `url`"),
        ("proxy = { url = \"http://p.example:1\", login = {} }", "3:9: `service.x.proxy` needs `file` in `login`"),
        (
            "proxy = { url = \"http://u@p.example:1\", login = { file = \"f\" } }",
            "3:9: `service.x.proxy` has two logins: one in `url` and `login`"
        ),
        (
            "proxy = { url = \"p.example\" }",
            "3:17: `proxy.url` must be a URL such as \"http://proxy.example:3128\", \"socks5://127.0.0.1:1080\" or "
                + "\"socks5h://127.0.0.1:1080\""
        ),
        ("proxy = { url = 1 }", "3:17: `proxy.url` must be a URL, not a whole number"),
        ("bas = \"http://h.example\"", "3:1: unknown setting `service.x.bas`; did you mean `service.x.base`?"),
    ]

    @Test("what is wrong in a service is told in full", arguments: faults)
    func mistakes(lines: String, message: String) {
        #expect(refusal(Self.service(lines))?.summary == "respite.toml:" + message)
    }

    private static func token(_ members: String) -> String {
        service("token = { url = \"http://l.example/\", client-secret = { file = \"s\" }, \(members) }")
    }

    @Test(
        "a client's identifier has visible characters and spaces, from one on",
        arguments: [(" ", true), ("~", true), ("", false), ("\\u001f", false), ("\\u007f", false), ("é", false)]
    )
    func clientTexts(text: String, isRight: Bool) {
        let error = refusal(Self.token("client-id = \"\(text)\""))
        #expect((error == nil) == isRight)
        #expect(error?.userMessage.hasPrefix("`token.client-id` must be text of visible characters, not ") != false)
    }

    @Test(
        "a scope has names of visible characters, without quotes and backslashes",
        arguments: [
            ("", true), ("a b", true), ("!#[]~", true), ("\\\"", false), ("\\\\", false), ("\\u001f", false),
            ("\\u007f", false),
        ]
    )
    func scopes(text: String, isRight: Bool) {
        let error = refusal(Self.token("client-id = \"a\", scope = \"\(text)\""))
        #expect((error == nil) == isRight)
        #expect(error?.userMessage.hasPrefix("`token.scope` must be names with a space between them, not ") != false)
    }

    @Test("secrets of a service are read from the files that it names")
    func files() throws {
        let service = try #require(
            try load(
                Self.service(
                    """
                    headers = { A = { file = "f", prefix = "~ " }, B = { file = "g" } }
                    token = { url = "http://l.example/", client-id = "a", refresh-token = { file = "r" } }
                    client-certificate = { certificate-file = "c", key-file = "k" }
                    proxy = { url = "http://p.example:1", login = { file = "l" } }
                    """
                )
            )
            .values.services.first
        )
        #expect(
            service.headers == [
                ServiceField(name: "A", value: .file(path: "f", prefix: "~ ")),
                ServiceField(name: "B", value: .file(path: "g", prefix: "")),
            ]
        )
        #expect(service.token?.refreshToken == "r" && service.token?.clientSecret == nil)
        #expect(service.clientCertificate?.certificateFile == "c" && service.clientCertificate?.keyFile == "k")
        var proxy = try UpstreamProxy(text: "http://p.example:1")
        proxy.login = .file("l")
        #expect(service.proxy == .through(proxy))
    }

    // MARK: How values are written

    @Test(
        "a key is written without quotes where TOML allows it",
        arguments: [
            ("aAzZ09-_", "aAzZ09-_"), ("", "\"\""), ("a.b", "\"a.b\""), ("a b", "\"a b\""), ("é", "\"é\""),
        ]
    )
    func keys(name: String, text: String) { #expect(TOMLText.key(name) == text) }

    @Test(
        "text is written so that TOML reads the same",
        arguments: [
            ("a", "\"a\""), ("\"\\", "\"\\\"\\\\\""), ("\n\t", "\"\\n\\t\""), ("\u{1}", "\"\\u0001\""),
            ("\u{1F}", "\"\\u001f\""), ("\u{7F}", "\"\\u007f\""), (" ~é", "\" ~é\""), ("${A}", "\"$${A}\""),
            ("$", "\"$\""),
        ]
    )
    func texts(value: String, text: String) { #expect(TOMLText.quoted(value) == text) }
}
