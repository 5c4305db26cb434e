/// Checked settings together with where each came from.
public struct LoadedSettings: Sendable, Equatable {
    public var values: DaemonSettings
    /// By name; what is absent is a default.
    public var origins: [String: SettingOrigin]

    public init(values: DaemonSettings, origins: [String: SettingOrigin] = [:]) {
        self.values = values
        self.origins = origins
    }

    public func origin(of key: SettingKey) -> SettingOrigin { origins[key.name] ?? .standard }
}
