import Platform
import Settings

@testable import Commands

extension EntryPoint {
    /// Commands without a server: each use of it fails with exit code 99.
    static let withoutDaemon = EntryPoint(
        daemon: DaemonProvider(
            serve: { _ in 99 },
            check: { (command) throws(SettingsError) in
                let loaded = try LoadedSettings.load(command, context: .current)
                let warnings = loaded.values.mode == .replay ? [SettingsWarning("replay")] : []
                return SettingsCheck(warnings: warnings, notes: [])
            },
            checkShared: { (command) throws(StartFailure) in
                let names = command.values(of: "set").filter { $0.hasPrefix("shared.url=") }
                guard !command.has("config") else { throw StartFailure("wrong", hasWrongSettings: true) }
                let findings = names.map { $0.hasSuffix("bad") ? Finding.fault("a", $0, "c") : Finding.note("a", $0) }
                return findings.isEmpty ? nil : findings
            },
            start: { (_, _, _, _) throws(StartFailure) in throw StartFailure("no server", hasWrongSettings: false) }
        )
    )
}
