public import HTTPCaching
public import HTTPCore

/// A GET or HEAD of a client, as a Resource sees it.
public struct ClientRequest: Sendable {
    public var uri: TargetURI
    /// End-to-end fields as they go to the origin, `Via` included; neither `Host` nor framing nor hop-by-hop fields.
    ///
    /// Conditions and Range stay in: the core takes them off where it loads for the store.
    public var fields: Fields
    /// Fields that go to the origin besides, and have no part in any decision: a service's own, such as its credential.
    ///
    /// They select no variant and are kept with none; what tells their answers from others' is `partitions`.
    public var injected = Fields()
    /// Puts the service's credential on loads, where that is got from somewhere; like `injected` it selects nothing.
    public var credential: (any CredentialSource)?
    /// Names the client certificate of the service; like `injected` it selects nothing.
    public var identity: String?
    /// Method, directives and kinds of credential, read once.
    public var profile: RequestProfile
    public var partitions: Partitions
    public var arrival: MonotonicTime
    /// Where a load of this request runs: the provider of the client's own loop.
    public var provider: any ExchangeProvider
    /// The Host of a request by the prefix gateway: what links in prefix form begin with.
    public var gatewayHost: [UInt8]?
    /// Whether that request came by TLS, so that those links do, too.
    public var gatewayIsSecure = false
    /// What the pipeline makes of its response; nil if nothing.
    var form: RequestedForm?

    public init(
        uri: TargetURI,
        fields: Fields,
        profile: RequestProfile,
        partitions: Partitions = Partitions(),
        arrival: MonotonicTime,
        provider: any ExchangeProvider
    ) {
        self.uri = uri
        self.fields = fields
        self.profile = profile
        self.partitions = partitions
        self.arrival = arrival
        self.provider = provider
    }

    public var directives: RequestDirectives { profile.directives }
    /// Whether a service's credential goes with it.
    var bearsServiceCredential: Bool { !injected.isEmpty || credential != nil || identity != nil }
    public var isHead: Bool { profile.method == .head }

    /// The request as a resource decides about it: its pipeline takes whole responses only.
    mutating func prepare(_ configuration: Configuration, _ environment: CoreEnvironment) {
        partitions = partitions.keyed(configuration.caching, fields, environment.hasher)
        form = RequestedForm(
            uri: uri,
            method: profile.method,
            fields: fields,
            gatewayHost: gatewayHost,
            gatewayIsSecure: gatewayIsSecure,
            directives: profile.directives,
            configuration: configuration,
            environment: environment
        )
        guard let form else { return }
        fields = form.upstream(fields)
        profile.directives.hasRange = false
    }
}
