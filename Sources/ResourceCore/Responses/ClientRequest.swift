package import Configurations
public import Exchanges
public import HTTPCaching
public import HTTPCore
public import Stores
import Transforms

/// A client's GET or HEAD, or a question, as a resource sees it.
///
/// As large as a reference: many functions pass it on, and few change it.
public struct ClientRequest: Sendable {
    private struct Content: Sendable {
        var uri: TargetURI
        var fields: Fields
        var profile: RequestProfile
        var partitions: Partitions
        var arrival: MonotonicTime
        var client: RequestingClient?
        var provider: any ExchangeProvider
        var gatewayHost: [UInt8]?
        var gatewayIsSecure: Bool
        var extras: Boxed<Extras>?
    }

    /// Values that few requests have; the others have nothing to copy.
    private struct Extras: Sendable {
        var injected = Fields()
        var credential: (any CredentialSource)?
        var identity: String?
        var host: [UInt8]?
        var rendition: RequestedRendition?
        var question: Question?
        var wanted: WantedBytes?
    }

    private var content: Boxed<Content>

    public init(
        uri: TargetURI,
        fields: Fields,
        profile: RequestProfile,
        partitions: Partitions = Partitions(),
        arrival: MonotonicTime,
        client: RequestingClient? = nil,
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

    /// End-to-end fields for the origin, with `Via`, without `Host`, framing and hop-by-hop fields.
    ///
    /// Conditions and Range are included; the core removes them when it loads for the store.
    public var fields: Fields {
        get { content.fields }
        set { content.fields = newValue }
    }

    /// Further fields for the origin, such as a service's credential.
    ///
    /// They affect no decision and are stored with no variant; `partitions` separates the responses.
    public var injected: Fields {
        get { content.extras?.injected ?? Fields() }
        set { content.extras[orNew: Extras()].injected = newValue }
    }

    /// Supplies the service's credential for loads; like `injected` it selects no variant.
    public var credential: (any CredentialSource)? {
        get { content.extras?.credential }
        set { content.extras[orNew: Extras()].credential = newValue }
    }

    /// Names the client certificate of the service; like `injected` it selects no variant.
    public var identity: String? {
        get { content.extras?.identity }
        set { content.extras[orNew: Extras()].identity = newValue }
    }

    /// The `Host` of loads, if not the URI's authority; `partitions` separates the responses.
    public var host: [UInt8]? {
        get { content.extras?.host }
        set { content.extras[orNew: Extras()].host = newValue }
    }

    /// What makes it a question, whose URI has the digest of the content; its profile is that of a GET.
    public var question: Question? {
        get { content.extras?.question }
        set { content.extras[orNew: Extras()].question = newValue }
    }

    /// The bytes that its response, which is in progress, still needs; nil: it is a request of its own.
    public var wanted: WantedBytes? {
        get { content.extras?.wanted }
        set { content.extras[orNew: Extras()].wanted = newValue }
    }

    /// Method, directives and kinds of credential, parsed once.
    public var profile: RequestProfile {
        get { content.profile }
        set { content.profile = newValue }
    }

    public var partitions: Partitions {
        get { content.partitions }
        set { content.partitions = newValue }
    }

    public var arrival: MonotonicTime { content.arrival }
    /// For requests to the origin; nil: not known.
    public var client: RequestingClient? { content.client }
    /// Runs loads of this request: the provider of the client's own event loop.
    public var provider: any ExchangeProvider { content.provider }
    /// The Host of a request to the prefix gateway; rewritten links begin with it.
    public var gatewayHost: [UInt8]? { content.gatewayHost }
    /// Whether that request came by TLS; then rewritten links use it, too.
    public var gatewayIsSecure: Bool { content.gatewayIsSecure }
    /// The rendition that the pipeline makes for this request, if any.
    var rendition: RequestedRendition? { content.extras?.rendition }

    public var directives: RequestDirectives { content.profile.directives }
    /// Whether it carries a service's credential.
    package var bearsServiceCredential: Bool {
        guard let extras = content.extras else { return false }
        return !extras.injected.isEmpty || extras.credential != nil || extras.identity != nil
    }
    public var isHead: Bool { content.profile.method == .head }

    // MARK: Changing

    /// Applies rules and pipeline; a pipeline needs whole responses, so it drops the Range.
    package mutating func prepare(_ configuration: Configuration, _ environment: CoreEnvironment) {
        if !configuration.caching.rules.isEmpty {
            partitions = partitions.keyed(configuration.caching, fields, environment.hasher)
            if configuration.caching.mayRecordStreams { content.profile.wantsOwnStream = false }
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
}
