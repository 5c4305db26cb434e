import Configurations
import Exchanges
import HTTPCaching
import HTTPCore
import Platform
import ResourceCore
import Settings
import Stores
import TestDoubles
import TestSupport
import Testing

@testable import Daemon

/// The policies of rules and services, and what of them a reload keeps.
@Suite struct PolicyReloadTests {
    private static func plan(_ text: String) throws -> ServingPlan {
        var reader = SettingsReader()
        reader.read(Array(text.utf8), name: "respite.toml")
        return try ServingPlan(try reader.finish(), ProcessContext(environment: [:], isRoot: false))
    }

    /// The policies for a URL.
    private static func policies(_ plan: ServingPlan, _ url: String) throws -> ExchangePolicies {
        let table = ResourceTable(environment: CoreEnvironment(timekeeper: ManualTimekeeper(), hasher: NoHasher()))
        let service = Service(name: "default", table: table)
        service.reconfigure { plan.configure(&$0, ModeRegistry(plan.settings)) }
        return service.configuration(for: try TargetURI(parsing: url)).values.policies
    }

    private static func limit(_ rate: String) throws -> RateLimitRule {
        .limit(RateLimitSettings(rate: try #require(RequestRate(text: rate))))
    }

    private static func limiter(_ policies: BuiltPolicies) -> RateLimiter? {
        var applied = ExchangePolicies()
        policies.apply(to: &applied)
        return applied.rateLimit
    }

    @Test("a limiter is kept if its rule and its rate are the same, so that a reload forgets no requests")
    func limiters() throws {
        let earlier = BuiltPolicies(nil, try Self.limit("10/s"), name: "rule 1")
        let known = try #require(Self.limiter(earlier))
        #expect(known.name == "rule 1" && known.rate.requests == 10 && known.rate.burst == 10)
        func adopted(_ limit: RateLimitRule?, _ name: String, _ earlier: BuiltPolicies) -> RateLimiter? {
            var policies = BuiltPolicies(nil, limit, name: name)
            policies.adopt(earlier)
            return Self.limiter(policies)
        }
        #expect(try adopted(Self.limit("10/s"), "rule 1", earlier) === known)
        let other = try adopted(Self.limit("11/s"), "rule 1", earlier)
        #expect(other !== known && other?.rate.requests == 11)
        let named = try adopted(Self.limit("10/s"), "rule 2", earlier)
        #expect(named !== known && named?.name == "rule 2")
        #expect(adopted(nil, "rule 1", earlier) == nil && adopted(.unlimited, "rule 1", earlier) == nil)
        let none = BuiltPolicies(nil, nil, name: "rule 1")
        #expect(try adopted(Self.limit("10/s"), "rule 1", none) != nil)
    }

    @Test("what a rule does not say stays as earlier rules have it; false takes it away")
    func layers() throws {
        var settings = RetrySettings()
        (settings.attempts, settings.delay, settings.maxDelay) = (7, .milliseconds(8), .milliseconds(9))
        (settings.total, settings.statuses) = (.milliseconds(10), [500...501])
        var policies = ExchangePolicies()
        BuiltPolicies(.when(settings), try Self.limit("10/s"), .origin, name: "rule 1").apply(to: &policies)
        let retry = try #require(policies.retry)
        #expect(retry.attempts == 7 && retry.delay == .milliseconds(8) && retry.maximumDelay == .milliseconds(9))
        #expect(retry.total == .milliseconds(10) && retry.statuses == [500...501])
        #expect(policies.rateLimit != nil && policies.retryAfter == .origin)
        BuiltPolicies(nil, nil, name: "rule 2").apply(to: &policies)
        #expect(policies.retry != nil && policies.rateLimit != nil && policies.retryAfter == .origin)
        BuiltPolicies(.never, .unlimited, .ignore, name: "rule 3").apply(to: &policies)
        #expect(policies.retry == nil && policies.rateLimit == nil && policies.retryAfter == .ignore)
        BuiltPolicies(nil, nil, .resource, name: "rule 4").apply(to: &policies)
        #expect(policies.retryAfter == .resource)
    }

    @Test("TLS and proxy of a service are for its own URLs, if it says anything of them")
    func services() throws {
        let text = "[service.api]\nbase = \"https://api.example\"\n"
        let usual = try Self.policies(try Self.plan(text), "https://api.example/x")
        #expect(usual.security == nil && usual.proxy == nil)
        let plan = try Self.plan(
            text + "verify = \"off\"\nproxy = \"none\"\nrate-limit = \"10/s\"\nmode = \"offline\"\n"
        )
        let own = try Self.policies(plan, "https://api.example/x")
        #expect(own.security == "api" && own.proxy == "api" && own.rateLimit?.name == "service api")
        let other = try Self.policies(plan, "https://other.example/x")
        #expect(other.security == nil && other.proxy == nil && other.rateLimit == nil)
    }

    @Test("a reload keeps tokens, and the counts of rules and services at the same place")
    func reload() throws {
        let directory = TemporaryDirectory()
        try directory.write("secret", to: "s")
        func text(_ clientID: String, _ rate: String) -> String {
            """
            [service.api]
            base = "https://api.example"
            rate-limit = "\(rate)"
            token = { url = "https://l.example/", client-id = "\(clientID)", client-secret = { file = "\(directory.path("s"))" } }
            [[rule]]
            match = "http://h.example/**"
            rate-limit = "5/s"
            [[rule]]
            match = "http://i.example/**"
            rate-limit = "6/s"
            """
        }
        func token(_ plan: ServingPlan) -> TokenSource? { plan.services.first?.credential as? TokenSource }
        func limiter(_ plan: ServingPlan, _ url: String) throws -> RateLimiter? {
            try Self.policies(plan, url).rateLimit
        }
        let first = try Self.plan(text("a", "7/s"))
        let again = try Self.plan(text("a", "7/s")).keepingWhatNeedsRestart(of: first)
        #expect(token(again) != nil && token(again) === token(first))
        #expect(again.changedSecrets(since: first) == [])
        for url in ["http://h.example/", "http://i.example/", "https://api.example/"] {
            let kept = try limiter(again, url)
            #expect(try kept != nil && kept === limiter(first, url), "\(url)")
        }
        let changed = try Self.plan(text("b", "8/s")).keepingWhatNeedsRestart(of: first)
        #expect(token(changed) !== token(first) && changed.changedSecrets(since: first) == ["api"])
        #expect(try limiter(changed, "https://api.example/") !== limiter(first, "https://api.example/"))
        #expect(try limiter(changed, "http://i.example/") === limiter(first, "http://i.example/"))
    }

    @Test("a service counts as changed if its fields or its credential have changed, and a new one does")
    func changedSecrets() throws {
        func plan(_ more: String) throws -> ServingPlan {
            try Self.plan("[service.api]\nbase = \"https://api.example\"\nheaders = { A = \"b\"\(more) }\n")
        }
        let first = try plan("")
        #expect(try plan("").changedSecrets(since: first) == [])
        #expect(try plan(", C = \"d\"").changedSecrets(since: first) == ["api"])
        #expect(
            try Self.plan("[service.api]\nbase = \"https://api.example\"\nheaders = { B = \"b\" }\n").changedSecrets(
                since: first
            ) == ["api"]
        )
        #expect(
            try Self.plan("[service.other]\nbase = \"https://api.example\"\n").changedSecrets(since: first) == ["other"]
        )
    }

    @Test(
        "how a client tells a token endpoint who it is, is what the settings say",
        arguments: [("basic", true), ("content", false)]
    )
    func authentication(word: String, isBasic: Bool) throws {
        let directory = TemporaryDirectory()
        try directory.write("secret", to: "s")
        let plan = try Self.plan(
            """
            [service.api]
            base = "https://api.example"
            [service.api.token]
            url = "https://l.example/"
            client-id = "a"
            client-secret = { file = "\(directory.path("s"))" }
            scope = "b c"
            authentication = "\(word)"
            """
        )
        let request = try #require(plan.services.first?.credential as? TokenSource).request
        #expect(request.authentication == (isBasic ? .basic : .content))
        #expect(request.clientID == "a" && request.clientSecret == "secret" && request.scope == "b c")
        #expect(request.refreshToken == nil && request.security == nil && request.proxy == nil)
    }
}
