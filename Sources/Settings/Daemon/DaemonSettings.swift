public import HTTPCore
public import Observability

/// All settings of the daemon as one checked value.
///
/// `SettingsReader` makes it; every number is in the range that its key allows. The defaults are those in
/// `etc/respite.toml`. Stored properties: one for each section and each key outside sections.
public struct DaemonSettings: Sendable, Equatable {
    /// Listeners with the default routes; see `allListeners`.
    public var listen: [ListenAddress] = [.loopback(port: 3128)]
    /// The listeners of `[[listener]]`.
    public var listeners: [ListenerSettings] = []
    public var admin: [ListenAddress] = [.loopback(port: 3129)]
    /// Nil: `admin-token` in the storage directory, see `DaemonPaths`.
    public var adminTokenFile: String?
    /// The file of a token that only reads; nil: there is none.
    public var adminReadTokenFile: String?
    /// Names besides its own addresses under which the admin listener answers (H-143).
    public var adminHosts: [String] = []
    /// How many of the latest requests the admin API can show.
    public var adminRecentRequests = 2000
    /// How many event loops run; 0: one per core.
    public var loops = 0
    public var mode = OperatingMode.auto
    /// Set when the listeners are a reverse proxy for one origin.
    public var gateway: GatewayOrigin?
    public var gatewayHost = GatewayHost.origin

    public var memory = MemorySettings()
    public var storage = StorageSettings()
    public var shared = SharedSettings()
    public var limits = LimitSettings()
    public var upstream = UpstreamSettings()
    public var cache = CacheSettings()
    public var tunnel = TunnelSettings()
    public var log = LogSettings()
    public var telemetry = TelemetrySettings()
    public var tls = TLSSettings()
    public var intercept = InterceptSettings()
    public var access = AccessSettings()
    public var pac = ScriptSettings()
    /// Lower-cased host names with the addresses to use instead of asking the resolver.
    public var hosts: [String: [IPAddress]] = [:]
    public var dns = DNSSettings()
    /// Services in the order of their names.
    public var services: [ServiceSettings] = []
    /// The presets whose rules come before `rules`.
    public var presets: [PresetSetting] = []
    /// The lists of URLs of `[[warm]]`.
    public var warm: [WarmSettings] = []
    /// Rules in order; later ones override earlier ones.
    public var rules: [RuleSettings] = []

    public init() {}
}

extension ListenAddress {
    /// 127.0.0.1 with `port`.
    public static func loopback(port: UInt16) -> ListenAddress {
        .tcp(.v4(0x7F00_0001), port: port)
    }
}

public struct MemorySettings: Sendable, Equatable {
    public var limit = ByteCount.mebibytes(256)
}

public struct StorageSettings: Sendable, Equatable {
    public var directory = StorageLocation.standard
    /// The most bytes of database, log and body files together, at any time.
    public var limit = StorageLimit(.gibibytes(4))
    /// Not above `limit`.
    public var maxObjectSize = ByteCount.gibibytes(1)
    public var keepPrivate = PrivateKeeping.disk
    public var compress = StorageCompression.auto
}

/// Which content is stored compressed.
public enum StorageCompression: String, Sendable, CaseIterable { case auto, all, off }

/// Where responses for one credential or partition are stored.
public enum PrivateKeeping: String, Sendable, CaseIterable {
    /// On disk, like all others.
    case disk
    /// In memory only.
    case memory
}

/// Where the store is.
public enum StorageLocation: Sendable, Hashable {
    /// The directory of `DaemonPaths` for this user.
    case standard
    /// There is no store: responses are in memory only.
    case none
    case directory(String)
}

public struct TunnelSettings: Sendable, Equatable {
    public var idleTimeout = Duration.seconds(600)
    /// A tunnel ends after this long even if it is in use; nil: never.
    public var lifetime: Duration? = .seconds(86_400)
    /// Whether WebSocket handshakes are passed on (H-077).
    public var websocket = true
}

/// The behaviour that `/proxy.pac` asks of clients.
public struct ScriptSettings: Sendable, Equatable {
    public var direct: [NoProxyPattern] = []
    public var fallbackDirect = false
}

public struct LogSettings: Sendable, Equatable {
    public var level = LogLevel.info
    public var format = LogFormat.text
    /// One line per request.
    public var access = false
    /// The format of these lines; nil: that of the other lines.
    public var accessFormat: AccessLogFormat?
    /// The file of these lines; nil: standard error.
    public var accessFile: String?
    /// One request of this many is logged.
    public var accessSample = 1
    /// The most bytes of lines that wait for a slow reader of the log; more lines are dropped and counted.
    public var queueSize = ByteCount.mebibytes(4)
    /// Query parameters whose values are omitted from logs, lower-cased (H-158).
    public var secretParameters = [
        "access_token", "api_key", "apikey", "auth", "client_secret", "id_token", "password", "refresh_token", "sig",
        "signature", "token", "x-amz-signature", "x-amz-security-token", "x-goog-signature",
    ]
}
