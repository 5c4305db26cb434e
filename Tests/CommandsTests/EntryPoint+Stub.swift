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
                return SettingsCheck(warnings: loaded.values.mode == .replay ? ["replay"] : [], notes: [])
            },
            start: { (_, _, _) throws(StartFailure) in throw StartFailure("no server", hasWrongSettings: false) }
        )
    )
}
