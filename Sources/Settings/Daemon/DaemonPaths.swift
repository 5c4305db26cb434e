public import Platform

/// Where files are that settings leave to us.
public struct DaemonPaths: Sendable, Equatable {
    /// The store's directory; nil: memory only.
    public let storageDirectory: String?
    /// The service manager made that directory for us, and may have it belong to whom it likes.
    public let isStorageHandedOver: Bool
    /// Where the admin token is kept; nil: nowhere, a token lives as long as the process.
    public let adminTokenFile: String?
    /// Where the files of the CA are; nil if there is no place for them.
    public let authorityDirectory: String?
    /// The Unix socket of the admin API; nil if there is no place for it or `admin` is empty.
    public let adminSocket: String?

    /// - Parameter context: `HOME` and the XDG variables decide; a relative path in them does not count.
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
    /// Files to look for settings in, the first one that exists counts.
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

    /// What the service manager names, else `respite` in `$XDG_DATA_HOME` or `~/.local/share`; `/var/lib/respite` for root.
    fileprivate var stateDirectory: String? {
        // A service may have several; the first is the one for all.
        if let state = environment["STATE_DIRECTORY"]?.split(separator: ":").first, state.hasPrefix("/") {
            return String(state)
        }
        if let data = directory("XDG_DATA_HOME") { return "\(data)/respite" }
        if isRoot { return "/var/lib/respite" }
        return directory("HOME").map { "\($0)/.local/share/respite" }
    }

    /// `CacheDirectory=` or `StateDirectory=` of the service.
    fileprivate func isHandedOver(_ path: String) -> Bool {
        ["CACHE_DIRECTORY", "STATE_DIRECTORY"].contains { name in
            environment[name]?.split(separator: ":").contains { $0 == path } ?? false
        }
    }

    /// A variable that holds an absolute path.
    fileprivate func directory(_ name: String) -> String? {
        environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
