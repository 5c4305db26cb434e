import Platform
import Settings

extension LoadedSettings {
    /// The settings that the options of a command and the settings file give; fails with exit code 2.
    static func forCommand(
        _ command: ParsedCommand,
        context: ProcessContext = .current
    ) throws(CommandFailure) -> LoadedSettings {
        do throws(SettingsError) {
            return try load(command, context: context)
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension CommandFailure {
    /// Exit code 2.
    init(_ error: SettingsError) { self.init("\(error)", exitCode: 2) }
}
