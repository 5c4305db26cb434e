import CommandSyntax
import Platform
import Settings

/// `respite doctor`: looks for what keeps a daemon, and this shell, from working.
enum DoctorCommand {
    static func run(_ command: ParsedCommand, daemon: DaemonProvider) -> Int32 {
        FindingText.print(findings(command, daemon: daemon), of: command)
    }

    private static func findings(_ command: ParsedCommand, daemon: DaemonProvider) -> [Finding] {
        let process = ProcessContext.current
        let trust = TrustChecks.system(environment: process.environment)
        let settings: DaemonSettings
        do throws(CommandFailure) {
            settings = try LoadedSettings.forCommand(command, context: process).values
        } catch {
            return [SettingsFinding.fault(error), ClockCheck.finding(), trust, UnitCheck.finding()]
        }
        let context = DoctorContext(command, settings, process)
        var findings = [SettingsFinding.finding(command, daemon: daemon)] + context.search
        findings += PortChecks.findings(context) + StoreChecks.findings(context)
        findings += [ClockCheck.finding(store: context.index), trust] + TrustChecks.ofSettings(context)
        findings += NameChecks.findings(context) + SecretChecks.findings(context) + VariableChecks.findings(context)
        return findings + [UnitCheck.finding()]
    }
}

/// Whether the settings are valid.
private enum SettingsFinding {
    static func finding(_ command: ParsedCommand, daemon: DaemonProvider) -> Finding {
        let result: SettingsCheck
        do throws(SettingsError) { result = try daemon.check(command) } catch { return fault(CommandFailure(error)) }
        guard let first = result.warnings.first else { return .ok("settings", "they are valid") }
        let more = result.warnings.count > 1 ? ", and \(result.warnings.count - 1) more" : ""
        return .note("settings", "\(first)\(more)", "`respite config check` lists all warnings")
    }

    /// The sentence alone: what follows it points into the file.
    static func fault(_ failure: CommandFailure) -> Finding {
        let sentence = failure.userMessage.split(separator: "\n").first.map(String.init) ?? failure.userMessage
        return .fault("settings", sentence, "correct it; `respite config check` shows the place")
    }
}
