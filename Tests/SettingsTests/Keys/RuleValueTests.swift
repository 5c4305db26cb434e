import HTTPCore
import Testing
import TOML

@testable import Settings

/// The values that members of rules may have, at the borders of what is right.
@Suite struct RuleValueTests {
    /// A member of rules with values that are right and wrong, and what each wrong one is told.
    struct Member: CustomTestStringConvertible {
        var name: String
        var right: [String]
        var wrong: [String]
        var sentence: String

        init(_ name: String, right: [String], wrong: [String], _ sentence: String) {
            (self.name, self.right, self.wrong, self.sentence) = (name, right, wrong, sentence)
        }

        var testDescription: String { name }
    }

    private static func rule(_ lines: String) -> String { "[[rule]]\nmatch = \"http://h.example/**\"\n\(lines)\n" }

    private static func quoted(_ texts: String...) -> [String] { texts.map { "\"\($0)\"" } }

    private static func text(of length: Int) -> String { "\"" + String(repeating: "A", count: length) + "\"" }

    private static let conditions: [Member] = [
        Member(
            "methods",
            right: [text(of: 1), text(of: 64), "\"M-SEARCH\"", "[\"GET\", \"PUT\"]"],
            wrong: [text(of: 65)] + quoted("", "GE T", "Ä", "A,"),
            "must be a method such as \"GET\""
        ),
        Member(
            "content-types",
            right: quoted("a/b", "*/*+json", "Text/*"),
            wrong: quoted("a", "a/b/c", "/b", "a/", "a b/c", "") + ["1"],
            "must be a media type such as \"application/json\", \"text/*\" or \"*/*+json\""
        ),
        Member(
            "status",
            right: ["100", "599"] + quoted("100-599", "4xx", "4XX", "200", "200-200", "1xx", "5xx"),
            wrong: ["99", "600", "-1", "70000", "true"]
                + quoted(
                    "300-200",
                    "0xx",
                    "6xx",
                    "44xx",
                    "xxx",
                    "-5",
                    "1-2-3",
                    "200-",
                    "-200",
                    "99-200",
                    "5-600",
                    "",
                    "é"
                ),
            "must be a status such as 200, \"4xx\" or \"500-599\", from 100 to 599"
        ),
        Member(
            "drop-query",
            right: quoted("!", "~", "utm_*", "a"),
            wrong: quoted("", " ", "a b", "a&b", "a=b", "a#b", "\\u007f", "é"),
            "must be the name of a query parameter such as \"utm_*\""
        ),
        Member(
            "vary-add",
            right: quoted("X", "X-Api-Key", "!#$%&'*+-.^_`|~", "aAzZ09"),
            wrong: quoted("", "a b", "a:", "a/", "a(", "Ä"),
            "must be the name of a field, such as \"X-Api-Key\""
        ),
        Member(
            "scrub",
            right: quoted("", "$", "$.a", "/a"),
            wrong: quoted("a", " $") + ["1"],
            "must be a path such as \"$.items[*].id\" or a JSON Pointer such as \"/items/0\""
        ),
    ]

    private static let answers: [Member] = [
        Member(
            "redirect",
            right: quoted("https://a.example$path", "http://a.example/x$path?y", "https://a.example/~!"),
            wrong: quoted(
                "https://$path/",
                "https://$pathb.example/",
                "https:///x",
                "http://",
                "https://a.example/ x",
                "https://a.example/\\u007f",
                "ftp://a.example/",
                "/x"
            ),
            "must be an absolute http or https URL such as \"https://new.example/\" or \"https://new.example$path\""
        ),
        Member(
            "redirect",
            right: ["false", "{ to = \"https://a.example/\", status = 301 }"],
            wrong: ["true", "1"],
            "must be a URL, a table such as { to = \"https://new.example$path\", status = 308 }, or false"
        ),
        Member(
            "deny",
            right: [text(of: 200), "false"] + quoted(" ", "~"),
            wrong: [text(of: 201), "true", "1"] + quoted("", "\\u001f", "\\u007f"),
            "must be a text for clients in one line of 200 bytes at most, such as \"not here\", or false"
        ),
        Member(
            "rate",
            right: quoted("1B/s", "64 KiB/s") + ["false"],
            wrong: quoted("0B/s", "0/s", "1B", "B/s", "/s", "1B/m") + ["true", "1"],
            "must be a size and /s, such as \"64KiB/s\", or false"
        ),
        Member(
            "fail",
            right: quoted("reset", "timeout") + ["false", "{ status = 400 }", "{ how = \"reset\", share = 0 }"],
            wrong: quoted("crash") + ["true", "503"],
            "must be \"reset\", \"timeout\", a table such as { status = 503, share = 0.1 }, or false"
        ),
    ]

    private static let policies: [Member] = [
        Member(
            "rate-limit",
            right: quoted("1/s", "1000000/s", "1/86400s", "1/d", "1/1s", "3/24h"),
            wrong: quoted("0/s", "1000001/s", "1/86401s", "1/0s", "1/1500ms", "1/999ms", "1/2d", "1/", "1"),
            "must be a rate of whole requests and a time of 1s to 1d, such as \"10/s\", \"5000/h\" or \"100/10s\""
        ),
        Member(
            "rate-limit",
            right: ["false", "{ rate = \"1/s\" }"],
            wrong: ["true", "5"],
            "must be a rate such as \"10/s\", a table such as { rate = \"10/s\", burst = 20 }, or false"
        ),
        Member(
            "retry",
            right: ["true", "false", "{}", "{ delay = \"5s\" }", "{ max-delay = \"200ms\" }"],
            wrong: ["1", "\"3\""],
            "must be a table such as { attempts = 3 }, or true, or false"
        ),
        Member(
            "refresh-ahead",
            right: quoted("0%", "90%", "1%"),
            wrong: quoted("-1%", "91%", "+9%", "%", "9", "9.5%") + ["9"],
            "must be a percentage from \"0%\" to \"90%\""
        ),
        Member(
            "replay-pace",
            right: ["0.01", "1000", "1000.0", "1"] + quoted("instant", "recorded"),
            wrong: ["0.009", "1000.1", "1001", "0", "true"] + quoted("slow"),
            "must be \"instant\", \"recorded\", or a factor from 0.01 to 1000"
        ),
        Member(
            "transform",
            right: ["[]", "\"none\"", "[\"none\", { json = \"minify\" }]", "{ links = \"prefix\" }"],
            wrong: ["1", "\"minify\"", "[{ json = \"minify\" }, \"none\"]"],
            "must be a list of tables such as { json = \"minify\" }, or \"none\""
        ),
    ]

    @Test(
        "a member of a rule has values up to the borders of its type, and none beyond",
        arguments: conditions + answers + policies
    )
    func members(_ member: Member) throws {
        for value in member.right {
            let error = refusal(Self.rule("\(member.name) = \(value)"))
            #expect(error == nil, "\(value)")
        }
        for value in member.wrong {
            let error = try #require(refusal(Self.rule("\(member.name) = \(value)")), "\(value)")
            #expect(error.userMessage.hasPrefix("`rule.\(member.name)` \(member.sentence), not "), "\(error)")
            #expect(error.line == 3 && error.mistakes.count == 1)
        }
    }

    @Test(
        "a list that has to name something is not empty",
        arguments: [
            "methods", "content-types", "status", "vary-add", "vary-ignore", "key-header", "drop-query", "scrub",
        ]
    )
    func emptyLists(name: String) {
        #expect(
            refusal(Self.rule("\(name) = []"))?.summary
                == "respite.toml:3:\(name.count + 4): `rule.\(name)` must not be empty"
        )
    }

    @Test("a long text is shown by its first 80 letters")
    func longText() {
        let shown = String(repeating: "A", count: 80)
        #expect(
            refusal(Self.rule("methods = " + Self.text(of: 81)))?.userMessage
                == "`rule.methods` must be a method such as \"GET\", not \"\(shown)\""
        )
    }

    @Test(
        "a status, a class and a range are written as they are read",
        arguments: [
            (200...200, "200"), (400...499, "\"4xx\""), (400...498, "\"400-498\""), (401...499, "\"401-499\""),
            (401...500, "\"401-500\""), (100...199, "\"1xx\""), (100...599, "\"100-599\""), (500...599, "\"5xx\""),
        ] as [(ClosedRange<UInt16>, String)]
    )
    func statuses(range: ClosedRange<UInt16>, text: String) throws {
        #expect(StatusText.text(range) == text)
        #expect(try load(Self.rule("ttl = \"1s\"\nstatus = \(text)")).values.rules[0].statuses == [range])
    }

    @Test(
        "a burst is the whole requests of a second, at least one",
        arguments: [
            ("1000/s", 1000), ("999/s", 999), ("1/d", 1), ("3/2s", 1), ("4/2s", 2), ("7/2s", 3), ("60000/m", 1000),
            ("1000000/1h", 277),
        ]
    )
    func bursts(text: String, burst: Int) throws {
        var settings = RateLimitSettings(rate: try #require(RequestRate(text: text)))
        #expect(settings.effectiveBurst == burst)
        settings.burst = 5
        #expect(settings.effectiveBurst == 5)
    }

    @Test("a member with its default is not written, so that a file shows what it changes")
    func defaults() {
        #expect(RetrySettings.reader.format(RetrySettings()) == "{}")
        #expect(RateLimitDraft.reader.format(RateLimitDraft()) == "{}")
        #expect(FailDraft.reader.format(FailDraft()) == "{}")
        #expect(TransformDraft.reader.format(TransformDraft()) == "{}")
        #expect(ListenerDraft.reader.format(ListenerDraft()) == "{}")
        #expect(ServiceDraft.reader.format(ServiceDraft()) == "{}")
        #expect(TokenDraft.reader.format(TokenDraft()) == "{}")
        #expect(RedirectSettings().status == 307)
    }
}
