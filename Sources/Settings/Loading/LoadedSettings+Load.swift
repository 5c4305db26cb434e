public import Platform

extension LoadedSettings {
    /// The most bytes of a settings file.
    static let fileLimit = 1 << 20

    /// Reads the settings file, then the options, and checks them together; blocks.
    ///
    /// The file is that of `--config`, otherwise the first of `ProcessContext.settingsFiles` that exists, if any.
    ///
    /// - Parameter presets: the rules that `rules` names; nil: they are left out, and no tool is asked.
    public static func load(
        _ command: ParsedCommand,
        context: ProcessContext,
        presets: (any PresetSource)? = nil
    ) throws(SettingsError) -> LoadedSettings {
        var reader = SettingsReader()
        let named = command.value(of: "config") ?? (command.name == "config check" ? command.operands.first : nil)
        if let path = named ?? context.settingsFiles.first(where: SmallFile.exists) {
            try reader.read(try file(path), name: path)
        }
        for (option, setting) in command.settingOptions {
            try reader.set(setting, to: command.values(of: option), option: "--\(option)")
        }
        for assignment in command.values(of: "set") { try reader.set(assignment) }
        // Sockets from the service manager replace the listeners of file and options.
        if !context.inheritedListen.isEmpty { try reader.inheritListeners(context.inheritedListen) }
        if !context.inheritedAdmin.isEmpty {
            try reader.set("admin", to: context.inheritedAdmin, option: "LISTEN_FDS")
        }
        if let presets { try reader.readPresets(presets) }
        try readIncludes(&reader)
        return try reader.finish()
    }

    private static func readIncludes(_ reader: inout SettingsReader) throws(SettingsError) {
        for index in reader.includes.indices {
            let path = reader.path(including: index)
            let bytes: [UInt8]
            do {
                bytes = try SmallFile.read(path, limit: fileLimit)
            } catch {
                throw reader.error(including: index, "the file \(path) cannot be read: \(error.reason)")
            }
            try reader.read(bytes, name: path, including: index)
        }
    }

    private static func file(_ path: String) throws(SettingsError) -> [UInt8] {
        do {
            return try SmallFile.read(path, limit: fileLimit)
        } catch {
            throw SettingsError(source: path, userMessage: "cannot be read: \(error.reason)")
        }
    }
}
