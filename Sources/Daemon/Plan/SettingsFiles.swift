import Platform
import Settings

/// Where the daemon's settings come from: the command line it was started with, and the files this names.
struct SettingsFiles: Sendable {
    let command: ParsedCommand
    let context: ProcessContext

    /// Reads everything anew; blocks.
    func plan() throws(SettingsError) -> ServingPlan {
        try ServingPlan(try LoadedSettings.load(command, context: context), context)
    }
}
