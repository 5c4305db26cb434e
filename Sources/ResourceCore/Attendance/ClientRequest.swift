public import Exchanges
public import HTTPCaching
public import HTTPCore

/// A GET or HEAD of a client, as a Resource sees it.
///
/// A reference to what never changes: it is handed on many times, and hardly ever changed once it is made, which makes
/// another one.
public struct ClientRequest: Sendable {
    private struct Content: Sendable {
        var uri: TargetURI
        var fields: Fields
        var profile: RequestProfile
        var partitions: Partitions
        var arrival: MonotonicTime
        var client: IPAddress?
        var provider: any ExchangeProvider
        var gatewayHost: [UInt8]?
        var gatewayIsSecure: Bool
        var rare: RareBox?
    }

    /// What few requests have; the others have nothing to copy.
    private struct Rare: Sendable {
        var injected = Fields()
        var credential: (any CredentialSource)?
        var identity: String?
        var host: [UInt8]?
        var rendition: RequestedRendition?
    }

    private final class RareBox: Sendable {
        let rare: Rare

        init(_ rare: consuming Rare) { self.rare = rare }
    }

    private final class Box: Sendable {
        let content: Content

        init(_ content: consuming Content) { self.content = content }
    }

    private var box: Box

    public init(
        uri: TargetURI,
        fields: Fields,
        profile: RequestProfile,
        partitions: Partitions = Partitions(),
        arrival: MonotonicTime,
        client: IPAddress? = nil,
        provider: any ExchangeProvider,
        gatewayHost: [UInt8]? = nil,
        gatewayIsSecure: Bool = false
    ) {
        box = Box(
            Content(
                uri: uri,
                fields: fields,
                profile: profile,
                partitions: partitions,
                arrival: arrival,
                client: client,
                provider: provider,
                gatewayHost: gatewayHost,
                gatewayIsSecure: gatewayIsSecure
            )
        )
    }

    private mutating func change(_ body: (inout Content) -> Void) {
        var content = box.content
        body(&content)
        box = Box(content)
    }

    private mutating func changeRare(_ body: (inout Rare) -> Void) {
        var rare = box.content.rare?.rare ?? Rare()
        body(&rare)
        change { $0.rare = RareBox(rare) }
    }

    // MARK: Content

    public var uri: TargetURI { box.content.uri }

    /// End-to-end fields as they go to the origin, `Via` included; neither `Host` nor framing nor hop-by-hop fields.
    ///
    /// Conditions and Range stay in: the core takes them off where it loads for the store.
    public var fields: Fields {
        get { box.content.fields }
        set { change { $0.fields = newValue } }
    }

    /// Fields that go to the origin besides, and have no part in any decision: a service's own, such as its credential.
    ///
    /// They select no variant and are kept with none; what tells their answers from others' is `partitions`.
    public var injected: Fields {
        get { box.content.rare?.rare.injected ?? Fields() }
        set { changeRare { $0.injected = newValue } }
    }

    /// Puts the service's credential on loads, where that is got from somewhere; like `injected` it selects nothing.
    public var credential: (any CredentialSource)? {
        get { box.content.rare?.rare.credential }
        set { changeRare { $0.credential = newValue } }
    }

    /// Names the client certificate of the service; like `injected` it selects nothing.
    public var identity: String? {
        get { box.content.rare?.rare.identity }
        set { changeRare { $0.identity = newValue } }
    }

    /// What loads say in `Host` in place of the URI's authority; `partitions` tell its answers from those of other names.
    public var host: [UInt8]? {
        get { box.content.rare?.rare.host }
        set { changeRare { $0.host = newValue } }
    }

    /// Method, directives and kinds of credential, read once.
    public var profile: RequestProfile {
        get { box.content.profile }
        set { change { $0.profile = newValue } }
    }

    public var partitions: Partitions {
        get { box.content.partitions }
        set { change { $0.partitions = newValue } }
    }

    public var arrival: MonotonicTime { box.content.arrival }
    /// The client's address, whose share of look-ups a load's is of; nil: not known.
    public var client: IPAddress? { box.content.client }
    /// Where a load of this request runs: the provider of the client's own loop.
    public var provider: any ExchangeProvider { box.content.provider }
    /// The Host of a request by the prefix gateway: what links in prefix form begin with.
    public var gatewayHost: [UInt8]? { box.content.gatewayHost }
    /// Whether that request came by TLS, so that those links do, too.
    public var gatewayIsSecure: Bool { box.content.gatewayIsSecure }
    /// What the pipeline makes of its response; nil if nothing.
    var rendition: RequestedRendition? { box.content.rare?.rare.rendition }

    public var directives: RequestDirectives { box.content.profile.directives }
    /// Whether a service's credential goes with it.
    var bearsServiceCredential: Bool {
        guard let rare = box.content.rare?.rare else { return false }
        return !rare.injected.isEmpty || rare.credential != nil || rare.identity != nil
    }
    public var isHead: Bool { box.content.profile.method == .head }

    // MARK: Changing

    /// The request as a resource decides about it: its pipeline takes whole responses only.
    mutating func prepare(_ configuration: Configuration, _ environment: CoreEnvironment) {
        if !configuration.caching.rules.isEmpty {
            partitions = partitions.keyed(configuration.caching, fields, environment.hasher)
        }
        guard !configuration.pipeline.isEmpty else { return }
        let rendition = RequestedRendition(
            uri: uri,
            method: profile.method,
            fields: fields,
            gatewayHost: gatewayHost,
            gatewayIsSecure: gatewayIsSecure,
            directives: profile.directives,
            configuration: configuration,
            environment: environment
        )
        guard let rendition else { return }
        var rare = box.content.rare?.rare ?? Rare()
        rare.rendition = rendition
        change { content in
            content.rare = RareBox(rare)
            content.fields = rendition.upstream(content.fields)
            content.profile.directives.hasRange = false
        }
    }

    /// The request as a load's: for the whole by GET, whatever form of it was asked for; or for the very part.
    func loading(isRanged: Bool) -> ClientRequest {
        let profile = profile
        if profile.method == .get, profile.directives.hasRange == isRanged, !profile.directives.hasCondition {
            return self
        }
        var request = self
        request.change { content in
            content.profile.method = .get
            content.profile.directives.hasRange = isRanged
            content.profile.directives.hasCondition = false
        }
        return request
    }
}
