/// Where files are that settings leave to us.
public struct DaemonPaths: Sendable, Equatable {
    /// The store's directory; nil: memory only.
    public let storageDirectory: String?
    /// Where the admin token is kept; nil: nowhere, a token lives as long as the process.
    public let adminTokenFile: String?

    /// - Parameter surroundings: `HOME` and the XDG variables decide; a relative path in them does not count.
    public init(_ settings: DaemonSettings, surroundings: ProcessSurroundings) {
        switch settings.storage.directory {
        case .standard: storageDirectory = surroundings.cacheDirectory
        case .none: storageDirectory = nil
        case .directory(let path): storageDirectory = path
        }
        let runtime = surroundings.directory("XDG_RUNTIME_DIR").map { "\($0)/respite" }
        adminTokenFile =
            settings.adminTokenFile ?? (storageDirectory ?? runtime).map { "\($0)/admin-token" }
            ?? (surroundings.isRoot ? "/run/respite/admin-token" : nil)
    }
}

extension ProcessSurroundings {
    /// Files to look for settings in, the first one that exists counts.
    public var settingsFiles: [String] {
        let user = directory("XDG_CONFIG_HOME") ?? directory("HOME").map { "\($0)/.config" }
        return (user.map { ["\($0)/respite/respite.toml"] } ?? []) + ["/etc/respite/respite.toml"]
    }

    /// `respite` in `$XDG_CACHE_HOME` or `~/.cache`; `/var/cache/respite` for root; nil if there is no home.
    fileprivate var cacheDirectory: String? {
        if let cache = directory("XDG_CACHE_HOME") { return "\(cache)/respite" }
        if isRoot { return "/var/cache/respite" }
        return directory("HOME").map { "\($0)/.cache/respite" }
    }

    /// A variable that holds an absolute path.
    fileprivate func directory(_ name: String) -> String? {
        environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
