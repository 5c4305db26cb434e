import CommandSyntax
import Platform
import Settings

/// Where the daemon's settings come from: its command line, and the files that it names.
struct SettingsFiles: Sendable {
    let command: ParsedCommand
    let context: ProcessContext
    /// Has the rules of the presets that the setting `rules` names; nil: these are left out.
    var presets: (any PresetSource)?
    /// The hosts that pages of package indexes have linked to.
    let linkedHosts = LinkedHosts()

    init(command: ParsedCommand, context: ProcessContext, presets: (any PresetSource)? = nil) {
        self.command = command
        self.context = context
        self.presets = presets
    }

    /// Reads everything again; throws all mistakes; blocks.
    func plan() throws(SettingsError) -> ServingPlan {
        let reading = LoadedSettings.read(command, context: context, presets: presets)
        var mistakes = reading.mistakes
        if !reading.isComplete { try mistakes.check(reading.settings.sources) }
        if !reading.settings.presets.isEmpty {
            linkedHosts.load(from: DaemonPaths(reading.settings.values, context: context).storageDirectory)
        }
        // Even if settings are wrong, this looks for mistakes in the files that they name.
        let plan = mistakes.attempt { () throws(SettingsError) in
            try ServingPlan(reading.settings, context, linkedHosts)
        }
        try mistakes.check(reading.settings.sources)
        guard let plan else { throw SettingsError(source: "settings", userMessage: "cannot be read") }
        return plan
    }
}
