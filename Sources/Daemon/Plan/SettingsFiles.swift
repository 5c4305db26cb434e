import Platform
import Settings

/// Where the daemon's settings come from: its command line, and the files that it names.
struct SettingsFiles: Sendable {
    let command: ParsedCommand
    let context: ProcessContext
    /// Knows the rules that `rules` names; nil: they are left out.
    var presets: (any PresetSource)?
    /// The hosts that pages of package indexes have linked to.
    let linkedHosts = LinkedHosts()

    init(command: ParsedCommand, context: ProcessContext, presets: (any PresetSource)? = nil) {
        self.command = command
        self.context = context
        self.presets = presets
    }

    /// Reads everything again; blocks.
    func plan() throws(SettingsError) -> ServingPlan {
        let loaded = try LoadedSettings.load(command, context: context, presets: presets)
        if !loaded.presets.isEmpty {
            linkedHosts.load(from: DaemonPaths(loaded.values, context: context).storageDirectory)
        }
        return try ServingPlan(loaded, context, linkedHosts)
    }
}
