public import Platform

/// The paths of files that settings do not name.
public struct DaemonPaths: Sendable, Equatable {
    /// The store's directory; nil: memory only.
    public let storageDirectory: String?
    /// Whether the service manager made that directory; then any user may own it.
    public let isStorageHandedOver: Bool
    /// The file of the admin token; nil: the token is only in memory.
    public let adminTokenFile: String?
    /// The directory of the CA's files; nil if there is none.
    public let authorityDirectory: String?
    /// The Unix socket of the admin API; nil if there is no directory for it or `admin` is empty.
    public let adminSocket: String?

    /// - Parameter context: has `HOME` and the XDG variables; relative paths in them are ignored.
    public init(_ settings: DaemonSettings, context: ProcessContext) {
        switch settings.storage.directory {
        case .standard: storageDirectory = context.cacheDirectory
        case .none: storageDirectory = nil
        case .directory(let path): storageDirectory = path
        }
        isStorageHandedOver = storageDirectory.map(context.isHandedOver) ?? false
        let runtime = context.directory("XDG_RUNTIME_DIR").map { "\($0)/respite" }
        let own = storageDirectory ?? runtime ?? (context.isRoot ? "/run/respite" : nil)
        authorityDirectory = settings.intercept.caDirectory ?? context.stateDirectory.map { "\($0)/ca" }
        adminTokenFile = settings.adminTokenFile ?? own.map { "\($0)/admin-token" }
        // 108 bytes with the terminator: sockaddr_un.
        adminSocket = own.flatMap { directory -> String? in
            let path = "\(directory)/admin.sock"
            return settings.admin.isEmpty || path.utf8.count >= 108 ? nil : path
        }
    }
}

extension ProcessContext {
    /// The candidates for the settings file; the first one that exists is used.
    public var settingsFiles: [String] {
        let user = directory("XDG_CONFIG_HOME") ?? directory("HOME").map { "\($0)/.config" }
        return (user.map { ["\($0)/respite/respite.toml"] } ?? []) + ["/etc/respite/respite.toml"]
    }

    /// `respite` in `$XDG_CACHE_HOME` or `~/.cache`; `/var/cache/respite` for root; nil if there is no home.
    public var cacheDirectory: String? {
        if let cache = directory("XDG_CACHE_HOME") { return "\(cache)/respite" }
        if isRoot { return "/var/cache/respite" }
        return directory("HOME").map { "\($0)/.cache/respite" }
    }

    /// The service manager's directory, otherwise `respite` in `$XDG_DATA_HOME` or `~/.local/share`; `/var/lib/respite`
    /// for root.
    fileprivate var stateDirectory: String? {
        // A service may have several directories; the first is the general one.
        if let state = environment["STATE_DIRECTORY"]?.split(separator: ":").first, state.hasPrefix("/") {
            return String(state)
        }
        if let data = directory("XDG_DATA_HOME") { return "\(data)/respite" }
        if isRoot { return "/var/lib/respite" }
        return directory("HOME").map { "\($0)/.local/share/respite" }
    }

    /// Whether `CacheDirectory=` or `StateDirectory=` of the service made this directory.
    fileprivate func isHandedOver(_ path: String) -> Bool {
        ["CACHE_DIRECTORY", "STATE_DIRECTORY"].contains { name in
            environment[name]?.split(separator: ":").contains { $0 == path } ?? false
        }
    }

    /// The value of a variable if it is an absolute path.
    fileprivate func directory(_ name: String) -> String? {
        environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
