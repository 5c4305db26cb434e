import Testing

@testable import Settings

/// `upstream.proxy`, `upstream.no-proxy` and `proxy` of services.
struct ProxySettingsTests {
    private func loaded(_ text: String) throws -> LoadedSettings {
        var reader = SettingsReader()
        reader.read(Array(text.utf8), name: "respite.toml")
        return try reader.finish()
    }

    private func fault(_ text: String) -> SettingsError? {
        do throws(SettingsError) {
            var reader = SettingsReader()
            reader.read(Array(text.utf8), name: "respite.toml")
            _ = try reader.finish()
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "a proxy is a URL of http, socks5 or socks5h, with a login or without",
        arguments: [
            ("http://Proxy.Example:3128", "http://proxy.example:3128"),
            ("socks5://127.0.0.1", "socks5://127.0.0.1:1080"),
            ("socks5h://[::1]:9050/", "socks5h://[::1]:9050"),
            ("HTTP://me:pa%3Ass@p.example:1", "http://me:pa%3Ass@p.example:1"),
            ("http://me@p.example:1", "http://me@p.example:1"),
            ("http://a%40b:c%2Fd@p.example:1", "http://a%40b:c%2Fd@p.example:1"),
            ("http://p.example", nil), ("http://p.example:0", nil), ("http://p.example:1/x", nil),
            ("http://:x@p.example:1", nil),
            ("http://a%3Ab:c@p.example:1", nil),
            ("http://%zz@p.example:1", nil), ("https://p.example:1", nil), ("socks4://p:1", nil), ("p:1", nil),
            ("", nil),
        ] as [(String, String?)]
    )
    func urls(text: String, expected: String?) {
        #expect((try? UpstreamProxy(text: text))?.text == expected)
    }

    @Test(
        "the line of a login file is USER:PASSWORD; only the first colon divides it",
        arguments: [
            ("me:secret", "me secret"), ("me:a:b", "me a:b"), ("me:", "me "), (":secret", nil), ("me", nil), ("", nil),
        ] as [(String, String?)]
    )
    func loginLines(line: String, expected: String?) {
        #expect(UpstreamProxy.login(line: line).map { "\($0.user) \($0.password)" } == expected)
    }

    @Test("a login may be in a file, and the forms are written as they are read")
    func forms() throws {
        let text = "{ url = \"http://p.example:1\", login = { file = \"login\" } }"
        let settings = try loaded(
            "[upstream]\nproxy = \(text)\nno-proxy = [\"*.a\", \"B\", \"10.0.0.0/8\", \"*\", \"[::1]\"]"
        )
        #expect(settings.values.upstream.proxy?.login == .file("login"))
        let key = try #require(SettingKey.byName["upstream.proxy"])
        #expect(key.tomlText(in: settings.values) == text && key.publicText(in: settings.values) == text)
        let exceptions = try #require(SettingKey.byName["upstream.no-proxy"])
        #expect(exceptions.tomlText(in: settings.values) == "[\"*.a\", \"b\", \"10.0.0.0/8\", \"*\", \"::1\"]")
        #expect(exceptions.defaultText == "[\"localhost\", \"127.0.0.0/8\", \"::1\"]")
        let services = try loaded(
            "[service.a]\nbase = \"http://a.example\"\nproxy = \"none\"\n[service.b]\nbase = \"http://b.example\"\nproxy = \"socks5://s.example:1\""
        )
        #expect(
            services.values.services.map(\.proxy) == [
                .some(.none), .through(try UpstreamProxy(text: "socks5://s.example:1")),
            ]
        )
    }

    @Test(
        "no-proxy fits names and those below, and address literals by their range",
        arguments: [
            (["corp.example"], "corp.example", true), (["corp.example"], "a.Corp.example", true),
            (["corp.example"], "notcorp.example", false), (["*.corp"], "corp", false), ([".corp"], "a.b.corp", true),
            (["corp"], "corp.", true), (["10.0.0.0/8"], "10.1.2.3", true), (["10.0.0.0/8"], "11.1.2.3", false),
            (["::1"], "[::1]", true), (["10.0.0.0/8"], "[::ffff:10.0.0.1]", true), (["*"], "anything", true),
            (["10.0.0.0/8"], "ten.example", false), ([], "a", false),
        ] as [([String], String, Bool)]
    )
    func exceptions(patterns: [String], host: String, expected: Bool) {
        let read = patterns.compactMap { NoProxyPattern(text: $0) }
        #expect(read.count == patterns.count)
        #expect(NoProxyPattern.fits(read, Array(host.utf8)) == expected)
    }

    @Test(
        "what is no pattern is refused",
        arguments: ["", "a b", "*.*", "10.0.0.1/8", "1.2.3", "http://a.example", "a:80"]
    )
    func badPatterns(text: String) {
        #expect(NoProxyPattern(text: text) == nil)
    }

    @Test("no listing, change or error shows a password")
    func secrets() throws {
        let text =
            "[upstream]\nproxy = \"http://me:hunter2@p.example:1\"\n[service.a]\nbase = \"http://a.example\"\nproxy = \"http://u:hunter2@q.example:2\""
        let settings = try loaded(text)
        let listing = SettingsDocument.listing(settings, showsSecrets: false)
        #expect(
            !listing.contains("hunter2") && listing.contains("http://(secret)@p.example:1")
                && listing.contains("(secret)@q.example:2")
        )
        #expect(SettingsDocument.listing(settings).contains("hunter2"))
        #expect(
            !String(decoding: SettingsDocument.listingJSON(settings, showsSecrets: false), as: UTF8.self).contains(
                "hunter2"
            )
        )
        let other = try loaded(text.replacing("hunter2@p", with: "hunter3@p"))
        let changes = other.changes(since: settings)
        #expect(changes.map(\.name) == ["upstream.proxy"])
        #expect(!"\(changes)".contains("hunter"))
        for wrong in [
            "[upstream]\nproxy = \"https://me:hunter2@p.example:1\"",
            "[upstream]\nproxy = [\"http://me:hunter2@p.example:1\"]",
            "[upstream]\nproxy = \"http://me:hunter2@p.example:1",
            "[upstream]\nproxy = { url = \"ftp://me:hunter2@p.example:1\" }",
            "[service.a]\nbase = \"http://a.example\"\nproxy = \"ftp://me:hunter2@p.example:1\"",
            "[upstream]\nproxy = { url = \"http://me:hunter2@p.example:1\", login = { file = \"x\" } }",
        ] {
            let error = try #require(fault(wrong))
            #expect(!"\(error)".contains("hunter2"), "\(error)")
        }
        #expect(fault("[upstream]\nproxy = \"https://p.example:1\"")?.userMessage.contains("TLS to a proxy") == true)
    }
}
