import HTTPCore
import HTTPServer
import ResourceCore

/// How a request reached its resource, which is the same on every way, and what that means for the response.
///
/// An object, since it goes along with each request, and most have the same.
final class RouteKind: Sendable, Equatable, CustomStringConvertible {
    enum Form: Sendable {
        /// An absolute-form target.
        case forward
        /// `/http://host/…`: references in the response are rewritten to this form.
        case prefix
        /// An origin-form target of a reverse proxy: references to what it stands for lead to the proxy.
        case gateway
        /// `/NAME/…` on our own host.
        case servicePath
        /// Any target on `NAME.localhost`.
        case serviceHost
        /// A target inside a CONNECT that is served here.
        case intercepted

        /// Whether a path names the origin, so that to clients all origins are ours.
        var sharesOrigin: Bool { self == .prefix || self == .servicePath }
        /// Whether we stand for the origin, by its owner's or a user's settings.
        var standsForOrigin: Bool { self == .gateway || self == .servicePath || self == .serviceHost }
    }

    let form: Form
    /// The service whose path or host was used.
    let service: NamedService?
    /// The service whose fields go with the request.
    let injector: NamedService?
    /// The listed origin whose page may read the service's response.
    let allowedOrigin: [UInt8]?
    /// How references that lead out of the service's base are written.
    let elsewhere: ServiceReferences.Elsewhere
    /// Who uses the prefix form, by which references elsewhere may be written; nil for browsers.
    let client: GatewayClient?
    /// What a reverse proxy stands for.
    let base: GatewayBase?
    /// What keeps origins apart where all share ours; nil on other routes.
    let sharedOrigin: SharedOrigin?

    init(
        _ form: Form,
        service: NamedService? = nil,
        injector: NamedService? = nil,
        allowedOrigin: [UInt8]? = nil,
        elsewhere: ServiceReferences.Elsewhere = .absolute,
        client: GatewayClient? = nil,
        base: GatewayBase? = nil,
        sharedOrigin: SharedOrigin? = nil
    ) {
        self.form = form
        self.service = service
        self.injector = injector
        self.allowedOrigin = allowedOrigin
        self.elsewhere = elsewhere
        self.client = client
        self.base = base
        self.sharedOrigin = sharedOrigin
    }

    static let forward = RouteKind(.forward)
    static let intercepted = RouteKind(.intercepted)

    /// The same with the fields of a service, if any, whose response a page of `allowedOrigin` may read.
    func injecting(_ injector: NamedService?, allowedOrigin: [UInt8]?) -> RouteKind {
        RouteKind(
            form,
            service: service,
            injector: injector,
            allowedOrigin: allowedOrigin,
            elsewhere: elsewhere,
            client: client,
            base: base,
            sharedOrigin: sharedOrigin
        )
    }

    static func == (left: RouteKind, right: RouteKind) -> Bool {
        left.form == right.form && left.service === right.service && left.injector === right.injector
    }

    var description: String { service.map { "\(form) \($0.route.name)" } ?? "\(form)" }

    /// Turns the fields of a response into those for a client on this route.
    func adapt(_ fields: inout Fields, of uri: TargetURI, for exchange: ServerExchange) {
        switch form {
        case .forward: break
        case .gateway:
            guard let base else { break }
            GatewayReferences.rewrite(
                &fields,
                of: uri,
                below: base,
                for: GatewayClient(before: exchange.head, isSecure: exchange.isSecure)
            )
        // It would lead clients around us.
        case .intercepted: fields.remove(.altSvc)
        case .prefix: PrefixReferences.rewrite(&fields, of: uri, for: client)
        case .servicePath, .serviceHost:
            guard let service else { break }
            let mount = form == .servicePath ? [0x2F] + service.name : []
            ServiceReferences.rewrite(
                &fields,
                of: uri,
                service: service,
                mount: mount,
                elsewhere: elsewhere,
                for: client
            )
        }
        if let guarded = injector ?? (service?.listsPages == true ? service : nil) {
            ServiceGuard.limitSharing(&fields, of: guarded, with: allowedOrigin)
        }
        sharedOrigin?.adapt(&fields, of: uri, of: service)
    }

    /// Takes what must not reach the origin off a request.
    func limit(_ fields: inout Fields, to uri: TargetURI) {
        sharedOrigin?.limit(&fields, to: uri, of: service)
        injector?.removeReplaced(from: &fields)
    }
}

/// Where a request goes.
enum Route {
    /// To the origin of this URI.
    case origin(TargetURI, RouteKind)
    /// `OPTIONS *` for the server of this URI (H-015).
    case originServer(TargetURI)
    /// A tunnel to this host and port.
    case tunnel(host: [UInt8], port: UInt16)
    /// The same request at another path of ours.
    case moved(to: [UInt8])
    /// The page on `/`.
    case landingPage
    /// The icon browsers ask for beside the page; there is none.
    case icon
    /// `OPTIONS *` for the proxy itself.
    case proxyItself
    case refused(Refusal)
}

/// A request the proxy answers itself because it may not or cannot be forwarded.
struct Refusal: Error, Equatable {
    var status: UInt16
    /// A sentence that names the element, the fault and the remedy; no bytes of the request.
    var detail: String
    /// The error type of RFC 9209 §2.3.
    var type: ProxyErrorType

    /// The status a proxy on the way refused with.
    var receivedStatus: UInt16?
    /// The word of Cache-Status, where there is one.
    var cacheDetail: String?
    /// When the same request may go better, if that is known.
    var retryAfterSeconds: Int?

    /// Whether nothing behind the request may be read: it broke a rule, rather than asked for what is not there.
    var endsConnection: Bool { status != 404 && (status < 500 || status == 501 || status == 505) }

    /// The origin is not asked at all (C-25.2).
    static func notAsked(in mode: ServiceMode) -> Refusal {
        var refusal = Refusal(
            504,
            "mode \(mode.rawValue): the origin is not asked, and nothing that may be used is held; "
                + "`respite mode auto` has it asked again",
            type: .proxyInternalResponse
        )
        refusal.cacheDetail = mode.rawValue
        return refusal
    }

    /// As many requests wait for one answer of the origin as may (H-134).
    static func tooManyWaiters(limit: Int) -> Refusal {
        var refusal = Refusal(
            503,
            "\(limit) requests wait for the origin's answer to this question, as many as limits.waiters-per-load allows; "
                + "a higher value lets more wait, each with a connection of its own",
            type: .connectionLimitReached
        )
        refusal.retryAfterSeconds = 1
        return refusal
    }

    init(_ status: UInt16, _ detail: String, type: ProxyErrorType = .httpRequestDenied) {
        self.status = status
        self.detail = detail
        self.type = type
    }
}
