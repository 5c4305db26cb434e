import Observability
import Settings

/// `respite config check`, `show` and `schema`.
enum ConfigurationCommand {
    static func run(_ command: ParsedCommand) -> Int32 {
        if command.name == "config schema" { return schema(command) }
        do throws(SettingsError) {
            let loaded = try LoadedSettings.load(command, surroundings: .current)
            if command.name == "config check" {
                Console.write("the settings are right\n")
            } else if command.has("json") {
                Console.write(SettingsDocument.listingJSON(loaded))
            } else {
                Console.write(SettingsDocument.listing(loaded))
            }
            return 0
        } catch {
            Console.complain("respite: \(error)")
            return 2
        }
    }

    private static func schema(_ command: ParsedCommand) -> Int32 {
        if command.has("json") {
            Console.write(SettingsDocument.schemaJSON)
        } else {
            Console.write(command.has("toml") ? SettingsDocument.example : SettingsDocument.schema)
        }
        return 0
    }
}
