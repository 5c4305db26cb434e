import CommandSyntax
import Formats
import HTTPCore
import Platform
import Settings
import Terminal

/// `respite config check`, `show` and `schema`.
struct ConfigurationCommand {
    private let command: ParsedCommand
    private let daemon: DaemonProvider

    init(_ command: ParsedCommand, daemon: DaemonProvider) {
        self.command = command
        self.daemon = daemon
    }

    func run() -> Int32 {
        CommandFailure.report { () throws(CommandFailure) in
            switch command.name {
            case "config schema": schema()
            case "config check": try check()
            default: try show()
            }
            return 0
        }
    }

    private func check() throws(CommandFailure) {
        let result: SettingsCheck
        do throws(SettingsError) { result = try daemon.check(command) } catch { throw CommandFailure(error) }
        for warning in result.warnings { Console.complain("respite: warning: \(warning)") }
        for note in result.notes { Console.complain("respite: note: \(note)") }
        Console.write("the settings are valid\n")
    }

    private func show() throws(CommandFailure) {
        let url = try command.operands.first.map { text throws(CommandFailure) in try TargetURI(operand: text) }
        let method = Method(command.value(of: "method") ?? "GET")
        guard !command.has("live") else { return try showLive(url, method) }
        var loaded = try LoadedSettings.forCommand(command)
        guard let url else {
            Console.write(
                command.has("json")
                    ? SettingsDocument.listingJSON(loaded, showsSecrets: false)
                    : Array(SettingsDocument.listing(loaded, showsSecrets: false).utf8)
            )
            return
        }
        var mistakes = SettingsMistakes()
        loaded.readHostLists(ProcessContext.current, &mistakes)
        do throws(SettingsError) { try mistakes.check(loaded.sources) } catch { throw CommandFailure(error) }
        var writer = JSONWriter()
        writer.object { [loaded] writer in EffectiveSettings(loaded, url: url, method: method).write(to: &writer) }
        try write(AdminResponse(status: 200, content: writer.bytes + [0x0A]))
    }

    /// The settings in use by the running daemon.
    private func showLive(_ url: TargetURI?, _ method: Method) throws(CommandFailure) {
        let query = url.map {
            "?url=\(QueryText.escaped($0.bytes))&method=\(QueryText.escaped(method.bytes))"
        }
        try write(try AdminClient(command).get("/v1/config\(query ?? "")"))
    }

    private func write(_ response: AdminResponse) throws(CommandFailure) {
        if command.has("json") {
            Console.write(response.content)
        } else {
            Console.write(ConfigurationText.text(try response.json()))
        }
    }

    private func schema() {
        if command.has("json") {
            Console.write(SettingsDocument.schemaJSON)
        } else {
            Console.write(command.has("toml") ? SettingsDocument.example : SettingsDocument.schema)
        }
    }
}
