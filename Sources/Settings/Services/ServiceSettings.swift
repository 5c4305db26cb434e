public import HTTPCore

/// An API under a name of its own: `[service.NAME]`.
public struct ServiceSettings: Sendable, Equatable {
    /// A DNS label in lower case: the first path segment or host label it is reached by.
    public var name: String
    /// Where it is: canonical, without query, without a slash at the end of its path unless that is all of it.
    public var base: TargetURI
    /// Fields put on its requests, in the order of the file.
    public var headers: [ServiceField]
    /// Origins of web pages that may use it, as `https://app.example`; `*` for all.
    public var allowOrigins: [String]
    public var inject: InjectionScope
    /// Where it gets the bearer token of its requests; nil: it has none, or one among `headers`.
    public var token: TokenSettings?
    /// Whether its certificate and name are verified; else anybody in between can read and change everything.
    public var verify: CertificateVerification
    /// What is shown to it when it asks who we are.
    public var clientCertificate: ClientCertificateSettings?
    /// Through which proxy it is reached; nil: as everything.
    public var proxy: ServiceProxy?
    /// Nil: what the general rules say.
    public var retry: RetryRule?
    public var rateLimit: RateLimitRule?
    /// How the network is treated for it; nil: as for everything.
    public var mode: OperatingMode?
    /// Its own rules, with patterns behind its base; they come after the general ones.
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
    /// The first line of a file its owner alone may read, behind `prefix`.
    case file(path: String, prefix: String)
}

/// Which requests get a service's fields.
public enum InjectionScope: String, Sendable, CaseIterable {
    /// Those that came by the service's own path or host.
    case service
    /// All that go to its base, by whatever route.
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
