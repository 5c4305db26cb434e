/// Checked settings, and where each is set.
public struct LoadedSettings: Sendable {
    public var values: DaemonSettings
    var locations: SettingLocations
    /// The settings file, or where it would be if only `conf.d` beside it was read; nil if neither was.
    let file: String?
    /// Warnings about settings that have a new name or no effect, sorted by place.
    public internal(set) var warnings: [SettingsWarning] = []
    /// The names of files and options in the order in which they were read, for sorting.
    public internal(set) var sources: [String] = []
    /// The presets in force.
    public internal(set) var presets: [LoadedPreset] = []

    init(values: DaemonSettings, locations: SettingLocations, file: String? = nil) {
        self.values = values
        self.locations = locations
        self.file = file
    }

    /// Settings that come from no file or option.
    public init(values: DaemonSettings) { self.init(values: values, locations: SettingLocations()) }

    /// Where settings are set, by path (`limits.ranges`, `rule[0].ttl`); those without an entry have their defaults.
    public var origins: [String: SettingOrigin] { locations.origins }

    public func origin(of key: SettingKey) -> SettingOrigin { locations[key.name]?.origin ?? .standard }

    /// Where the setting at a path is set, or the setting that contains it: `rule[0].transform[1].path`.
    public func origin(ofPath path: String) -> SettingOrigin { locations.nearest(path)?.origin ?? .standard }

    /// Makes an error about the setting at a path; the error shows the line.
    public func error(at path: String, _ message: String, suggestion: String? = nil) -> SettingsError {
        var error = locations.error(at: path, message)
        error.suggestion = suggestion
        return error
    }
}
