public import HTTPCore

/// An API with a name: `[service.NAME]`.
public struct ServiceSettings: Sendable, Equatable {
    /// A DNS label in lower case: the first path segment or host label of its URLs.
    public var name: String
    /// Its canonical base URL, without query, and without a slash at the end of the path, unless the path is only a
    /// slash.
    public var base: TargetURI
    /// The fields that its requests get, in the order of the file.
    public var headers: [ServiceField]
    /// Origins of web pages that may use it, such as `https://app.example`; `*` for all.
    public var allowOrigins: [String]
    public var inject: InjectionScope
    /// From where it gets its bearer token; nil: it has none, or `headers` contains one.
    public var token: TokenSettings?
    /// Whether its certificate and name are verified; if not, attackers on the path can read and change everything.
    public var verify: CertificateVerification
    /// The client certificate for it.
    public var clientCertificate: ClientCertificateSettings?
    /// Its parent proxy; nil: the general setting.
    public var proxy: ServiceProxy?
    /// Nil: the general rules decide.
    public var retry: RetryRule?
    public var rateLimit: RateLimitRule?
    /// How its requests use the network; nil: the general mode.
    public var mode: OperatingMode?
    /// Its own rules, which come after the general ones; their patterns begin after its base.
    public var rules: [RuleSettings]

    public init(
        name: String,
        base: TargetURI,
        headers: [ServiceField] = [],
        allowOrigins: [String] = [],
        inject: InjectionScope = .service,
        token: TokenSettings? = nil,
        verify: CertificateVerification = .on,
        clientCertificate: ClientCertificateSettings? = nil,
        proxy: ServiceProxy? = nil,
        retry: RetryRule? = nil,
        rateLimit: RateLimitRule? = nil,
        mode: OperatingMode? = nil,
        rules: [RuleSettings] = []
    ) {
        self.name = name
        self.base = base
        self.headers = headers
        self.allowOrigins = allowOrigins
        self.inject = inject
        self.token = token
        self.verify = verify
        self.clientCertificate = clientCertificate
        self.proxy = proxy
        self.retry = retry
        self.rateLimit = rateLimit
        self.mode = mode
        self.rules = rules
    }
}

/// A request field of a service.
public struct ServiceField: Sendable, Equatable {
    public var name: String
    public var value: ServiceFieldValue

    public init(name: String, value: ServiceFieldValue) {
        self.name = name
        self.value = value
    }
}

/// Where the value of a service's field comes from.
public enum ServiceFieldValue: Sendable, Equatable {
    case text(String)
    /// The first line of a file that only its owner may read, after `prefix`.
    case file(path: String, prefix: String)
}

/// The requests that get a service's fields.
public enum InjectionScope: String, Sendable, CaseIterable {
    /// Requests by the service's own path or host.
    case service
    /// All requests to its base, on any route.
    case all
}

/// Whether certificates of origins are verified.
public enum CertificateVerification: String, Sendable, CaseIterable {
    case on
    case off
}

/// A certificate with its chain, and its key, in files (PEM).
public struct ClientCertificateSettings: Sendable, Equatable {
    public var certificateFile = ""
    public var keyFile = ""

    public init() {}
}
