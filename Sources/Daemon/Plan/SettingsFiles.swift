import Platform
import Settings

/// Where the daemon's settings come from: its command line, and the files that it names.
struct SettingsFiles: Sendable {
    let command: ParsedCommand
    let context: ProcessContext

    /// Reads everything again; blocks.
    func plan() throws(SettingsError) -> ServingPlan {
        try ServingPlan(try LoadedSettings.load(command, context: context), context)
    }
}
