import Formats
import HTTPCore
import Platform
import Settings

/// `respite config check`, `show` and `schema`.
enum ConfigurationCommand {
    static func run(_ command: ParsedCommand) -> Int32 {
        do throws(CommandFailure) {
            switch command.name {
            case "config schema": schema(command)
            case "config check": try check(command)
            default: try show(command)
            }
            return 0
        } catch {
            Console.complain("respite: \(error.userMessage)")
            return error.exitCode
        }
    }

    /// As thorough as a start: secret files are read and transformers made.
    private static func check(_ command: ParsedCommand) throws(CommandFailure) {
        do throws(SettingsError) {
            let context = ProcessContext.current
            let plan = try SettingsFiles(command: command, context: context).plan()
            let paths = DaemonPaths(plan.settings, context: context)
            let store = Storage.remark(paths, isRoot: context.isRoot)
            for remark in plan.remarks + [store].compactMap({ $0 }) { Console.complain("respite: warning: \(remark)") }
            for note in plan.settings.notes { Console.complain("respite: note: \(note)") }
        } catch {
            throw CommandFailure("\(error)", exitCode: 2)
        }
        Console.write("the settings are right\n")
    }

    private static func show(_ command: ParsedCommand) throws(CommandFailure) {
        let url = try command.operands.first.map { text throws(CommandFailure) in try ClientCommand.uri(text) }
        let method = Method(command.value(of: "method") ?? "GET")
        guard !command.has("live") else { return try showLive(command, url, method) }
        let loaded: LoadedSettings
        do throws(SettingsError) {
            loaded = try LoadedSettings.load(command, context: .current)
        } catch {
            throw CommandFailure("\(error)", exitCode: 2)
        }
        guard let url else {
            Console.write(
                command.has("json")
                    ? SettingsDocument.listingJSON(loaded, showsSecrets: false)
                    : Array(SettingsDocument.listing(loaded, showsSecrets: false).utf8)
            )
            return
        }
        var writer = JSONWriter()
        writer.object { EffectiveSettings(loaded, url: url, method: method).write(to: &$0) }
        try write(AdminResponse(status: 200, content: writer.bytes + [0x0A]), command)
    }

    private static func showLive(
        _ command: ParsedCommand,
        _ url: TargetURI?,
        _ method: Method
    ) throws(CommandFailure) {
        let query = url.map {
            "?url=\(ClientCommand.escaped($0.bytes))&method=\(ClientCommand.escaped(method.bytes))"
        }
        try write(try AdminClient(command).get("/v1/config\(query ?? "")"), command)
    }

    private static func write(_ answer: AdminResponse, _ command: ParsedCommand) throws(CommandFailure) {
        if command.has("json") {
            Console.write(answer.content)
        } else {
            Console.write(ConfigurationText.text(try answer.json()))
        }
    }

    private static func schema(_ command: ParsedCommand) {
        if command.has("json") {
            Console.write(SettingsDocument.schemaJSON)
        } else {
            Console.write(command.has("toml") ? SettingsDocument.example : SettingsDocument.schema)
        }
    }
}
