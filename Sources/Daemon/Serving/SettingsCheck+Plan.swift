public import CommandSyntax
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
        let files = SettingsFiles(command: command, context: context, presets: presets)
        let plan = try files.plan()
        _ = try files.sharingPlan(plan)
        let store = Storage.warning(DaemonPaths(plan.settings, context: context), isRoot: context.isRoot)
        var warnings = plan.warnings + [store].compactMap { $0.map { SettingsWarning($0) } }
        if let fault = plan.settings.adminReadTokenFile.flatMap({ AdminToken.faultForReaders($0) }) {
            warnings.append(plan.loaded.warning(at: "admin-read-token-file", fault))
        }
        if plan.settings.log.access, let fault = plan.settings.log.accessFile.flatMap({ AppendedFile.fault(at: $0) }) {
            warnings.append(plan.loaded.warning(at: "log.access-file", "\(fault); until then no request is logged"))
        }
        self.init(warnings: plan.loaded.inOrder(warnings), notes: plan.settings.notes + plan.loaded.patternNotes)
    }
}
