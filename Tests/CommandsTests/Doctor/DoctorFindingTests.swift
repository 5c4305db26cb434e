import HTTPCore
import Settings
import Testing

@testable import Commands
@testable import Terminal

/// What `respite doctor` makes of what it sees.
@Suite struct DoctorFindingTests {
    private static let screen = Screen(isTerminal: true, columns: 30, environment: ["NO_COLOR": "1"])

    @Test("people see a mark, what was seen, an arrow with what to do, and the sums")
    func text() {
        let findings = [
            Finding.ok("clock", "right"), .note("IPv6", "none"),
            .fault("store", "cannot be written", "chmod 700 /var/cache/respite"),
        ]
        #expect(
            FindingText.text(findings, on: Self.screen) == """
                ✓ clock  right
                • IPv6   none
                ✗ store  cannot be written
                         → chmod 700
                         /var/cache/respite

                1 fault, 1 note in 3 checks

                """
        )
        #expect(FindingText.summary([.ok("a", "b")]) == "no fault in 1 check")
        let json = String(decoding: FindingText.json(findings), as: UTF8.self)
        #expect(
            json.hasPrefix("{\"faults\":1,\"findings\":[{\"subject\":\"clock\",\"verdict\":\"ok\",\"seen\":\"right\"},")
        )
    }

    @Test("a clock from before this program is wrong; a store of tomorrow is not, one of next week is")
    func clock() {
        #expect(ClockCheck.finding(now: HTTPDate(seconds: 0)).verdict == .fault)
        let now = HTTPDate(seconds: 1_800_000_000)
        #expect(ClockCheck.finding(now: now).verdict == .ok)
        for (ahead, verdict) in [(86_400, Finding.Verdict.ok), (86_401, .fault)] as [(Int64, Finding.Verdict)] {
            #expect(ClockCheck.finding(store: ("f", now.seconds + ahead), now: now).verdict == verdict)
        }
    }

    @Test("what is wrong with a clock is told with its time, and with that of the store's index")
    func clockTexts() {
        #expect(
            ClockCheck.finding(now: HTTPDate(seconds: 1_767_225_600))
                == .fault(
                    "clock",
                    "it says Thu, 01 Jan 2026 00:00:00 GMT",
                    "set it: the age of responses depends on it"
                )
        )
        let now = HTTPDate(seconds: 1_767_225_601)
        #expect(ClockCheck.finding(now: now) == .ok("clock", "Thu, 01 Jan 2026 00:00:01 GMT"))
        #expect(
            ClockCheck.finding(store: ("/s/cache.db", now.seconds + 86_401), now: now)
                == .fault(
                    "clock",
                    "it says Thu, 01 Jan 2026 00:00:01 GMT, but /s/cache.db was written on Fri, 02 Jan 2026 00:00:02 GMT",
                    "set the clock; if it was wrong then, empty the store by `respite purge --yes '**'`"
                )
        )
    }

    @Test(
        "less than 16 MiB are no room; less than the store may still take is a note",
        arguments: [
            (16 << 20 - 1, 0, 64, .fault), (16 << 20, 0, 16 << 20, .ok), (16 << 20, 0, 16 << 20 + 1, .note),
            (16 << 20, 1, 16 << 20 + 1, .ok),
        ] as [(Int64, Int64, Int64, Finding.Verdict)]
    )
    func space(free: Int64, used: Int64, limit: Int64, verdict: Finding.Verdict) {
        #expect(StoreChecks.space(free: free, used: used, limit: limit, "/d").verdict == verdict)
    }

    @Test("who listens on a port is found in the tables of both families; who is connected from there is not")
    func inodes() {
        let table = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:0C38 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1
               1: 0100007F:0C38 0100007F:9999 01 00000000:00000000 00:00000000 00000000     0        0 4712 1
               2: 00000000000000000000000001000000:0C38 00:0 0A 0:0 00:0 0 0 0 4713 1
            """
        #expect(PortOwner.inodes(ofPort: 3128, inTable: table) == ["4711", "4713"])
        #expect(PortOwner.inodes(ofPort: 0x38, inTable: table).isEmpty)
    }

    @Test("IPv6 is a fault only where a listener wants it and the machine has none")
    func ipv6() throws {
        let listener = try #require(ListenAddress(text: "[::1]:1"))
        let table = "00000000000000000000000000000001 01 80 10 80       lo\n"
        #expect(PortChecks.scopes(table) == [0x10])
        #expect(PortChecks.ipv6(scopes: [], [listener]).verdict == .fault)
        #expect(PortChecks.ipv6(scopes: [], [.tcp(.v4(1), port: 1)]).verdict == .note)
        #expect(PortChecks.ipv6(scopes: [0x10], [listener]).verdict == .note)
        #expect(PortChecks.ipv6(scopes: [0, 0x10], [listener]).verdict == .ok)
    }

    @Test("variables lead here, to another proxy, or to another machine")
    func variables() throws {
        let listeners = [try #require(ListenAddress(text: "0.0.0.0:3128"))]
        func verdicts(_ environment: [String: String]) -> [String] {
            VariableChecks.findings(environment, listeners) { _ in .other }.map { "\($0.verdict): \($0.seen)" }
        }
        #expect(verdicts([:]) == ["note: this shell uses no proxy"])
        let both = ["http_proxy": "http://127.0.0.1:3128", "https_proxy": "http://localhost:3128/"]
        #expect(verdicts(both).allSatisfy { $0.hasPrefix("ok: ") && $0.hasSuffix(" leads here") })
        #expect(verdicts(["http_proxy": "http://proxy.example:1"])[0].hasSuffix("leads to another machine"))
        #expect(verdicts(["http_proxy": "127.0.0.1:9"]).map { $0.prefix(4) } == ["note", "note"])
    }

    @Test(
        "a unit that failed or starts again and again is a fault, one that was not started a note",
        arguments: [
            ("loaded", "active", "running", .ok), ("loaded", "failed", "failed", .fault),
            ("loaded", "activating", "auto-restart", .fault), ("loaded", "activating", "start", .ok),
            ("loaded", "inactive", "dead", .note), ("not-found", "inactive", "dead", .note),
        ] as [(String, String, String, Finding.Verdict)]
    )
    func unit(load: String, active: String, sub: String, verdict: Finding.Verdict) {
        #expect(UnitCheck.finding(["LoadState": load, "ActiveState": active, "SubState": sub]).verdict == verdict)
    }
}
