public import Exchanges
public import HTTPCaching
public import HTTPCore
import Transforms

/// A GET or HEAD of a client, as a Resource sees it.
///
/// The size of a reference: it is handed on many times, and hardly ever changed once it is made.
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
        var extras: Boxed<Extras>?
    }

    /// What few requests have; the others have nothing to copy.
    private struct Extras: Sendable {
        var injected = Fields()
        var credential: (any CredentialSource)?
        var identity: String?
        var host: [UInt8]?
        var rendition: RequestedRendition?
    }

    private var content: Boxed<Content>

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
        content = Boxed(
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

    // MARK: Content

    public var uri: TargetURI { content.uri }

    /// End-to-end fields as they go to the origin, `Via` included; neither `Host` nor framing nor hop-by-hop fields.
    ///
    /// Conditions and Range stay in: the core takes them off where it loads for the store.
    public var fields: Fields {
        get { content.fields }
        set { content.fields = newValue }
    }

    /// Fields that go to the origin besides, and have no part in any decision: a service's own, such as its credential.
    ///
    /// They select no variant and are kept with none; what tells their answers from others' is `partitions`.
    public var injected: Fields {
        get { content.extras?.injected ?? Fields() }
        set { content.extras[orNew: Extras()].injected = newValue }
    }

    /// Puts the service's credential on loads, where that is got from somewhere; like `injected` it selects nothing.
    public var credential: (any CredentialSource)? {
        get { content.extras?.credential }
        set { content.extras[orNew: Extras()].credential = newValue }
    }

    /// Names the client certificate of the service; like `injected` it selects nothing.
    public var identity: String? {
        get { content.extras?.identity }
        set { content.extras[orNew: Extras()].identity = newValue }
    }

    /// What loads say in `Host` in place of the URI's authority; `partitions` tell its answers from those of other names.
    public var host: [UInt8]? {
        get { content.extras?.host }
        set { content.extras[orNew: Extras()].host = newValue }
    }

    /// Method, directives and kinds of credential, read once.
    public var profile: RequestProfile {
        get { content.profile }
        set { content.profile = newValue }
    }

    public var partitions: Partitions {
        get { content.partitions }
        set { content.partitions = newValue }
    }

    public var arrival: MonotonicTime { content.arrival }
    /// The client's address, whose share of look-ups a load's is of; nil: not known.
    public var client: IPAddress? { content.client }
    /// Where a load of this request runs: the provider of the client's own loop.
    public var provider: any ExchangeProvider { content.provider }
    /// The Host of a request by the prefix gateway: what links in prefix form begin with.
    public var gatewayHost: [UInt8]? { content.gatewayHost }
    /// Whether that request came by TLS, so that those links do, too.
    public var gatewayIsSecure: Bool { content.gatewayIsSecure }
    /// What the pipeline makes of its response; nil if nothing.
    var rendition: RequestedRendition? { content.extras?.rendition }

    public var directives: RequestDirectives { content.profile.directives }
    /// Whether a service's credential goes with it.
    package var bearsServiceCredential: Bool {
        guard let extras = content.extras else { return false }
        return !extras.injected.isEmpty || extras.credential != nil || extras.identity != nil
    }
    public var isHead: Bool { content.profile.method == .head }

    // MARK: Changing

    /// The request as a resource decides about it: its pipeline takes whole responses only.
    package mutating func prepare(_ configuration: Configuration, _ environment: CoreEnvironment) {
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
            forbidsTransforming: profile.directives.noTransform,
            pipeline: configuration.pipeline,
            limits: configuration.transformLimits,
            hasDecoder: environment.transforms.decoder != nil
        )
        guard let rendition else { return }
        content.extras[orNew: Extras()].rendition = rendition
        content.fields = rendition.upstream(fields)
        content.profile.directives.hasRange = false
    }

    /// The request as a load's: for the whole by GET, whatever form of it was asked for; or for the very part.
    func loading(isRanged: Bool) -> ClientRequest {
        let profile = profile
        if profile.method == .get, profile.directives.hasRange == isRanged, !profile.directives.hasCondition {
            return self
        }
        var request = self
        request.profile.method = .get
        request.profile.directives.hasRange = isRanged
        request.profile.directives.hasCondition = false
        return request
    }
}
