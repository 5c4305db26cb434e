import CommandSyntax
import Platform
import Settings

extension LoadedSettings {
    /// The settings from the options of a command and the settings file; fails with exit code 2.
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
    /// The failure has exit code 2.
    init(_ error: SettingsError) { self.init("\(error)", exitCode: 2) }
}
