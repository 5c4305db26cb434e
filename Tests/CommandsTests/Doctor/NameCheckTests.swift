import CommandSyntax
import Glibc
import HTTPCore
import Platform
import Settings
import Testing

@testable import Commands

/// How `respite doctor` looks for a name.
@Suite struct NameCheckTests {
    /// The flag of a thread that is about to end (PF_EXITING, see proc_pid_stat(5)).
    private static let exiting: UInt64 = 4

    /// How many threads with this name go on.
    private static func threads(named name: String) -> Int {
        SmallFile.names(in: "/proc/self/task").count { number in
            let bytes = (try? SmallFile.read("/proc/self/task/\(number)/stat", limit: 4096)) ?? []
            let text = String(decoding: bytes, as: UTF8.self)
            guard text.contains("(\(name))"), let end = text.lastIndex(of: ")") else { return false }
            let values = text[end...].split(separator: " ").dropFirst()
            return values.count > 6 && (UInt64(values[values.startIndex + 6]) ?? 0) & exiting == 0
        }
    }

    @Test("a name that the settings give an address is found, and no thread is left behind")
    func overridden() async {
        // In a process of its own, where nobody else looks for names.
        await #expect(processExitsWith: .success) {
            var settings = DaemonSettings()
            settings.admin = []
            settings.gateway = GatewayOrigin(text: "http://name.test")
            settings.hosts = ["name.test": [.v4(0x7F00_0001)]]
            let process = ProcessContext(environment: [:], isRoot: false)
            let context = DoctorContext(try ParsedCommand.parse(["doctor"]), settings, process)
            for _ in 0..<10 {
                guard NameChecks.findings(context) == [.ok("DNS", "name.test is found")] else { exit(2) }
            }
            guard NameCheckTests.threads(named: "resolver-0") == 0 else { exit(1) }
        }
    }
}
