import Configurations
import Eventing
import Exchanges
import Glibc
import HTTPCaching
import HTTPCore
import Platform
import Proxying
import ResourceCore
import Settings
import Stores
import TestSupport
import Testing
import Transforms
import TransportSecurity
import UpstreamClient

@testable import Daemon

/// What is made of rules and services.
@Suite struct ServingPlanTests {
    private static let nowhere = ProcessContext(environment: [:], isRoot: false)

    private static func plan(_ text: String, _ context: ProcessContext = nowhere) throws -> ServingPlan {
        var reader = SettingsReader()
        reader.read(Array(text.utf8), name: "respite.toml")
        return try ServingPlan(try reader.finish(), context)
    }

    /// The configuration of a URL by a plan.
    private static func configuration(
        _ text: String,
        _ url: String,
        _ method: Method = .get
    ) throws -> EffectiveConfiguration {
        let plan = try plan(text)
        let table = ResourceTable(
            environment: CoreEnvironment(
                timekeeper: StandingClock(),
                hasher: NoHasher()
            )
        )
        let service = Service(name: "default", table: table)
        service.reconfigure { plan.configure(&$0, ModeRegistry(plan.settings)) }
        return service.configuration(for: try TargetURI(parsing: url), method: method)
    }

    /// Nothing here waits.
    private final class StandingClock: Timekeeper {
        var now: MonotonicTime { MonotonicTime(nanoseconds: 0) }
        var wallNow: HTTPDate { HTTPDate(seconds: 0) }
        func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) -> any TimerToken { NoTimer() }
    }

    private final class NoTimer: TimerToken {
        func cancel() {}
    }

    private final class NoHasher: PartitionHasher {
        func hash(_ credentials: [UInt8]) -> [UInt8] { Array(repeating: 0, count: 32) }
    }

    @Test("rules become rules of the cache, in order, with their conditions and names")
    func caching() throws {
        let text = """
            [[rule]]
            match = "http://h.example/**"
            ttl = "60s"
            stale-if-error = "1d"
            stale-while-revalidate = "30s"
            [[rule]]
            match = "http://h.example/a/*"
            methods = ["GET"]
            status = [404]
            content-types = ["text/*"]
            never-cache = false
            vary-add = ["Accept-Language"]
            """
        let rules = try Self.configuration(text, "http://h.example/a/b").values.caching.rules
        #expect(rules.map(\.name) == ["rule 1", "rule 2"])
        #expect(rules[0].ttlSeconds == 60)
        #expect(rules[0].staleIfErrorSeconds == 86_400)
        #expect(rules[0].staleWhileRevalidateSeconds == 30)
        #expect(rules[1].statuses == [404...404])
        #expect(rules[1].contentTypes.map(\.text) == ["text/*"])
        #expect(rules[1].neverCache == false)
        #expect(rules[1].varyAdd == [Array("Accept-Language".utf8)])
        #expect(try Self.configuration(text, "http://h.example/a/b", .post).values.caching.rules.count == 1)
        #expect(try Self.configuration(text, "http://h.example/a/b/c").values.caching.rules.count == 1)
    }

    @Test("a service's rules are for its own URLs only, behind the general ones")
    func service() throws {
        let text = """
            [service.api]
            base = "http://h.example/v1"
            [[service.api.rule]]
            match = "**"
            ttl = "1s"
            [service.inner]
            base = "http://h.example/v1/inner"
            [[rule]]
            match = "http://h.example/**"
            ttl = "2s"
            """
        let own = try Self.configuration(text, "http://h.example/v1/x")
        #expect(own.values.caching.rules.map(\.ttlSeconds) == [2, 1])
        #expect(own.partName == "api")
        #expect(own.values.caching.targetedFields.contains(.cdnCacheControl))
        #expect(try Self.configuration(text, "http://h.example/v1/inner/x").values.caching.rules.count == 1)
        let other = try Self.configuration(text, "http://h.example/x")
        #expect(other.partName == nil && !other.values.caching.targetedFields.contains(.cdnCacheControl))
    }

    @Test("transformers stand in their stages with the conditions of their rule; \"none\" takes earlier ones away")
    func pipeline() throws {
        let text = """
            limits.max-transform-size = "1MiB"
            limits.decoded-size = "off"
            [[rule]]
            match = "http://h.example/**"
            status = 200
            force = true
            transform = [{ json = "minify" }, { encode = ["gzip"], content-types = ["text/*"] }]
            [[rule]]
            match = "http://h.example/none/**"
            transform = ["none", { redact = "$.a" }]
            [[rule]]
            match = "http://h.example/**"
            ttl = "1s"
            [[rule]]
            match = "http://plain.example/**"
            transform = [{ json = "minify" }]
            """
        let plain = try #require(
            try Self.configuration(text, "http://plain.example/x").values.pipeline[.cleanup].steps.first
        )
        #expect(!plain.isForced && plain.statuses.isEmpty && plain.onOversize == .fail && !plain.keepsOriginal)
        let values = try Self.configuration(text, "http://h.example/x").values
        #expect(values.transformLimits.wholeContent == 1 << 20 && values.transformLimits.decodedContent == 0)
        let minify = try #require(values.pipeline[.cleanup].steps.first)
        #expect(minify.statuses == [200...200] && minify.isForced)
        #expect(minify.contentTypes.map(\.text) == ["*/json", "*/*+json"])
        #expect(values.pipeline[TransformStage.encoding.key].steps.first?.contentTypes.map(\.text) == ["text/*"])
        let redacted = try Self.configuration(text, "http://h.example/none/x").values.pipeline
        #expect(redacted[.cleanup].isEmpty)
        #expect(redacted[.model].steps.count == 1 && redacted[.model].steps.first?.contentTypes.isEmpty == true)
    }

    @Test("an option that a transformer refuses is told at its place")
    func options() throws {
        let text =
            "[[rule]]\nmatch = \"http://h.example/**\"\ntransform = [\n  { redact = [\"$.a\",\n    \"$.b[\"] },\n]\n"
        let error = try #require(throws: SettingsError.self) { try Self.plan(text) }
        #expect(error.line == 5 && error.column == 5)
        #expect(error.userMessage.hasPrefix("`transform.redact[1]`: "), "\(error.userMessage)")
    }

    @Test("a path of scrub that is none is told at its place")
    func scrubbing() throws {
        let text = "[[rule]]\nmatch = \"http://h.example/**\"\nscrub = [\"$.a\",\n  \"$.b[\"]\n"
        let error = try #require(throws: SettingsError.self) { try Self.plan(text) }
        #expect(error.line == 4 && error.column == 3)
        #expect(error.userMessage.hasPrefix("`scrub[1]`: "), "\(error.userMessage)")
    }

    @Test("query rules identify resources")
    func query() throws {
        let plan = try Self.plan(
            "[[rule]]\nmatch = \"http://h.example/**\"\ndrop-query = [\"utm_*\"]\nsort-query = true\n"
        )
        let table = ResourceTable(
            environment: CoreEnvironment(
                timekeeper: StandingClock(),
                hasher: NoHasher()
            )
        )
        let service = Service(name: "default", table: table)
        service.reconfigure { plan.configure(&$0, ModeRegistry(plan.settings)) }
        #expect(
            service.identity(of: try TargetURI(parsing: "http://h.example/?b=1&utm_x=2&a=3")).text
                == "http://h.example/?a=3&b=1"
        )
    }

    // MARK: Secrets

    private static func service(_ file: String) -> String {
        "[service.api]\nbase = \"http://h.example/\"\nheaders = { Authorization = { file = \"\(file)\", prefix = \"Bearer \" } }\n"
    }

    @Test("a field in a file is its one line, behind the prefix, with or without a line end")
    func secret() throws {
        let directory = TemporaryDirectory()
        for text in ["abc", "abc\n", "abc\r\n"] {
            let file = try directory.write(text, to: "token\(text.utf8.count)")
            let injected = try #require(try Self.plan(Self.service(file)).services.first?.injected.first)
            #expect(injected.name == Array("Authorization".utf8) && injected.value == Array("Bearer abc".utf8))
        }
        _ = try directory.write("def\n", to: "credential")
        let context = ProcessContext(
            environment: ["CREDENTIALS_DIRECTORY": String(directory.path("").dropLast())],
            isRoot: false
        )
        let plan = try Self.plan(Self.service("credential"), context)
        #expect(plan.services.first?.injected.first?.value == Array("Bearer def".utf8))
        // What LoadCredential= makes of a directory named secrets (systemd.exec(5)).
        _ = try directory.write("ghi\n", to: "secrets_github")
        let loaded = try Self.plan(Self.service("github"), context)
        #expect(loaded.services.first?.injected.first?.value == Array("Bearer ghi".utf8))
    }

    @Test("a relative name is looked for beside the settings file, also if an option gives it")
    func besideSettings() throws {
        let directory = TemporaryDirectory()
        _ = try directory.write("abc", to: "token")
        var reader = SettingsReader()
        reader.read(Array("[service.api]\nbase = \"http://h.example/\"\n".utf8), name: directory.path("respite.toml"))
        reader.set("service.api.headers.Authorization={ file = \"token\" }")
        let plan = try ServingPlan(try reader.finish(), Self.nowhere)
        #expect(plan.services.first?.injected.first?.value == Array("abc".utf8))
    }

    @Test("a file that is no secret, or no field, is refused at its place, and its text is not told")
    func wrongSecret() throws {
        let directory = TemporaryDirectory()
        let cases: [(String, String, mode: UInt32)] = [
            ("planted", "`chmod 600` it", 0o644), ("planted", "`chmod 600` it", 0o620), ("", "is empty", 0o600),
            ("\n", "is empty", 0o600), ("planted\nsecond", "one line of text", 0o600),
            (String(repeating: "planted", count: 2000), "has more than 8192 bytes", 0o600),
            ("planted\u{1}", "one line of text", 0o600),
        ]
        for (number, (text, message, mode)) in cases.enumerated() {
            let file = try directory.write(text, to: "token\(number)", mode: mode)
            let error = try #require(throws: SettingsError.self) { try Self.plan(Self.service(file)) }
            #expect(error.userMessage.contains(message) && error.userMessage.contains(file), "\(error.userMessage)")
            #expect(error.line == 3 && !error.description.contains("planted"))
        }
        let missing = try #require(throws: SettingsError.self) { try Self.plan(Self.service("/nowhere/token")) }
        #expect(missing.userMessage.contains("/nowhere/token cannot be read: No such file"))
        let directoryError = try #require(throws: SettingsError.self) { try Self.plan(Self.service("/tmp")) }
        #expect(directoryError.userMessage.contains("no regular file"))
    }

    @Test("a secret file of another user's is refused; one of root's is not", .enabled(if: geteuid() == 0))
    func foreignSecret() throws {
        let directory = TemporaryDirectory()
        let file = try directory.write("planted", to: "token")
        _ = try Self.plan(Self.service(file))
        chown(file, 12345, 12345)
        let error = try #require(throws: SettingsError.self) { try Self.plan(Self.service(file)) }
        #expect(error.userMessage.contains("belongs to user 12345") && !error.description.contains("planted"))
    }

    @Test("other bytes in a secret file count as a change")
    func changedSecret() throws {
        let directory = TemporaryDirectory()
        let first = try Self.plan(Self.service(try directory.write("one", to: "a")))
        let second = try Self.plan(Self.service(try directory.write("two", to: "b")))
        #expect(second.changedSecrets(since: first) == ["api"])
        #expect(first.changedSecrets(since: first).isEmpty)
    }

    // MARK: TLS

    private static func tokenPlan(
        _ directory: TemporaryDirectory,
        verify: String,
        proxies: [String: String] = [:]
    ) throws -> ServingPlan {
        func proxy(_ name: String) -> String { proxies[name].map { "proxy = \"\($0)\"" } ?? "" }
        return try plan(
            """
            [service.idp]
            base = "https://idp.example/oauth"
            \(proxy("idp"))
            verify = "\(verify)"
            [service.api]
            base = "https://api.example"
            \(proxy("api"))
            [service.api.token]
            url = "https://idp.example/oauth/token"
            client-id = "c"
            client-secret = { file = "\(directory.path("s"))" }
            """
        )
    }

    @Test("a token endpoint below a service's base is asked under what TLS is spoken under there")
    func tokenEndpoint() throws {
        let directory = TemporaryDirectory()
        _ = try directory.write("secret", to: "s")
        for (verify, name) in [("off", "idp"), ("on", nil)] {
            let plan = try Self.tokenPlan(directory, verify: verify)
            let source = try #require(plan.services.first { $0.name == "api" }?.credential as? TokenSource)
            #expect(source.request.security == name)
        }
    }

    @Test(
        "a token endpoint below a service's base is asked on that service's way",
        arguments: ["none", "http://p.example:1"]
    )
    func tokenProxy(proxy: String) throws {
        let directory = TemporaryDirectory()
        _ = try directory.write("secret", to: "s")
        let others = try Self.tokenPlan(directory, verify: "on", proxies: ["api": proxy])
        #expect(Self.tokens(of: others)?.request.proxy == nil)
        let own = try Self.tokenPlan(directory, verify: "on", proxies: ["idp": proxy])
        #expect(Self.tokens(of: own)?.request.proxy == "idp")
        #expect(own.changedSecrets(since: others) == ["api"])
    }

    private static func tokens(of plan: ServingPlan) -> TokenSource? {
        plan.services.first { $0.name == "api" }?.credential as? TokenSource
    }

    @Test("cookies that pass where all origins share ours are told of", arguments: [("pass", 1), ("scoped", 0)])
    func pathCookies(policy: String, warnings: Int) throws {
        let plan = try Self.plan("access.path-cookies = \"\(policy)\"\n")
        #expect(plan.warnings.count == warnings)
        #expect(
            plan.warnings.allSatisfy { $0.message.contains("access.path-cookies") && $0.message.contains("scoped") }
        )
    }

    @Test("loopback's connections that are counted and not bounded are told")
    func unboundLoopback() throws {
        let counts = "access.trust-loopback = false\n"
        let warning = try #require(try Self.plan(counts).warnings.first)
        #expect(warning.message.contains("access.trust-loopback"))
        #expect(warning.message.contains("limits.max-connections-per-peer"))
        #expect(try Self.plan(counts + "limits.max-connections-per-peer = 9\n").warnings.isEmpty)
    }

    @Test("a setting that has no effect any more is told")
    func retired() throws {
        let warning = try #require(try Self.plan("memory.huge-pages = true\n").warnings.first)
        #expect(warning.message.contains("memory.huge-pages"))
    }

    @Test("a CA that soon ends is told", arguments: [(13, 1), (15, 0)])
    func authority(days: Int, warnings: Int) throws {
        let directory = TemporaryDirectory()
        let files = AuthorityFiles(directory: directory.path("ca"))
        let authority = try CertificateAuthority.make(
            name: "Lab",
            days: days,
            for: [.name("example")],
            at: HTTPDate.now
        )
        try files.write(authority, replaces: false)
        let settings = "intercept.hosts = [\"*.example\"]\nintercept.ca-directory = \"\(files.directory)\"\n"
        let plan = try Self.plan(settings)
        #expect(plan.warnings.count == warnings)
        #expect(plan.warnings.allSatisfy { $0.message.contains("ends on \(authority.certificate.ends.day)") })
    }

    @Test(
        "a CA that is good for every host, or not for all that intercept.hosts names, is told with what to do",
        arguments: [
            ([], ["good for every host"]), ([.name("example")], []),
            ([.name("a.example")], ["names *.example, but the CA is good for a.example alone"]),
            (
                [.addresses(base: [10, 0, 0, 0], prefixLength: 8)],
                ["names *.example, but the CA is good for 10.0.0.0/8 alone"]
            ),
        ] as [([PermittedHost], [String])]
    )
    func constrainedAuthority(hosts: [PermittedHost], expected: [String]) throws {
        let directory = TemporaryDirectory()
        let files = AuthorityFiles(directory: directory.path("ca"))
        let authority = try CertificateAuthority.make(name: "Lab", days: 30, for: hosts, at: HTTPDate.now)
        try files.write(authority, replaces: false)
        let settings = "intercept.hosts = [\"*.example\"]\nintercept.ca-directory = \"\(files.directory)\"\n"
        let warnings = try Self.plan(settings).warnings
        #expect(warnings.count == expected.count)
        for (warning, text) in zip(warnings, expected) {
            #expect(warning.message.contains(text), "\(warning)")
            #expect(warning.message.contains("`respite ca create --force --for HOST…`"))
        }
    }

    @Test("a reload goes on with what TLS is spoken under, but for what has changed")
    func security() throws {
        let directory = TemporaryDirectory()
        _ = try directory.write("secret", to: "s")
        let first = try Self.tokenPlan(directory, verify: "off")
        let again = try Self.tokenPlan(directory, verify: "off").keepingWhatNeedsRestart(of: first)
        #expect(again.security.usual != nil && again.security.usual === first.security.usual)
        #expect(again.security.named["idp"] === first.security.named["idp"])
        let verifying = try Self.tokenPlan(directory, verify: "on").keepingWhatNeedsRestart(of: again)
        #expect(verifying.security.usual === first.security.usual && verifying.security.named.isEmpty)
    }

    @Test("a reload names a login file as changed only if its users have changed")
    func logins() throws {
        let directory = TemporaryDirectory()
        let hash = "$y$j9T$MgNtteyYIt04cnPrjtagN1$WWtGFsdIKGcbEQ/Umac3uJcQYx7UMwXy7HoOLRipfVD"
        let file = try directory.write("alice:\(hash)\n", to: "logins")
        let settings = "access.login-file = \"\(file)\"\n"
        let first = try Self.plan(settings)
        _ = try directory.write("# Alice\nalice:\(hash)\n", to: "logins")
        let same = try Self.plan(settings).keepingWhatNeedsRestart(of: first)
        #expect(same.changedLogins(since: first).isEmpty)
        _ = try directory.write("alice:\(hash)\nbob:\(hash)\n", to: "logins")
        let other = try Self.plan(settings).keepingWhatNeedsRestart(of: same)
        #expect(
            other.changedLogins(since: same)
                == [SettingChange(name: "login-file", old: file, new: file, needsRestart: false)]
        )
    }
}
