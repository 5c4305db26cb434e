import CommandSyntax

extension SettingsReader {
    /// Adds the rules of the presets that `rules` names; they come before all others.
    mutating func readPresets(_ source: any PresetSource) {
        for setting in presetSettings {
            for index in indexes(of: setting, source) { read(setting.preset, for: index, source) }
        }
    }

    /// Where the tool cannot be asked, there are none, and a mistake is added.
    private mutating func indexes(of setting: PresetSetting, _ source: any PresetSource) -> [PackageIndexURL] {
        if let index = setting.index.flatMap(PackageIndexURL.init) { return [index] }
        do throws(PresetFault) {
            return try source.indexes(of: setting.preset)
        } catch {
            addMistake(about: "rules", "`rules`: \(error.userMessage)")
            return []
        }
    }

    private mutating func read(
        _ preset: RulePreset,
        for index: PackageIndexURL,
        _ source: any PresetSource
    ) {
        guard !presets.contains(where: { $0.preset == preset && $0.index.text == index.text }) else { return }
        let servers = source.servers(of: preset, for: index)
        let name = "the rules of \(preset.rawValue)"
        let added = read(source.rules(of: preset, for: index), name: name, below: servers)
        presets.append(
            LoadedPreset(
                preset: preset,
                index: index,
                rules: added.range,
                // Pages of other hosts stay as they are.
                linkedRules: added.rules.enumerated().filter { $1.transform == nil }.map {
                    LoadedPreset.LinkedRule(index: added.range.lowerBound + $0, settings: $1)
                }
            )
        )
    }
}
