import Configurations
import HTTPCore
import Platform
import Proxying
import ResourceCore
import Settings
import TestDoubles
import Testing

@testable import Daemon

/// What rules do with requests before they are served.
@Suite struct RuleTrafficTests {
    private static func plan(_ text: String) throws -> ServingPlan {
        var reader = SettingsReader()
        reader.read(Array(text.utf8), name: "respite.toml")
        return try ServingPlan(try reader.finish(), ProcessContext(environment: [:], isRoot: false))
    }

    private static func service(_ text: String) throws -> Service {
        let plan = try plan(text)
        let table = ResourceTable(environment: CoreEnvironment(timekeeper: ManualTimekeeper(), hasher: NoHasher()))
        let service = Service(name: "default", table: table)
        service.reconfigure { plan.configure(&$0, ModeRegistry(plan.settings)) }
        return service
    }

    /// Rules of one setting each, for all paths of a host unless the setting names another one.
    private static func rules(_ rules: [(path: String, setting: String)]) -> String {
        rules.map { "[[rule]]\nmatch = \"http://h.example/\($0.path)\"\n\($0.setting)\n" }.joined()
    }

    private static let layers = rules([
        ("**", "redirect = { to = \"https://new.example$path\", status = 308 }"),
        ("**", "fail = { status = 503, share = 0.25 }"), ("**", "delay = \"1500ms\""), ("**", "rate = \"64KiB/s\""),
        ("b/*", "redirect = \"https://b.example/\""), ("b/*", "fail = \"reset\""), ("c/*", "redirect = false"),
        ("c/*", "fail = false"), ("c/*", "delay = 0"), ("c/*", "rate = false"), ("d/*", "fail = \"timeout\""),
        ("d/*", "ttl = \"1s\""),
    ])

    @Test("a later rule replaces what an earlier one does with a request, false takes it away, and others leave it")
    func traffic() throws {
        let service = try Self.service(Self.layers)
        func traffic(_ path: String) throws -> TrafficRules {
            service.configuration(for: try TargetURI(parsing: "http://h.example/\(path)")).values.traffic
        }
        let first = try traffic("a")
        #expect(first.redirect == TrafficRules.Redirect(to: "https://new.example$path", status: 308))
        #expect(first.fault == TrafficRules.Fault(.status(503), share: 0.25))
        #expect(first.redirectRule == "rule 1" && first.faultRule == "rule 2")
        #expect(first.delay == .milliseconds(1500) && first.bytesPerSecond == 64 << 10)
        let second = try traffic("b/x")
        #expect(second.redirect == TrafficRules.Redirect(to: "https://b.example/", status: 307))
        #expect(second.fault == TrafficRules.Fault(.reset, share: 1))
        #expect(second.redirectRule == "rule 5" && second.faultRule == "rule 6")
        #expect(second.delay == .milliseconds(1500) && second.bytesPerSecond == 64 << 10)
        let third = try traffic("c/x")
        #expect(third.redirect == nil && third.fault == nil && third.delay == .zero && third.bytesPerSecond == nil)
        let fourth = try traffic("d/x")
        #expect(fourth.fault == TrafficRules.Fault(.timeout, share: 1) && fourth.redirect == first.redirect)
    }

    @Test(
        "requests are looked at before they are served if a rule may act on them, and only then",
        arguments: [
            ("deny = \"no\"", true), ("deny = false", false), ("set-field = { request = { X-A = \"1\" } }", true),
            ("set-field = { response = { X-A = \"1\" } }", true), ("remove-field = { request = [\"X-A\"] }", true),
            ("redirect = \"https://b.example/\"", true), ("fail = \"reset\"", true), ("delay = \"1s\"", true),
            ("rate = \"1KiB/s\"", true), ("ttl = \"1s\"", false), ("never-cache = true", false),
            ("drop-query = [\"a\"]", false),
        ]
    )
    func acting(setting: String, acts: Bool) throws {
        #expect(try Self.service(Self.rules([("**", setting)])).actsOnRequests == acts)
        #expect(try Self.service(Self.rules([("**", "ttl = \"1s\""), ("b/*", setting)])).actsOnRequests == acts)
    }

    @Test("a rule sets no field that is a credential; the sentence says what can")
    func credentials() throws {
        let setting = Self.rules([("**", "set-field = { request = { X-A = \"1\", x-mine = \"1\" } }")])
        let error = try #require(throws: SettingsError.self) {
            try Self.plan("cache.credential-fields = [\"X-Mine\"]\n" + setting)
        }
        #expect(error.line == 4)
        #expect(
            error.userMessage == "`rule.set-field` cannot set x-mine, which `cache.credential-fields` lists: "
                + "a [[service]] can, from a file"
        )
        _ = try Self.plan("cache.credential-fields = [\"X-Other\"]\n" + setting)
    }

    @Test(
        "a path of key-body that is none is told with its place in its list",
        arguments: [
            ("{ json = true, ignore = [\"$.a\", \"$.b[\"] }", "ignore[1]"),
            ("{ json = true, only = [\"$.b[\"] }", "only[0]"),
            ("{ json = true, ignore = [\"$.a\"], only = [\"$.a\", \"$.b[\"] }", "only[1]"),
            ("{ graphql = true, ignore = [\"$.b[\"] }", "ignore[0]"),
        ]
    )
    func keyBodies(form: String, member: String) throws {
        let setting = Self.rules([("**", "key-body = \(form)")])
        let error = try #require(throws: SettingsError.self) { try Self.plan(setting) }
        #expect(error.line == 3 && error.userMessage.hasPrefix("`key-body.\(member)`: "), "\(error.summary)")
    }
}
