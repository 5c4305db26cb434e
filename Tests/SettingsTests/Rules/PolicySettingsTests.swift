import HTTPCore
import Testing

@testable import Settings

/// `retry`, `rate-limit` and `token` of the settings file.
@Suite struct PolicySettingsTests {
    @Test("rules and services say how requests to origins are made")
    func policies() throws {
        let loaded = try load(
            """
            [[rule]]
            match = "http://h.example/**"
            retry = { attempts = 5, delay = "50ms", max-delay = "1s", total = "30s", status = [429, "5xx"] }
            rate-limit = { rate = "100/10s", burst = 20, max-wait = "0" }
            [[rule]]
            match = "http://h.example/a/**"
            retry = true
            rate-limit = "5000/h"
            [[rule]]
            match = "http://h.example/b/**"
            retry = false
            rate-limit = false
            [service.api]
            base = "http://api.example"
            retry = true
            rate-limit = "10/s"
            token = { url = "http://login.example/token", client-id = "me", client-secret = { file = "s" }, scope = "a b" }
            """
        )
        let rules = loaded.values.rules
        var retry = RetrySettings()
        retry.attempts = 5
        retry.delay = .milliseconds(50)
        retry.maxDelay = .seconds(1)
        retry.total = .seconds(30)
        retry.statuses = [429...429, 500...599]
        #expect(rules[0].retry == .when(retry))
        var limit = RateLimitSettings(rate: RequestRate(requests: 100, interval: .seconds(10)))
        limit.burst = 20
        limit.maxWait = .zero
        #expect(rules[0].rateLimit == .limit(limit))
        #expect(rules[1].retry == .when(RetrySettings()))
        #expect(
            rules[1].rateLimit == .limit(RateLimitSettings(rate: RequestRate(requests: 5000, interval: .seconds(3600))))
        )
        #expect(rules[2].retry == .never && rules[2].rateLimit == .unlimited)
        let service = try #require(loaded.values.services.first)
        #expect(service.retry == .when(RetrySettings()))
        #expect(service.token?.clientSecret == "s" && service.token?.refreshToken == nil)
        #expect(service.token?.scope == "a b" && service.token?.authentication == .basic)
    }

    @Test(
        "a rate is so many requests in a time, and is shown as it is written",
        arguments: [
            ("10/s", 10, 1, 10), ("5000/h", 5000, 3600, 1), ("100/10s", 100, 10, 10), ("1/d", 1, 86_400, 1),
            ("60/m", 60, 60, 1), ("90/15m", 90, 900, 1), ("1000000/s", 1_000_000, 1, 1_000_000),
        ]
    )
    func rate(text: String, requests: Int, seconds: Int, burst: Int) throws {
        let rate = try #require(RequestRate(text: text))
        #expect(rate == RequestRate(requests: requests, interval: .seconds(seconds)))
        #expect(rate.text == text)
        #expect(RateLimitSettings(rate: rate).effectiveBurst == burst)
    }

    @Test(
        "no rate",
        arguments: [
            "", "10", "10/", "/s", "0/s", "-1/s", "10/2d", "10/100ms", "10/s/s", "1000001/s", "1.5/s", "10//s", "/10/s",
            "10/s/", "10/1500ms",
        ]
    )
    func noRate(text: String) { #expect(RequestRate(text: text) == nil) }

    @Test("a policy has its defaults where nothing else is said, however little is written")
    func defaults() throws {
        let retry = RetrySettings()
        #expect(retry.attempts == 3 && retry.delay == .milliseconds(200) && retry.maxDelay == .seconds(5))
        #expect(retry.total == .seconds(10) && retry.statuses == [502...504])
        let rate = RequestRate(requests: 5, interval: .seconds(1))
        for text in ["\"5/s\"", "{ rate = \"5/s\" }"] {
            let rule = try #require(
                try load("[[rule]]\nmatch = \"http://h.example/**\"\nrate-limit = \(text)\n").values.rules.first?
                    .rateLimit
            )
            guard case .limit(let limit) = rule else {
                Issue.record("\(rule)")
                continue
            }
            #expect(limit.rate == rate && limit.burst == nil && limit.maxWait == .seconds(10))
        }
        let token = TokenSettings(url: try TargetURI(parsing: "http://login.example/"), clientID: "me")
        #expect(token.clientSecret == nil && token.refreshToken == nil)
        #expect(token.scope.isEmpty && token.authentication == .basic)
    }

    @Test("what is shown reads the same")
    func listing() throws {
        let text = """
            [[rule]]
            match = "http://h.example/**"
            retry = { attempts = 5, status = [429] }
            rate-limit = { rate = "100/10s", burst = 20 }
            deny = "not \\"here\\""
            redirect = "https://new.example$path"
            fail = { status = 503, share = 0.1 }
            delay = "200ms"
            rate = "64KiB/s"
            refresh-ahead = "10%"
            set-field = { request = { Accept-Language = "de" }, response = { X-Frame-Options = "DENY", X-Empty = "" } }
            remove-field = { request = ["Cookie"], response = ["X-*", "Server"] }
            [[rule]]
            match = "http://h.example/a/**"
            deny = false
            rate = false
            refresh-ahead = "0%"
            transform = { substitute = "a(b)", with = "$1", regex = true }
            redirect = { to = "https://new.example/", status = 308 }
            fail = "reset"
            [[rule]]
            match = "http://h.example/b/**"
            redirect = false
            fail = false
            delay = "0"
            [[rule]]
            match = "http://h.example/c/**"
            fail = { how = "timeout", share = 0.5 }
            [service.api]
            base = "http://api.example"
            retry = false
            rate-limit = "10/s"
            token = { url = "http://login.example/token", client-id = "me", refresh-token = { file = "r" }, authentication = "content" }
            """
        let loaded = try load(text)
        let again = try load(SettingsDocument.listing(loaded))
        #expect(again.values.rules == loaded.values.rules)
        #expect(again.values.services == loaded.values.services)
    }

    @Test(
        "a fault is told with its place",
        arguments: [
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nretry = { attempts = 1 }\n",
                "3:22: `retry.attempts` must be a whole number"
            ),
            ("[[rule]]\nmatch = \"http://h.example/**\"\nretry = \"yes\"\n", "3:9: `rule.retry` must be a table"),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nretry = { delay = \"6s\" }\n",
                "`rule.retry` has a `delay` above its `max-delay`"
            ),
            ("[[rule]]\nmatch = \"http://h.example/**\"\ndeny = true\n", "3:8: `rule.deny` must be a text for clients"),
            ("[[rule]]\nmatch = \"http://h.example/**\"\ndeny = \"\"\n", "3:8: `rule.deny` must be a text for clients"),
            ("[[rule]]\nmatch = \"http://h.example/**\"\ndeny = \"a\\nb\"\n", "`rule.deny` must be a text for clients"),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nstatus = 200\ndeny = \"no\"\n",
                "4:1: `rule.deny` is decided before there is a response"
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nredirect = \"/x\"\n",
                "3:12: `rule.redirect` must be an absolute http"
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nredirect = \"https://a.example/ü$path\"\n",
                "`rule.redirect` must be an absolute http"
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nredirect = \"https://$path/\"\n",
                "`rule.redirect` must be an absolute http"
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nredirect = { to = \"http://a.example/\", status = 200 }\n",
                "`redirect.status` must be 301, 302, 307 or 308"
            ),
            ("[[rule]]\nmatch = \"http://h.example/**\"\nredirect = { status = 301 }\n", "`rule.redirect` needs `to`"),
            ("[[rule]]\nmatch = \"http://h.example/**\"\nfail = \"crash\"\n", "3:8: `rule.fail` must be \"reset\""),
            ("[[rule]]\nmatch = \"http://h.example/**\"\nfail = { share = 0.5 }\n", "`rule.fail` needs `status`"),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nfail = { status = 503, how = \"reset\" }\n",
                "`rule.fail` has `status` and `how`"
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nfail = { status = 503, share = 2 }\n",
                "`fail.share` must be a number from 0.0 to 1.0"
            ),
            ("[[rule]]\nmatch = \"http://h.example/**\"\ndelay = \"2m\"\n", "3:9: `rule.delay` must be a duration"),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nrate = \"64KiB\"\n",
                "3:8: `rule.rate` must be a size and /s, such as \"64KiB/s\", or false"
            ),
            ("[[rule]]\nmatch = \"http://h.example/**\"\nrate = \"0/s\"\n", "`rule.rate` must be a size and /s"),
            ("[[rule]]\nmatch = \"http://h.example/**\"\nrate = true\n", "`rule.rate` must be a size and /s"),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nrefresh-ahead = \"91%\"\n",
                "`rule.refresh-ahead` must be a percentage from \"0%\" to \"90%\""
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nrefresh-ahead = 10\n",
                "`rule.refresh-ahead` must be a percentage"
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nrefresh-ahead = \"+9%\"\n",
                "`rule.refresh-ahead` must be a percentage"
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nnever-cache = true\nrefresh-ahead = \"9%\"\n",
                "`rule.refresh-ahead` has no meaning with"
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nset-field = { X-A = \"1\" }\n",
                "unknown setting `set-field.X-A`"
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nset-field = {}\n",
                "`rule.set-field` needs `request` or `response`, with fields"
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nset-field = \"X\"\n",
                "`rule.set-field` must be a table such as"
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nset-field = { request = { Host = \"a\" } }\n",
                "cannot set Host, which is the proxy's own"
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nset-field = { request = { cookie = \"a\" } }\n",
                "cannot set cookie, which holds a credential"
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nset-field = { response = { X = \"a\\nb\" } }\n",
                "must be the value of a field"
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nremove-field = {}\n",
                "`rule.remove-field` needs `request` or `response`, with names"
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nremove-field = [\"X\"]\n",
                "`rule.remove-field` must be a table such as"
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nremove-field = { request = [\"a b\"] }\n",
                "`remove-field.request"
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nstatus = [200]\nrate = \"1B/s\"\n",
                "`rule.rate` is decided before there is a response"
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nstatus = [200]\nset-field = { response = { A = \"b\" } }\n",
                "`rule.set-field` is decided before"
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nrate-limit = \"ten\"\n",
                "3:14: `rule.rate-limit` must be a rate"
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nrate-limit = { burst = 2 }\n",
                "`rule.rate-limit` needs `rate`"
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nstatus = 200\nretry = true\n",
                "4:1: `rule.retry` is decided before there is a response"
            ),
            (
                "[[rule]]\nmatch = \"http://h.example/**\"\nretry = { atempts = 3 }\n",
                "unknown setting `retry.atempts`; did you mean `retry.attempts`?"
            ),
            ("[service.a]\nbase = \"http://a.example\"\ntoken = { url = \"http://l.example\" }\n", "needs `client-id`"),
            (
                "[service.a]\nbase = \"http://a.example\"\ntoken = { url = \"http://l.example\", client-id = \"c\" }\n",
                "needs `client-secret` or `refresh-token`"
            ),
            (
                """
                [service.a]
                base = "http://a.example"
                headers = { authorization = "x" }
                token = { url = "http://l.example", client-id = "c", client-secret = { file = "s" } }
                """,
                "one credential too many"
            ),
        ]
    )
    func faults(text: String, message: String) throws {
        let error = #expect(throws: SettingsError.self) { try load(text) }
        #expect("\(error.map { "\($0)" } ?? "")".contains(message), "\(error.map { "\($0)" } ?? "")")
    }

    @Test("a secret written where its file belongs is not shown")
    func plainSecret() throws {
        let error = #expect(throws: SettingsError.self) {
            try load(
                "[service.a]\nbase = \"http://a.example\"\ntoken = { url = \"http://l.example\", client-id = \"c\", client-secret = \"hush\" }\n"
            )
        }
        let shown = "\(error.map { "\($0)" } ?? "")"
        #expect(shown.contains("secrets are in files of their own") && !shown.contains("hush"))
    }

    @Test("for a URL the last rule counts, a service before its own rules and behind the general ones")
    func effective() throws {
        let loaded = try load(
            """
            [[rule]]
            match = "http://api.example/**"
            rate-limit = "1/s"
            retry = true
            [service.api]
            base = "http://api.example"
            rate-limit = "2/s"
            token = { url = "http://l.example", client-id = "c", client-secret = { file = "s" } }
            [[service.api.rule]]
            match = "/slow/**"
            rate-limit = "3/s"
            """
        )
        func values(_ url: String) throws -> [String] {
            EffectiveSettings(loaded, url: try TargetURI(parsing: url)).values
                .filter { ["retry", "rate-limit", "token"].contains($0.name) }
                .map { "\($0.name) = \($0.value ?? "-")" }
        }
        let token = "token = { url = \"http://l.example/\", client-id = \"c\", client-secret = { file = \"s\" } }"
        #expect(try values("http://api.example/a") == ["retry = true", "rate-limit = \"2/s\"", token])
        #expect(try values("http://api.example/slow/a") == ["retry = true", "rate-limit = \"3/s\"", token])
        #expect(try values("http://other.example/a") == [])
    }
}
