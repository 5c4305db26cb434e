/// Checked settings together with where each came from.
public struct LoadedSettings: Sendable {
    public var values: DaemonSettings
    var places: SettingPlaces
    /// The settings file; nil: none was read.
    let file: String?

    init(values: DaemonSettings, places: SettingPlaces, file: String? = nil) {
        self.values = values
        self.places = places
        self.file = file
    }

    /// Settings that nobody set: all are defaults.
    public init(values: DaemonSettings) { self.init(values: values, places: SettingPlaces()) }

    /// By path, `limits.ranges`, `rule[0].ttl`; what is absent is a default.
    public var origins: [String: SettingOrigin] { places.origins }

    public func origin(of key: SettingKey) -> SettingOrigin { places[key.name]?.origin ?? .standard }

    /// Where the setting at a path was set, or the one around it: `rule[0].transform[1].path`.
    public func origin(ofPath path: String) -> SettingOrigin { places.nearest(path)?.origin ?? .standard }

    /// What is wrong with the setting at a path, shown with its line.
    public func error(at path: String, _ message: String, suggestion: String? = nil) -> SettingsError {
        var error = places.error(at: path, message)
        error.suggestion = suggestion
        return error
    }
}
