import Testing

@testable import Settings

/// How members of rules are written back, and which words and fields they refuse.
@Suite struct RuleFormTests {
    private static func rule(_ text: String) -> String { "[[rule]]\nmatch = \"http://h.example/**\"\n\(text)\n" }

    @Test(
        "a member of a rule is shown in its shortest form, without what is so by default",
        arguments: [
            ("fail = { how = \"timeout\" }", "fail = \"timeout\""),
            ("fail = { how = \"reset\", share = 1 }", "fail = \"reset\""),
            ("fail = { how = \"timeout\", share = 0.5 }", "fail = { how = \"timeout\", share = 0.5 }"),
            ("fail = { how = \"reset\", share = 0.5 }", "fail = { how = \"reset\", share = 0.5 }"),
            ("fail = { status = 503, share = 1.0 }", "fail = { status = 503 }"), ("fail = false", "fail = false"),
            ("redirect = { to = \"https://a.example/\", status = 307 }", "redirect = \"https://a.example/\""),
            (
                "redirect = { to = \"https://a.example/\", status = 308 }",
                "redirect = { to = \"https://a.example/\", status = 308 }"
            ),
            ("redirect = false", "redirect = false"), ("deny = false", "deny = false"),
            ("retry = {}", "retry = true"), ("retry = { attempts = 3 }", "retry = true"),
            ("retry = { attempts = 4, delay = \"200ms\" }", "retry = { attempts = 4 }"),
            ("retry = false", "retry = false"),
            ("rate-limit = { rate = \"10/s\", max-wait = \"10s\" }", "rate-limit = \"10/s\""),
            ("rate-limit = { rate = \"60/1m\", burst = 2 }", "rate-limit = { rate = \"60/m\", burst = 2 }"),
            ("rate-limit = { rate = \"10/15s\" }", "rate-limit = \"10/15s\""),
            ("rate-limit = false", "rate-limit = false"), ("rate = \"1024B/s\"", "rate = \"1KiB/s\""),
            ("rate = false", "rate = false"), ("status = \"400-499\"", "status = [\"4xx\"]"),
            ("transform = { encode = \"gzip\", always = false }", "transform = [{ encode = [\"gzip\"] }]"),
            ("transform = { json = \"pretty\" }", "transform = [{ json = \"pretty\", indent = 2 }]"),
            (
                "transform = { redact = \"$.a\", ignore-case = false }",
                "transform = [{ redact = [\"$.a\"], with = \"[redacted]\" }]"
            ),
            ("transform = \"none\"", "transform = [\"none\"]"),
            ("key-body = { json = true, ignore = \"$.a\" }", "key-body = { json = true, ignore = [\"$.a\"] }"),
        ]
    )
    func shown(text: String, shown: String) throws {
        let listing = SettingsDocument.listing(try load(Self.rule(text)))
        #expect(listing.contains("\n\(shown)  # respite.toml:3:1\n"), "\(listing.suffix(200))")
    }

    // MARK: Redirects

    @Test(
        "a redirect leads to any absolute URL, also to a host of one letter, with a port, or without a path",
        arguments: [
            "http://a.example", "http://a.example/", "https://a.example$path", "http://a.example:81$path",
            "http://[::1]$path", "https://a.example/b$path?c",
            "http://a.example/!~", "http://a.example/#x",
        ]
    )
    func redirects(target: String) throws {
        var settings = RedirectSettings()
        settings.target = target
        for value in ["\"\(target)\"", "{ to = \"\(target)\" }"] {
            #expect(try load(Self.rule("redirect = \(value)")).values.rules.map(\.redirect) == [.to(settings)])
        }
    }

    @Test(
        "a redirect leads to no host that the path of a request would name, and to nothing but visible ASCII",
        arguments: [
            "https://$path", "http://$path.example/", "http:///x", "ht$path://a/", "//a/", "http:a/",
            "ftp://a.example/",
            "http://a.example/ x", "http://a.example/# ", "http://a.example/#\\u007F", "http://a.example/#\\u00FC",
        ]
    )
    func noRedirects(target: String) throws {
        let error = try #require(refusal(Self.rule("redirect = \"\(target)\"")))
        #expect(error.summary.hasPrefix("respite.toml:3:12: `rule.redirect` must be an absolute http or https URL"))
    }

    // MARK: Fields

    @Test(
        "fields of connections, framing and routing cannot be set, in requests or responses",
        arguments: [
            "Connection", "Content-Length", "Keep-Alive", "Proxy-Connection", "TE", "Trailer", "Transfer-Encoding",
            "Upgrade", "Via",
        ]
    )
    func reservedFields(name: String) {
        for side in ["request", "response"] {
            let error = refusal(Self.rule("set-field = { \(side) = { \(name) = \"a\" } }"))
            #expect(error?.userMessage == "`set-field.\(side)` cannot set \(name), which is the proxy's own")
        }
    }

    @Test(
        "fields by which requests are routed and conditional cannot be set in requests, but in responses",
        arguments: [
            "Expect", "Host", "Max-Forwards", "Proxy-Authorization", "Range", "If-Range", "If-Match", "If-None-Match",
            "If-Modified-Since", "If-Unmodified-Since",
        ]
    )
    func fieldsOfRequests(name: String) {
        let error = refusal(Self.rule("set-field = { request = { \(name) = \"a\" } }"))
        #expect(error?.userMessage == "`set-field.request` cannot set \(name), which is the proxy's own")
        #expect(refusal(Self.rule("set-field = { response = { \(name) = \"a\" } }")) == nil)
    }

    // MARK: Words

    @Test(
        "a word that means one of the kinds of partition is no name of one",
        arguments: [
            ("private", "credential"), ("personal", "credential"), ("authorization", "credential"),
            ("cookie", "credential"), ("users", "user"), ("login", "user"), ("public", "shared"),
            ("common", "shared"), ("none", "shared"), ("default", "shared"),
        ]
    )
    func partitionWords(word: String, meant: String) {
        #expect(refusal(Self.rule("partition = \"\(word)\""))?.suggestion == meant)
    }

    @Test(
        "a partition's name has up to 63 letters in lower case, digits, dots and hyphens, and begins with no hyphen",
        arguments: [
            (String(repeating: "a", count: 63), true), (String(repeating: "a", count: 64), false), ("a.b-c9", true),
            ("9", true), ("a", true), ("-a", false), ("a-", true), ("A", false), ("a_b", false), ("", false),
        ]
    )
    func partitionNames(name: String, isRight: Bool) {
        #expect((refusal(Self.rule("partition = \"\(name)\"")) == nil) == isRight)
    }

    @Test(
        "a word of other proxies is no directive of cache-even but names the setting for it",
        arguments: [
            ("vary", "rule.vary-ignore"), ("Expires", "rule.ttl"), ("max-age", "rule.ttl"),
            ("reload", "rule.ignore-client-no-cache"), ("Set-Cookie", "rule.set-cookie"),
        ]
    )
    func relatives(word: String, setting: String) {
        let error = refusal(Self.rule("cache-even = [\"\(word)\"]"))
        #expect(error?.userMessage == "`rule.cache-even` cannot be \"\(word)\", which has a setting of its own")
        #expect(error?.suggestion == setting)
    }

    @Test(
        "responses to credentials are never shared, whatever cache-even says",
        arguments: ["Cookie", "Authorization"]
    )
    func credentials(word: String) {
        let error = refusal(Self.rule("cache-even = [\"\(word)\"]"))
        #expect(
            error?.userMessage
                == "`rule.cache-even` cannot be \"\(word)\": what a request with credentials brings is cached for these "
                + "already, and never for others"
        )
        #expect(error?.suggestion == nil)
    }

    // MARK: Transformers

    @Test(
        "an option of a transformer that is another's is refused with the name of its own",
        arguments: [
            ("redact = \"$.a\", path = \"$.b\"", "`path` belongs to `json`, not to `redact`"),
            ("encode = \"gzip\", indent = 2", "`indent` belongs to `json`, not to `encode`"),
            ("json = \"minify\", with = \"x\"", "`with` belongs to `redact` and `substitute`, not to `json`"),
            (
                "decode = \"all\", ignore-case = true",
                "`ignore-case` belongs to `redact` and `substitute`, not to `decode`"
            ),
            ("redact = \"$.a\", regex = true", "`regex` belongs to `substitute`, not to `redact`"),
            ("links = \"prefix\", always = true", "`always` belongs to `encode`, not to `links`"),
        ]
    )
    func options(entry: String, message: String) {
        #expect(refusal(Self.rule("transform = { \(entry) }"))?.userMessage == message)
    }

    // MARK: Conditions and names

    @Test(
        "what is decided before there is a response cannot depend on its status",
        arguments: [
            ("deny", "\"no\""), ("redirect", "false"), ("fail", "false"), ("delay", "0"), ("rate", "false"),
            ("set-field", "{ request = { X-A = \"1\" } }"), ("remove-field", "{ request = [\"X-A\"] }"),
            ("retry", "true"), ("rate-limit", "false"),
        ]
    )
    func early(name: String, value: String) {
        #expect(
            refusal(Self.rule("status = 200\n\(name) = \(value)"))?.summary
                == "respite.toml:4:1: `rule.\(name)` is decided before there is a response, so it cannot depend on `status`: "
                + "make it a rule of its own"
        )
    }

    @Test(
        "a service cannot have a name that is a route of the proxy",
        arguments: ["http", "https", "localhost", "respite"]
    )
    func reservedNames(name: String) {
        #expect(
            refusal("[service.\(name)]\nbase = \"http://a.example\"\n")?.userMessage
                == "`service.\(name)`: the name would hide another route of the proxy; take another one"
        )
    }
}
