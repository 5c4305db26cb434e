import Administration
import Platform
public import Settings

extension SettingsCheck {
    /// Checks settings as thoroughly as a start: reads secret files and makes transformers; blocks.
    public init(
        asForStart command: ParsedCommand,
        presets: (any PresetSource)? = nil
    ) throws(SettingsError) {
        let context = ProcessContext.current
        let plan = try SettingsFiles(command: command, context: context, presets: presets).plan()
        let store = Storage.warning(DaemonPaths(plan.settings, context: context), isRoot: context.isRoot)
        var warnings = plan.warnings + [store].compactMap { $0.map { SettingsWarning($0) } }
        if let fault = plan.settings.adminReadTokenFile.flatMap({ AdminToken.faultForReaders($0) }) {
            warnings.append(plan.loaded.warning(at: "admin-read-token-file", fault))
        }
        self.init(warnings: plan.loaded.inOrder(warnings), notes: plan.settings.notes + plan.loaded.patternNotes)
    }
}
