import Administration
import HTTPCore
import Observability
import Platform
import Settings
import TestDoubles
import TestSupport
import Testing
import UpstreamClient

@testable import Daemon
@testable import SharedStorage

/// What becomes of the settings of the shared tier, and what it tells of itself.
@Suite struct SharingTests {
    private let directory = TemporaryDirectory()
    private let context = ProcessContext(environment: [:], isRoot: false)

    private func load(_ text: String) throws -> LoadedSettings {
        var reader = SettingsReader()
        reader.read(Array(text.utf8), name: directory.path("respite.toml"))
        return try reader.finish()
    }

    private func plan(_ members: String) throws -> SharingPlan? {
        try SharingPlan(try load("[shared]\n\(members)\n"), nil, context)
    }

    @Test("without a server nothing is shared")
    func off() throws {
        #expect(try plan("timeout = \"1s\"") == nil)
    }

    @Test("one server is asked alone, nodes of a cluster together, each where it is")
    func addresses() throws {
        let single = try #require(try plan("url = \"redis://a.example\""))
        #expect(single.addresses == [.host("a.example", port: 6379)] && !single.isCluster)
        let socket = try #require(try plan("url = \"redis+unix:///run/r\""))
        #expect(socket.addresses == [.socket("/run/r")] && !socket.isCluster)
        let cluster = try #require(try plan("cluster = [\"[::1]:1\", \"b.example\"]"))
        #expect(cluster.addresses == [.host("::1", port: 1), .host("b.example", port: 6379)] && cluster.isCluster)
    }

    @Test("times and sizes reach the tier, and a reply may be twice as large as what is shared")
    func limits() throws {
        let usual = try #require(try plan("url = \"redis://a.example\""))
        var options = SharedTierOptions()
        options.credentialFields = usual.tier.credentialFields
        #expect(usual.tier == options && usual.server.replies.bytes == 32 << 20)
        #expect(usual.tier.credentialFields.contains(Array("x-api-key".utf8)))
        let large = try #require(
            try plan("url = \"redis://a.example\"\nmax-object-size = \"64MiB\"\ntimeout = \"70ms\"")
        )
        #expect(large.tier.maximumObjectSize == 64 << 20 && large.tier.timeout == .milliseconds(70))
        #expect(large.server.replies.bytes == 128 << 20)
        let edge = try #require(try plan("url = \"redis://a.example\"\nmax-object-size = \"16MiB\""))
        #expect(edge.server.replies.bytes == 32 << 20)
    }

    @Test("user, password and key come from the settings and their files")
    func secrets() throws {
        try directory.write("hush\n", to: "p")
        try directory.write(String(repeating: "k", count: 32), to: "k")
        let usual = try #require(try plan("url = \"redis://a.example\""))
        #expect(usual.server.user == nil && usual.server.password == nil && usual.partitionKey == nil)
        #expect(!usual.tier.sharesPrivate)
        let made = try #require(
            try plan(
                "url = \"redis://a.example\"\nuser = \"u\"\npassword-file = \"p\"\npartition-key-file = \"k\""
            )
        )
        #expect(made.server.user == "u" && made.server.password == Array("hush".utf8) && made.tier.sharesPrivate)
        #expect(made.partitionKey?.count == 32 && made.partitionKey != Array(repeating: UInt8(ascii: "k"), count: 32))
    }

    @Test("a key of fewer than 32 characters is refused, with the other mistakes")
    func mistakes() throws {
        try directory.write(String(repeating: "k", count: 31), to: "k")
        let error = #expect(throws: SettingsError.self) {
            try plan("url = \"redis://a.example\"\npassword-file = \"none\"\npartition-key-file = \"k\"")
        }
        let told = error?.mistakes.map { $0.summary.replacing("\(directory.path)/", with: "") } ?? []
        #expect(
            told == [
                "respite.toml:3:1: `shared.password-file`: none cannot be read: No such file or directory; it must hold the "
                    + "secret in one line, for its owner alone (`chmod 600`)",
                "respite.toml:4:1: `shared.partition-key-file` must hold at least 32 characters: make it by `openssl rand "
                    + "-hex 32`",
            ]
        )
    }

    @Test("TLS is spoken to servers that ask for it, and to no others")
    func security() throws {
        let loaded = try load("[shared]\nurl = \"rediss://a.example\"")
        let security = try UpstreamSecurity.usualContext(loaded, context)
        #expect(try SharingPlan(loaded, security, context)?.server.security === security)
        let plain = try SharingPlan(try load("[shared]\nurl = \"redis://a.example\""), security, context)
        #expect(plain != nil && plain?.server.security == nil)
    }

    // MARK: What it tells

    private static let names = [
        "respite_shared_broken_total", "respite_shared_down", "respite_shared_failures_total",
        "respite_shared_following", "respite_shared_hits_total", "respite_shared_leases",
        "respite_shared_leases_lost_total", "respite_shared_leases_total", "respite_shared_lookup_seconds",
        "respite_shared_misses_total", "respite_shared_purges_received_total", "respite_shared_purges_sent_total",
        "respite_shared_purges_unreadable_total", "respite_shared_refused_total", "respite_shared_resets_total",
        "respite_shared_skipped_total", "respite_shared_stored_total", "respite_shared_waits_total",
    ]

    /// The values of metrics without labels, by their names.
    private static func values(_ registry: MetricsRegistry) -> [String: String] {
        let lines = String(decoding: registry.prometheusText(), as: UTF8.self).split(separator: "\n")
        let pairs = lines.filter { !$0.hasPrefix("#") && !$0.contains("{") }.map { $0.split(separator: " ") }
        return Dictionary(pairs.map { (String($0[0]), String($0[1])) }) { first, _ in first }
    }

    @Test("the log tells once why the server is of no use, and once that it is of use again")
    func lines() throws {
        let workers = try WorkerPool.start(count: 1, name: "test")
        defer { workers.stop() }
        let log = KeptLog()
        let sharing = Sharing(
            try #require(try plan("cluster = [\"a.example:1\", \"b.example:2\"]")),
            base: nil,
            directory: nil,
            timekeeper: ManualTimekeeper(),
            workers: workers,
            registry: MetricsRegistry(),
            log: log.logger
        )
        let (now, server) = (MonotonicTime(nanoseconds: 1), "server=\"a.example:1, b.example:2\"")
        sharing.tier.noteResponse(at: now)
        #expect(log.take() == [])
        for _ in 0..<2 { sharing.tier.noteRefusal("it is full", at: now) }
        let line = "warning shared server of no use; this node goes on alone"
        #expect(log.take() == ["\(line) \(server) reason=\"it is full\""])
        #expect(sharing.usage.reason == "it is full" && sharing.usage.refused == 2)
        for _ in 0..<2 { sharing.tier.noteResponse(at: now) }
        #expect(log.take() == ["info shared server in use again \(server)"] && sharing.usage.reason == nil)
    }

    @Test("each event of the tier is in the metrics and in the status, by its own name")
    func statistics() throws {
        let workers = try WorkerPool.start(count: 1, name: "test")
        defer { workers.stop() }
        let registry = MetricsRegistry()
        let sharing = Sharing(
            try #require(try plan("cluster = [\"a.example:1\", \"b.example:2\"]")),
            base: nil,
            directory: nil,
            timekeeper: ManualTimekeeper(),
            workers: workers,
            registry: registry,
            log: .silent
        )
        let text = String(decoding: registry.prometheusText(), as: UTF8.self)
        let types = text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.map { $0.split(separator: " ")[2] }
        #expect(types.map(String.init) == Self.names)
        #expect(Self.values(registry).values.allSatisfy { $0 == "0" || $0 == "0.0" })
        #expect(sharing.name == "a.example:1, b.example:2" && sharing.usage.server == sharing.name)
        #expect(!sharing.usage.isFollowing && sharing.usage.reason == nil)
        let events = sharing.tier.statistics
        func times(_ count: Int, _ note: () -> Void) { for _ in 0..<count { note() } }
        times(2, events.noteHit)
        times(3, events.noteMiss)
        times(4, events.noteSkipped)
        times(5, events.noteStored)
        times(6, events.noteRefused)
        times(7, events.noteAnnouncement)
        times(8, events.notePurge)
        times(9, events.noteForeignPurge)
        times(10, events.noteReset)
        times(11, events.noteWait)
        times(12, events.noteLostLease)
        times(13) { events.noteLease(isHeld: true) }
        times(3) { events.noteLease(isHeld: false) }
        times(14, events.noteFailure)
        events.note([.broken, .broken, .foreign])
        events.noteFollowing(true)
        let values = Self.values(registry)
        func value(_ name: String) -> String? { values["respite_shared_\(name)"] }
        #expect(value("hits_total") == "2" && value("misses_total") == "3" && value("skipped_total") == "4")
        #expect(value("stored_total") == "5" && value("refused_total") == "6" && value("purges_sent_total") == "7")
        #expect(value("purges_received_total") == "8" && value("purges_unreadable_total") == "9")
        #expect(value("resets_total") == "10" && value("waits_total") == "11" && value("leases_lost_total") == "12")
        #expect(value("leases_total") == "13" && value("leases") == "10" && value("failures_total") == "14")
        #expect(value("broken_total") == "3" && value("following") == "1" && value("down") == "0")
        let usage = sharing.usage
        #expect([usage.hits, usage.misses, usage.skipped, usage.stored, usage.refused] == [2, 3, 4, 5, 6])
        #expect([usage.announcements, usage.purges, usage.resets, usage.waits] == [7, 8, 10, 11])
        #expect([usage.lostLeases, usage.leases, usage.failures, usage.broken] == [12, 10, 14, 3])
        #expect(usage.isFollowing)
    }
}
