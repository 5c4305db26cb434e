import CommandSyntax
import Exchanges
import HTTPCaching
import HTTPCore
import Platform
import ResourceCore
import Settings
import Stores
import TestSupport
import Testing

@testable import Daemon

/// The hosts that pages of a package index link to.
@Suite struct LinkedHostsTests {
    /// Presets with one rule for pages and one for files.
    private struct Presets: PresetSource {
        func rules(of preset: RulePreset, for index: PackageIndexURL) -> [UInt8] {
            Array(
                """
                [[rule]]
                match = "**/simple/**"
                transform = [{ links = "prefix" }]
                [[rule]]
                match = "**/packages/*.whl"
                ttl = "1h"
                """.utf8
            )
        }

        func servers(of preset: RulePreset, for index: PackageIndexURL) -> [String] { [index.parent] }

        func indexes(of preset: RulePreset) throws(PresetFault) -> [PackageIndexURL] { throw PresetFault("absent") }
    }

    private let home = TemporaryDirectory()

    private func loaded(_ rules: String) throws -> LoadedSettings {
        let command = try ParsedCommand.parse(["serve", "--config", "/dev/null", "--rules", rules])
        return try LoadedSettings.load(command, context: .current, presets: Presets())
    }

    private func linked(
        _ hosts: LinkedHosts,
        _ rules: String = "pip=https://index.example/simple"
    ) throws -> LinkedRules {
        LinkedRules(try #require(try loaded(rules).presets.first), hosts)
    }

    @Test("a rule is for files on a host once a page has linked there, and for no other host")
    func learning() throws {
        let hosts = LinkedHosts()
        let linked = try linked(hosts)
        let glob = try URLGlob("**/packages/*.whl")
        func matches(_ url: String) throws -> Bool { linked.match(try TargetURI(parsing: url), glob) }
        #expect(try !matches("https://files.example/packages/a.whl"))
        linked.links(to: Array("\"https:\\/\\/files.example\\/packages\\/a.whl\"".utf8))
        #expect(try matches("https://files.example/packages/a.whl"))
        #expect(try matches("https://files.example/deeper/packages/b.whl"))
        #expect(try !matches("https://files.example/other/a.whl"))
        #expect(try !matches("http://files.example/packages/a.whl"))
        #expect(try !matches("https://files.example:8443/packages/a.whl"))
        #expect(try !matches("https://other.example/packages/a.whl"))
        #expect(try !matches("https://evilfiles.example/packages/a.whl"))
    }

    @Test("a rule for linked hosts has the number that it has among all rules")
    func numbers() throws {
        let loaded = try loaded("pip=https://index.example/simple,npm=https://registry.example/")
        for (preset, index) in zip(loaded.presets, [1, 3]) {
            #expect(preset.linkedRules.map(\.index) == [index])
            #expect(preset.linkedRules.map(\.settings.ttl) == [loaded.values.rules[index].ttl])
        }
        #expect(loaded.presets.count == 2 && loaded.values.rules[1].ttl == .seconds(3600))
    }

    @Test("many new hosts call once, until they are saved")
    func calls() throws {
        let hosts = LinkedHosts()
        let calls = SharedValue(0)
        hosts.whenChanged { calls.update { $0 += 1 } }
        let linked = try linked(hosts)
        for name in ["a", "b", "c", "a"] { linked.links(to: Array("\"https://\(name).example/x\"".utf8)) }
        #expect(calls.current == 1)
        hosts.save()
        linked.links(to: Array("\"https://a.example/x\"".utf8))
        #expect(calls.current == 1)
        linked.links(to: Array("\"https://d.example/x\"".utf8))
        #expect(calls.current == 2)
    }

    @Test(
        "a link is read as it stands in a document, whole or up to the host's end",
        arguments: [
            "https://files.example/packages/a.whl#sha256=1", "https://files.example/", "https://files.example",
            "\"https://files.example/x\"", "https://FILES.example\"", "https://files.example ",
        ]
    )
    func forms(text: String) throws {
        let hosts = LinkedHosts()
        try linked(hosts).links(to: Array(text.utf8))
        #expect(hosts.contains(try TargetURI(parsing: "https://files.example/a"), of: .pip), "\(text)")
    }

    @Test("what an author may write into a document makes no rule for a host: only links to archives do")
    func authorsLinks() throws {
        let hosts = LinkedHosts()
        let linked = try linked(hosts, "npm=https://registry.example/simple")
        linked.links(to: Array("\"https://homepage.example/\"".utf8))
        linked.links(to: Array("\"https://archives.example/packages/a.whl\"".utf8))
        #expect(!hosts.contains(try TargetURI(parsing: "https://homepage.example/"), of: .npm))
        #expect(hosts.contains(try TargetURI(parsing: "https://archives.example/"), of: .npm))
        #expect(!hosts.contains(try TargetURI(parsing: "https://archives.example/"), of: .pip))
    }

    @Test("hosts are kept beside the store, for the next start; garbage there is ignored")
    func keeping() throws {
        let first = LinkedHosts()
        first.load(from: home.path)
        try linked(first).links(to: Array("https://files.example/packages/a.whl".utf8))
        first.save()
        try linked(first).links(to: Array("https://more.example/packages/a.whl".utf8))
        first.save()
        let second = LinkedHosts()
        second.load(from: home.path)
        for host in ["files", "more"] {
            #expect(second.contains(try TargetURI(parsing: "https://\(host).example/"), of: .pip))
        }
        try home.write(
            "pip\nnone https://a.example:443\npip https://b.example:443\n\u{0}pip ftp://x.example\n",
            to: "linked-hosts"
        )
        let third = LinkedHosts()
        third.load(from: home.path)
        #expect(third.contains(try TargetURI(parsing: "https://b.example/"), of: .pip))
        #expect(!third.contains(try TargetURI(parsing: "https://a.example/"), of: .pip))
    }

    @Test("a full list is read again, however long its names are")
    func longNames() throws {
        func uri(_ number: Int) throws -> TargetURI {
            let labels = (0..<4).map { _ in String(repeating: "a", count: 60) } + ["\(100_000 + number)", "x"]
            return try TargetURI(parsing: "https://\(labels.joined(separator: "."))/")
        }
        let first = LinkedHosts()
        first.load(from: home.path)
        for number in 0..<LinkedHosts.limit { first.insert(try uri(number), of: .pip) }
        first.save()
        let second = LinkedHosts()
        second.load(from: home.path)
        for number in [0, LinkedHosts.limit - 1] { #expect(second.contains(try uri(number), of: .pip)) }
    }

    @Test("an index that links everywhere fills no memory")
    func bound() throws {
        let hosts = LinkedHosts()
        let linked = try linked(hosts)
        for number in 0..<(LinkedHosts.limit + 10) { linked.links(to: Array("https://h\(number).example/".utf8)) }
        #expect(hosts.contains(try TargetURI(parsing: "https://h\(LinkedHosts.limit - 1).example/"), of: .pip))
        #expect(!hosts.contains(try TargetURI(parsing: "https://h\(LinkedHosts.limit).example/"), of: .pip))
    }

    @Test("settings whose preset cannot be put in force are refused as a whole, with the remedy")
    func refusal() throws {
        let error = #expect(throws: SettingsError.self) { try loaded("pip") }
        #expect(error?.userMessage == "`rules`: absent")
    }

    @Test("a plan has the rules of linked hosts before those of the settings")
    func plan() throws {
        let hosts = LinkedHosts()
        hosts.insert(try TargetURI(parsing: "https://files.example/"), of: .pip)
        let plan = try ServingPlan(try loaded("pip=https://index.example/simple"), .current, hosts)
        let table = ResourceTable(
            environment: CoreEnvironment(timekeeper: StandingClock(), hasher: NoHasher())
        )
        let service = Service(name: "default", table: table)
        service.reconfigure { plan.configure(&$0, ModeRegistry(plan.settings)) }
        func lifetimes(_ url: String) throws -> [Int64?] {
            service.configuration(for: try TargetURI(parsing: url)).values.caching.rules.map(\.ttlSeconds)
        }
        #expect(try lifetimes("https://files.example/packages/a.whl") == [3600])
        #expect(try lifetimes("https://other.example/packages/a.whl").isEmpty)
        #expect(try lifetimes("https://index.example/packages/a.whl") == [3600])
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
}
