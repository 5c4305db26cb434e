import Settings
import Testing

@testable import Commands

/// The words of findings.
@Suite struct UnitFindingTests {
    private static func line(_ finding: Finding) -> String {
        "\(finding.verdict.rawValue) \(finding.subject): \(finding.seen) -> \(finding.remedy ?? "-")"
    }

    @Test(
        "what the service manager says is told with what to do",
        arguments: [
            (["LoadState": "not-found"], "note systemd: it has no respite.service -> -"),
            (
                ["ActiveState": "failed", "Result": "exit-code"],
                "fault systemd: respite.service does not stay up: exit-code -> `journalctl -u respite` has the reason; "
                    + "then `systemctl restart respite`"
            ),
            (
                ["ActiveState": "activating", "SubState": "auto-restart"],
                "fault systemd: respite.service does not stay up: unknown -> `journalctl -u respite` has the reason; "
                    + "then `systemctl restart respite`"
            ),
            (["ActiveState": "active"], "ok systemd: respite.service is active -> -"),
            (["ActiveState": "reloading"], "ok systemd: respite.service is reloading -> -"),
            ([:], "note systemd: respite.service is unknown -> systemctl start respite"),
        ] as [([String: String], String)]
    )
    func unit(properties: [String: String], text: String) { #expect(Self.line(UnitCheck.finding(properties)) == text) }

    @Test("how much room a disk has is told with the limit that it misses")
    func space() {
        func text(_ free: Int64, used: Int64 = 0, limit: Int64) -> String {
            Self.line(StoreChecks.space(free: free, used: used, limit: limit, "/d"))
        }
        #expect(
            text(16_777_215, limit: 0) == "fault space: 16.0 MiB free at /d -> free some: nothing more can be stored"
        )
        #expect(text(16_777_216, limit: 0) == "ok space: 16.0 MiB free at /d -> -")
        #expect(
            text(16_777_216, used: 1 << 20, limit: 32 << 20)
                == "note space: 16.0 MiB free at /d, less than the store may use: 32.0 MiB -> set `storage.limit` lower, "
                + "or the disk is full before the store"
        )
    }

    @Test("a port's number has four digits of sixteen, in capitals")
    func ports() {
        func table(_ port: String, _ state: String = "0A") -> String {
            "0: 0100007F:\(port) 00000000:0000 \(state) 0:0 00:0 0 0 0 4711"
        }
        #expect(PortOwner.inodes(ofPort: 0xABC, inTable: table("0ABC")) == ["4711"])
        #expect(PortOwner.inodes(ofPort: 1, inTable: table("0001")) == ["4711"])
        #expect(PortOwner.inodes(ofPort: 0xFFFF, inTable: table("FFFF")) == ["4711"])
        #expect(PortOwner.inodes(ofPort: 1, inTable: table("0001", "01")).isEmpty)
        #expect(PortOwner.inodes(ofPort: 1, inTable: "0: 0100007F:0001 00000000:0000 0A 0 0 0 0 0").isEmpty)
    }
}
