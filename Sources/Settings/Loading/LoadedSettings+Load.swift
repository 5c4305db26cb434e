public import CommandSyntax
public import Platform

extension LoadedSettings {
    /// The most files of `conf.d`.
    static let additionLimit = 200

    /// Reads the settings files, then the options, and checks them together; blocks.
    ///
    /// The file is that of `--config`, otherwise the first of `ProcessContext.settingsFiles` that exists or has files
    /// in `conf.d` beside it, if any. Then come these files, in the order of their names.
    ///
    /// - Parameter presets: the rules that `rules` names; nil: they are left out, and no tool is asked.
    /// - Throws: all mistakes, as one error.
    public static func load(
        _ command: ParsedCommand,
        context: ProcessContext,
        presets: (any PresetSource)? = nil
    ) throws(SettingsError) -> LoadedSettings {
        let reading = read(command, context: context, presets: presets)
        try reading.mistakes.check(reading.settings.sources)
        return reading.settings
    }

    /// Reads as `load` does, as far as that is possible, for callers that look for more mistakes; blocks.
    public static func read(
        _ command: ParsedCommand,
        context: ProcessContext,
        presets: (any PresetSource)? = nil
    ) -> SettingsReading {
        var reader = SettingsReader(environment: context.environment)
        let named = command.value(of: "config") ?? (command.name == "config check" ? command.operands.first : nil)
        if let path = named {
            readFile(path, &reader)
        } else if let path = context.settingsFiles.first(where: { SmallFile.exists($0) || hasAdditions($0) }) {
            SmallFile.exists(path) ? readFile(path, &reader) : readAdditions(beside: path, owners: [], &reader)
        }
        for (option, setting) in command.settingOptions {
            reader.set(setting, to: command.values(of: option), option: "--\(option)")
        }
        for assignment in command.values(of: "set") { reader.set(assignment) }
        // Sockets from the service manager replace the listeners of file and options.
        if !context.inheritedListen.isEmpty { reader.inheritListeners(context.inheritedListen) }
        if !context.inheritedAdmin.isEmpty { reader.set("admin", to: context.inheritedAdmin, option: "LISTEN_FDS") }
        if let presets { reader.readPresets(presets) }
        readIncludes(&reader)
        reader.resolveShares { settings in DaemonPaths(settings, context: context).storageDirectory }
        return reader.result()
    }

    private static func readFile(_ path: String, _ reader: inout SettingsReader) {
        do throws(SystemError) {
            let file = try SettingsFile.read(path)
            reader.read(file, name: path)
            readAdditions(beside: path, owners: Set([file.owner].compactMap { $0 }), &reader)
        } catch {
            reader.add(SettingsError(source: path, userMessage: "cannot be read: \(error.reason)"))
        }
    }

    private static func directory(beside file: String) -> String {
        "\(file.lastIndex(of: "/").map { file[...$0] } ?? "")conf.d"
    }

    /// Whether there are files of `conf.d`, or it cannot be read, so that a mistake gives the reason.
    private static func hasAdditions(_ file: String) -> Bool {
        (try? SettingsFile.names(in: directory(beside: file), owners: []))?.isEmpty != true
    }

    /// Reads the files of `conf.d`.
    ///
    /// - Parameter owners: the owner of the settings file, who could change the settings anyway.
    private static func readAdditions(beside file: String, owners: Set<UInt32>, _ reader: inout SettingsReader) {
        reader.locate(file)
        let directory = directory(beside: file)
        var names: [String] = []
        do throws(SettingsFileFault) {
            names = try SettingsFile.names(in: directory, owners: owners)
        } catch {
            return reader.add(SettingsError(source: directory, userMessage: error.sentence(directory)))
        }
        if names.count > additionLimit {
            let message = "has more than \(additionLimit) files of settings"
            return reader.add(SettingsError(source: directory, userMessage: message))
        }
        for path in names.map({ "\(directory)/\($0)" }) {
            do throws(SettingsFileFault) {
                reader.add(try SettingsFile.readAddition(path, owners: owners), name: path)
            } catch {
                reader.add(SettingsError(source: path, userMessage: error.sentence(path)))
            }
        }
    }

    private static func readIncludes(_ reader: inout SettingsReader) {
        for index in reader.includes.indices {
            let path = reader.path(including: index)
            do throws(SystemError) {
                reader.read(try SmallFile.read(path, limit: SettingsFile.limit), name: path, including: index)
            } catch {
                reader.addMistake(
                    including: index,
                    "the file \(path) cannot be read: \(error.reason); a relative path starts beside the settings file"
                )
            }
        }
    }
}
