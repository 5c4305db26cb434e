import Testing

@testable import Settings

/// What settings of services and proxies tell of secrets: in warnings, and in the lines of mistakes.
@Suite struct SecretWordTests {
    private static let base = "service.x.base=http://x.example"

    @Test(
        "a field whose name has a word for a secret is warned of on a command line",
        arguments: [
            ("X-Auth", true), ("AUTHORIZATION", true), ("Cookie", true), ("X-Key", true), ("X-Token", true),
            ("X-Secret", true), ("X-Password", true), ("X-Credential", true), ("X-Signature", true), ("Accept", false),
            ("X-Name", false), ("User-Agent", false),
        ]
    )
    func words(name: String, isSecret: Bool) throws {
        let loaded = try load("", options: [Self.base, "service.x.headers.\(name)=hunter2"])
        let warning =
            "--set: `service.x.headers.\(name)` has a secret, which everybody on this machine can read in the list of "
            + "processes: write { file = \"PATH\" } and move it there"
        #expect(loaded.warnings.map(\.summary) == (isSecret ? [warning] : []))
    }

    @Test("a proxy's password on a command line is warned of", arguments: ["upstream.proxy", "service.x.proxy"])
    func proxies(name: String) throws {
        let loaded = try load("", options: [Self.base, "\(name)=http://me:hunter2@p.example:1"])
        #expect(
            loaded.warnings.map(\.summary) == [
                "--set: `\(name)` has a password, which everybody on this machine can read in the list of processes: "
                    + "write { url = \"…\", login = { file = \"PATH\" } } and move user and password there"
            ]
        )
        #expect(try load("", options: [Self.base, "\(name)=http://p.example:1"]).warnings.isEmpty)
    }

    @Test(
        "a mistake in a service shows its line, unless that may have a secret",
        arguments: [
            ("base = \"x\"", true), ("allow-origins = \"x\"", true), ("inject = \"al\"", true), ("mode = \"of\"", true),
            ("rate-limit = \"x\"", true), ("retry = 1", true), ("verify = \"maybe\"", true),
            ("rule = [{ match = 1 }]", true), ("token = \"x\"", false), ("client-certificate = \"x\"", false),
            ("headers = \"x\"", false), ("proxy = \"x\"", false), ("bas = \"x\"", false),
        ]
    )
    func lines(line: String, isShown: Bool) throws {
        let error = try #require(refusal("[service.x]\n\(line)\n"))
        #expect(error.line == 2)
        #expect(error.lineText == (isShown ? line : nil))
    }

    @Test(
        "of text with several lines each line is hidden, also the last one, and none behind it",
        arguments: ["one\nhunter2", "\none\nhunter2", "one\\\n\n  hunter2"]
    )
    func severalLines(text: String) throws {
        func shown(_ text: String) throws -> [String?] {
            let mistakes = try #require(refusal(text)).mistakes
            return mistakes.filter { $0.userMessage.hasPrefix("`service.x.mode` must be") }.map(\.lineText)
        }
        let headers = "headers = { X-A = \"\"\"\(text)\"\"\" }"
        let base = "base = \"http://x.example\""
        #expect(try shown("[service.x]\n\(base)\n\(headers)\nmode = \"frob\"\n") == ["mode = \"frob\""])
        #expect(try shown("service.x = { \(base), \(headers), mode = \"frob\" }\n") == [nil])
    }

    @Test("where text is no TOML, no line behind the start of text of several lines is shown", arguments: ["\"", "'"])
    func brokenLines(quote: String) throws {
        let fence = String(repeating: quote, count: 3)
        func shown(_ lines: String) throws -> String? { try #require(refusal("[upstream]\n\(lines)\n")).lineText }
        #expect(try shown("proxy = \(fence)\nhttp://me:hunter2@p.example:1\(fence) x") == nil)
        #expect(try shown("# \(fence)\nproxy = \(fence)\nhttp://me:hunter2@p.example:1\(fence) x") == nil)
        #expect(try shown("proxy = \(fence)\na\\\(fence) b\nhttp://me:hunter2@p.example:1\(fence) x") == nil)
        #expect(try shown("x y") == "x y" && shown("# \(quote)\nx y") == "x y")
    }

    @Test("a number on a command line is text where a service's setting is one")
    func numbers() throws {
        let loaded = try load("", options: [Self.base, "service.x.headers.X-A=123"])
        #expect(loaded.values.services.map(\.headers) == [[ServiceField(name: "X-A", value: .text("123"))]])
        #expect(
            refusal("", options: [Self.base, "service.x.proxy=123"])?.userMessage
                == "`service.x.proxy` must be a URL such as \"http://proxy.example:3128\", \"socks5://127.0.0.1:1080\" or "
                + "\"socks5h://127.0.0.1:1080\""
        )
    }
}
