import HTTPCore
import Testing

@testable import Settings

/// Rules, services and transformers of the settings file.
@Suite struct RuleSettingsTests {
    @Test("a rule's members arrive where they belong, those it does not have say nothing")
    func rule() throws {
        let loaded = try load(
            """
            [[rule]]
            match = "https://*.com.example/**"
            methods = ["GET"]
            content-types = ["*/json", "Text/*"]
            status = [200, "4xx", "500-599"]
            ttl = "60s"
            stale-if-error = "1d"
            stale-while-revalidate = "30s"
            vary-add = ["Accept-Language"]
            keep-original = true
            force = true
            transform = [{ redact = "$.token" }]
            [[rule]]
            match = "http://h.example:8000/*"
            never-cache = true
            drop-query = "utm_*"
            sort-query = true
            """
        )
        let (first, second) = (loaded.values.rules[0], loaded.values.rules[1])
        #expect(first.match == "https://*.com.example/**")
        #expect(first.methods == ["GET"])
        #expect(first.contentTypes == ["*/json", "text/*"])
        #expect(first.statuses == [200...200, 400...499, 500...599])
        #expect(first.ttl == .seconds(60))
        #expect(first.staleIfError == .seconds(86_400))
        #expect(first.staleWhileRevalidate == .seconds(30))
        #expect(first.varyAdd == ["Accept-Language"])
        #expect(first.neverCache == nil && first.sortQuery == nil && first.oversize == nil)
        #expect(first.keepOriginal == true && first.force == true)
        let redaction = TransformKind.redact(paths: ["$.token"], with: "[redacted]", ignoresCase: false)
        #expect(first.transform?.steps.map(\.kind) == [redaction])
        #expect(second.neverCache == true && second.sortQuery == true && second.dropQuery == ["utm_*"])
        #expect(second.transform == nil)
    }

    @Test(
        "each kind of transformer has its stage",
        arguments: [
            ("decode = \"all\"", .decode, .rawData), ("charset = \"utf-8\"", .charset, .decoding),
            ("json = \"validate\"", .jsonValidate, .parsing), ("json = \"minify\"", .jsonMinify, .cleanup),
            ("json = \"pretty\"", .jsonPretty(indent: 2), .cleanup),
            ("json = \"pretty\", indent = 4", .jsonPretty(indent: 4), .cleanup),
            ("json = \"select\", path = \"/a\"", .jsonSelect(path: "/a"), .model),
            (
                "redact = [\"$.a\", \"/b\"], with = \"x\"",
                .redact(paths: ["$.a", "/b"], with: "x", ignoresCase: false), .model
            ),
            (
                "redact = [\"$.a\"], ignore-case = true",
                .redact(paths: ["$.a"], with: "[redacted]", ignoresCase: true), .model
            ),
            (
                "substitute = \"a\", with = \"\"",
                .substitute(text: "a", with: "", ignoresCase: false, isExpression: false), .model
            ),
            ("links = \"prefix\"", .links, .model),
            ("encode = [\"br\", \"gzip\"]", .encode([.br, .gzip], always: false), .encoding),
            ("encode = \"zstd\", always = true", .encode([.zstd], always: true), .encoding),
            ("json = \"minify\", stage = \"parsing\"", .jsonMinify, .parsing),
        ] as [(String, TransformKind, TransformStage)]
    )
    func transformers(text: String, kind: TransformKind, stage: TransformStage) throws {
        let loaded = try load("[[rule]]\nmatch = \"http://h.example/**\"\ntransform = { \(text) }\n")
        let step = try #require(loaded.values.rules[0].transform?.steps.first)
        #expect(step.kind == kind)
        #expect(step.effectiveStage == stage)
    }

    @Test("fields are set, added and removed; \"none\" takes earlier transformers away")
    func fields() throws {
        let loaded = try load(
            """
            [[rule]]
            match = "http://h.example/**"
            transform = ["none", { fields = { set = { X-A = "b" }, add = { "X-B" = "c" }, remove = "X-*" } }]
            """
        )
        let list = try #require(loaded.values.rules[0].transform)
        var changes = FieldChanges()
        changes.set = [FieldSetting(name: "X-A", value: "b")]
        changes.add = [FieldSetting(name: "X-B", value: "c")]
        changes.remove = ["X-*"]
        #expect(list.replacesEarlier)
        #expect(list.steps.map(\.kind) == [.fields(changes)])
    }

    @Test("a service has base, fields, origins and rules of its own; its base is canonical")
    func service() throws {
        let loaded = try load(
            """
            [service.github]
            base = "HTTPS://API.github.example:443/v3/"
            headers = { Authorization = { file = "token", prefix = "Bearer " }, X-A = "b" }
            allow-origins = ["https://App.example:443", "*"]
            inject = "all"
            [[service.github.rule]]
            match = "repos/**"
            ttl = "1s"
            [service.other]
            base = "http://h.example"
            """
        )
        let service = try #require(loaded.values.services.first)
        #expect(service.name == "github" && service.base.text == "https://api.github.example/v3")
        #expect(
            service.headers == [
                ServiceField(name: "Authorization", value: .file(path: "token", prefix: "Bearer ")),
                ServiceField(name: "X-A", value: .text("b")),
            ]
        )
        #expect(service.allowOrigins == ["https://app.example", "*"])
        #expect(service.inject == .all && service.rules.count == 1)
        #expect(loaded.values.services.map(\.name) == ["github", "other"])
        #expect(loaded.values.services[1].inject == .service)
    }

    @Test(
        "a fault in a rule or service is told with its place, the line and what was probably meant",
        arguments: [
            (
                "[[rule]]\nmtch = \"http://h.example/**\"\n",
                "respite.toml:2:1: unknown setting `rule.mtch`; did you mean `rule.match`?\n    mtch = \"http://h.example/**\"\n    ^"
            ),
            (
                "[[rule]]\nttl = \"1s\"\n",
                "respite.toml:1:1: a rule needs `match`, the URLs it is for\n    [[rule]]\n    ^"
            ),
            (
                "[rule]\nmatch = \"http://h.example/**\"\n",
                "respite.toml:1:1: `rule` must be a list of tables: write [[rule]], not a table\n    [rule]\n    ^"
            ),
            (
                "[[rule]]\nmatch = \"/path\"\n",
                """
                respite.toml:2:9: `rule.match` must be a URL pattern such as "https://api.example.com/**", not "/path"; \
                write `*://*/path`
                    match = "/path"
                            ^
                """
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nttl = \"1s\"\nnever-cache = true\n",
                "respite.toml:3:1: `rule.ttl` has no meaning with `never-cache = true`: leave one of them out\n    ttl = \"1s\"\n    ^"
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nstatus = 200\ndrop-query = [\"a\"]\n",
                """
                respite.toml:4:1: `rule.drop-query` changes the URL before there is a response, so it cannot depend on `status`: make it a rule of its own
                    drop-query = ["a"]
                    ^
                """
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nstatus = 200\nconnect-http = true\n",
                """
                respite.toml:4:1: `rule.connect-http` is about connections before there is a response, so it cannot depend on \
                `status`: make it a rule of its own
                    connect-http = true
                    ^
                """
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\ntransform = [\n  { json = \"minify\" },\n  { json = \"prety\" },\n]\n",
                """
                respite.toml:5:12: `transform.json` must be one of "validate", "minify", "pretty", "select", not "prety"; \
                did you mean `pretty`?
                      { json = "prety" },
                               ^
                """
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\ntransform = [{ redcat = \"$.a\" }]\n",
                """
                respite.toml:3:16: unknown setting `transform.redcat`; did you mean `transform.redact`?
                    transform = [{ redcat = "$.a" }]
                                   ^
                """
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\ntransform = [{ redact = \"$.a\" }]\noversize = \"pass\"\n",
                """
                respite.toml:4:1: `rule.oversize` cannot be "pass" with `redact`: what is too large would go unredacted
                    oversize = "pass"
                    ^
                """
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\ntransform = [{ json = \"pretty\", path = \"$.a\" }]\n",
                """
                respite.toml:3:33: `path` belongs to json = "select", not to "pretty"
                    transform = [{ json = "pretty", path = "$.a" }]
                                                    ^
                """
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\ntransform = [{ decode = \"all\", links = \"prefix\" }]\n",
                """
                respite.toml:3:32: `decode` and `links` are two transformers: write an entry for each
                    transform = [{ decode = "all", links = "prefix" }]
                                                   ^
                """
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nstatus = [99]\n",
                """
                respite.toml:3:11: `rule.status` must be a status such as 200, "4xx" or "500-599", from 100 to 599, not 99
                    status = [99]
                              ^
                """
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nmethods = [\"get\"]\n",
                """
                respite.toml:3:12: `rule.methods` must be a method in capitals, not "get"; did you mean `GET`?
                    methods = ["get"]
                               ^
                """
            ),
            (
                "[service.github]\nbase = \"api.github.example\"\n",
                """
                respite.toml:2:8: `service.github.base` must be an absolute http or https URL such as \
                "https://api.example.com/v1", without query, not "api.github.example"
                    base = "api.github.example"
                           ^
                """
            ),
            (
                "[service.github]\ninject = \"all\"\n",
                "respite.toml:1:10: `service.github` needs `base`, the URL it stands for\n    [service.github]\n             ^"
            ),
            (
                "[service.a]\nbase = \"http://h.example/x\"\n[service.b]\nbase = \"http://H.example:80/x/\"\n",
                """
                respite.toml:4:1: `service.b.base` is the base of `service.a` already
                    base = "http://H.example:80/x/"
                    ^
                """
            ),
            (
                "[service.https]\nbase = \"http://h.example/\"\n",
                """
                respite.toml:1:10: `service.https`: the name would hide another route of the proxy; take another one
                    [service.https]
                             ^
                """
            ),
            (
                "[service.GitHub]\nbase = \"http://h.example/\"\n",
                """
                respite.toml:1:10: `service.GitHub`: the name is a host label, of letters in lower case, digits and - inside, \
                63 at most; did you mean `service.github`?
                    [service.GitHub]
                             ^
                """
            ),
            (
                "[service.a]\nbase = \"http://h.example/\"\nheaders = { Host = \"x\" }\n",
                // No line of fields is shown: it may hold a credential.
                "respite.toml:3:13: `service.a.headers` cannot set Host, which is the proxy's own"
            ),
            (
                "[service.a]\nbase = \"http://h.example/\"\nheaders = { A = { fil = \"x\" } }\n",
                "respite.toml:3:19: unknown setting `headers.A.fil`; did you mean `headers.A.file`?"
            ),
            (
                "[service.a]\nbase = \"http://h.example/\"\n[[service.a.rule]]\nmatch = \"http://h.example/x\"\n",
                """
                respite.toml:4:9: `rule.match` must be a path pattern behind the service's base, such as "/repos/**", \
                not "http://h.example/x"
                    match = "http://h.example/x"
                            ^
                """
            ),
        ] as [(String, String)]
    )
    func faults(text: String, message: String) throws {
        let error = try #require(refusal(text))
        #expect(error.description == message)
    }

    @Test(
        "the name meant for a service is only suggested if a service may have it",
        arguments: [
            ("GitHub", "service.github"), ("git_hub", nil), ("Git_Hub", nil), ("-A", nil), ("A-", nil), ("-a", nil),
            ("HTTPS", nil), (String(repeating: "A", count: 63), "service." + String(repeating: "a", count: 63)),
            (String(repeating: "A", count: 64), nil),
        ] as [(String, String?)]
    )
    func serviceNames(name: String, suggestion: String?) throws {
        let error = try #require(refusal("[service.\(name)]\nbase = \"http://h.example/\"\n"))
        #expect(error.description.contains("the name is a host label"))
        #expect(error.description.contains("did you mean") == (suggestion != nil))
        if let suggestion { #expect(error.description.contains("; did you mean `\(suggestion)`?")) }
    }

    @Test("--set takes rules, parts of services and quoted names, and points to the fault within them")
    func options() throws {
        let file =
            "[service.x]\nbase = \"http://a.example/\"\nallow-origins = [\"*\"]\n[[rule]]\nmatch = \"http://b.example/**\"\n"
        let loaded = try load(
            file,
            options: [
                "service.x.base=http://c.example/", "service.y={ base = \"http://d.example/\" }",
                "service.\"z\".base=\"http://e.example/\"",
                "service.x.headers.X-A=b", "rule=[{ match = \"http://f.example/**\", ttl = \"1s\" }]",
                "hosts.\"a.b\"=[\"::1\"]",
                "hosts.c.d=192.0.2.1",
            ]
        ).values
        #expect(loaded.services.map(\.base.text) == ["http://c.example/", "http://d.example/", "http://e.example/"])
        #expect(loaded.services[0].allowOrigins == ["*"])
        #expect(loaded.services[0].headers == [ServiceField(name: "X-A", value: .text("b"))])
        #expect(loaded.rules.map(\.match) == ["http://f.example/**"])
        #expect(loaded.hosts.keys.sorted() == ["a.b", "c.d"])
        let error = try #require(refusal("", options: ["rule=[{ match = \"http://f.example/**\", tl = \"1s\" }]"]))
        #expect(error.userMessage == "unknown setting `rule.tl`")
        #expect(error.column == 40)
        #expect(refusal("", options: ["rule=[{ match ="])?.column != nil)
    }

    @Test("where a value came from is known down to the single transformer, also where an option replaces the file's")
    func origins() throws {
        let text =
            "[[rule]]\nmatch = \"http://h.example/**\"\nttl = \"1s\"\ntransform = [{ json = \"minify\" },\n  { links = \"prefix\" }]\n"
        let loaded = try load(text)
        #expect(loaded.origin(ofPath: "rule[0].ttl") == .file(path: "respite.toml", line: 3, column: 1))
        #expect(loaded.origin(ofPath: "rule[0].transform[1]") == .file(path: "respite.toml", line: 5, column: 3))
        #expect(loaded.origin(ofPath: "rule[0].transform[1].links") == .file(path: "respite.toml", line: 5, column: 5))
        #expect(loaded.origin(ofPath: "rule[0].never-cache") == .file(path: "respite.toml", line: 1, column: 1))
        #expect(loaded.origin(ofPath: "service.x.base") == .standard)
        let replaced = try load(text, options: ["rule=[{ match = \"http://g.example/**\" }]"])
        #expect(replaced.origin(ofPath: "rule[0].ttl") == .option("--set"))
    }

    @Test("a rule with a list of hosts needs no match; another key of the query is refused beside it")
    func hostList() throws {
        let loaded = try load("[[rule]]\nmatch-hosts-file = \"ads.txt\"\ndeny = \"no\"\n")
        let rule = try #require(loaded.values.rules.first)
        #expect(rule.match == "**" && rule.hostsFile == "ads.txt" && rule.deny == .text("no"))
        // A list that has not been read has no host.
        let located = try #require(loaded.values.locatedRules.first)
        #expect(try !located.matches(TargetURI(parsing: "http://a.example/")))
        #expect(try load(SettingsDocument.listing(loaded)).values.rules == loaded.values.rules)
        let fault = refusal("[[rule]]\nmatch-hosts-file = \"ads.txt\"\nsort-query = true\n")
        #expect("\(fault.map { "\($0)" } ?? "")".contains("3:1: `rule.sort-query` cannot depend on `match-hosts-file`"))
        let nothing = try load("[[rule]]\nmatch-hosts-file = \"ads.txt\"\n").warnings.map(\.summary)
        #expect(nothing.count == 1 && nothing[0].contains("changes nothing"))
        let service =
            "[service.x]\nbase = \"http://h.example/\"\n[[service.x.rule]]\nmatch = \"a\"\nmatch-hosts-file = \"a\"\n"
        #expect("\(refusal(service).map { "\($0)" } ?? "")".contains("unknown setting `rule.match-hosts-file`"))
    }

    @Test("a later rule for the hosts of a list overrides only rules for the same list")
    func hostListOverrides() throws {
        let listed = "[[rule]]\nmatch-hosts-file = \"ads.txt\"\nttl = \"1h\"\n"
        let all = "[[rule]]\nmatch = \"**\"\nttl = \"1h\"\n"
        #expect(try load(all + listed).warnings.isEmpty)
        #expect(try load(listed + listed).warnings.count == 1)
        #expect(try load(listed + all).warnings.count == 1)
    }

    @Test(
        "no fault in a service's table shows a line with a field's value, in a file or an option",
        arguments: [
            "[service.x.headers]\nAuthorization = \"planted",
            "[service.x]\nbase = \"http://h.example/\"\nheaders = { A = \"planted\", B = }",
            "[service.x]\nheaders = { A = \"planted\\nx\" }",
            "[service.x]\nheaders = { A = \"b\", Host = \"planted\" }",
            "[service.x]\nheaders = \"planted\"",
            "[service.x]\nbase = \"http://h.example/\"\nheader = { A = \"planted\" }",
            "service.x = { base = 1, headers = { A = \"planted\" } }",
            "service.x.headers.A = \"planted\"",
            "servce.x.headers.A = \"planted\"",
            "[ \"service\".x . headers ]\nA = \"planted\" \"",
        ]
    )
    func secretLines(text: String) throws {
        let error = try #require(refusal(text))
        #expect(error.line != nil && !error.description.contains("planted"), "\(error)")
        guard !text.contains("\n") else { return }
        let inOption = try #require(refusal("", options: [text]))
        #expect(!inOption.description.contains("planted"), "\(inOption)")
    }

    @Test(
        "no fault of an option shows a field's value",
        arguments: ["service.x.headers={ A = \"planted\", B = }", "service.x.headers.A B=planted"]
    )
    func secretOptions(option: String) throws {
        let error = try #require(refusal("", options: [option]))
        #expect(!error.description.contains("planted"), "\(error)")
    }

    @Test("a listing hides the values of services' fields, unless it is to be read again (H-158)")
    func secrets() throws {
        let loaded = try load("[service.x]\nbase = \"http://h.example/\"\nheaders = { X-Vault-Token = \"planted\" }\n")
        #expect(!SettingsDocument.listing(loaded, showsSecrets: false).contains("planted"))
        #expect(
            !String(decoding: SettingsDocument.listingJSON(loaded, showsSecrets: false), as: UTF8.self).contains(
                "planted"
            )
        )
        #expect(SettingsDocument.listing(loaded).contains("planted"))
    }
}
