extension SettingsReader {
    /// Adds the rules of the presets that `rules` names; they come before all others.
    mutating func readPresets(_ source: any PresetSource) throws(SettingsError) {
        for setting in presetSettings {
            for index in try indexes(of: setting, source) { try read(setting.preset, for: index, source) }
        }
    }

    private func indexes(
        of setting: PresetSetting,
        _ source: any PresetSource
    ) throws(SettingsError) -> [PackageIndexURL] {
        if let index = setting.index.flatMap(PackageIndexURL.init) { return [index] }
        do {
            return try source.indexes(of: setting.preset)
        } catch {
            throw self.error(about: "rules", "`rules`: \(error.userMessage)")
        }
    }

    private mutating func read(
        _ preset: RulePreset,
        for index: PackageIndexURL,
        _ source: any PresetSource
    ) throws(SettingsError) {
        guard !presets.contains(where: { $0.preset == preset && $0.index.text == index.text }) else { return }
        let servers = source.servers(of: preset, for: index)
        let name = "the rules of \(preset.rawValue)"
        let added = try read(source.rules(of: preset, for: index), name: name, below: servers)
        presets.append(
            LoadedPreset(
                preset: preset,
                index: index,
                rules: added.range,
                // Pages of other hosts stay as they are.
                linkedRules: added.rules.filter { $0.transform == nil }
            )
        )
    }
}
