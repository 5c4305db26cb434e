import Glibc

/// What a process knows about where it runs; a value, so that tests can make one.
public struct ProcessContext: Sendable, Equatable {
    /// The variables the daemon looks at.
    public var environment: [String: String]
    public var isRoot: Bool
    /// Where sockets that were handed over listen; they replace `listen` and `admin`.
    public var inheritedListen: [String] = []
    public var inheritedAdmin: [String] = []

    public init(environment: [String: String], isRoot: Bool) {
        self.environment = environment
        self.isRoot = isRoot
    }

    /// Those of this process; not to be called while another thread changes the environment.
    public static var current: ProcessContext {
        let names = [
            "HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "STATE_DIRECTORY",
            "CACHE_DIRECTORY",
            "NO_COLOR",
            "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
            "CREDENTIALS_DIRECTORY",
            "MEMORY_PRESSURE_WATCH", "MEMORY_PRESSURE_WRITE",
        ]
        var environment: [String: String] = [:]
        for name in names {
            if let value = unsafe getenv(name) { environment[name] = unsafe String(cString: value) }
        }
        return ProcessContext(environment: environment, isRoot: geteuid() == 0)
    }
}
