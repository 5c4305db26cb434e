import HTTPCore
import HTTPServer
import ResourceCore

/// The route by which a request reached its resource, and what that means for the response.
///
/// The resource is the same on every route. A class, since each request has one, and most share one.
final class RouteKind: Sendable, Equatable, CustomStringConvertible {
    enum Form: Sendable {
        /// An absolute-form target.
        case forward
        /// `/http://host/…`: references in the response are rewritten to this form.
        case prefix
        /// An origin-form target of a reverse proxy: references to its origin are rewritten to lead to the proxy.
        case gateway
        /// `/NAME/…` on our own host.
        case servicePath
        /// Any target on `NAME.localhost`.
        case serviceHost
        /// A target inside a CONNECT whose requests are served here.
        case intercepted

        /// Whether a path names the origin, so that clients take all such origins for ours.
        var sharesOrigin: Bool { self == .prefix || self == .servicePath }
        /// Whether host or path name a service.
        var namesService: Bool { self == .servicePath || self == .serviceHost }
        /// Whether we act for the origin, by its owner's or a user's settings.
        var standsForOrigin: Bool { self == .gateway || self == .servicePath || self == .serviceHost }
    }

    let form: Form
    /// The service whose path or host was used.
    let service: NamedService?
    /// The service whose fields are added to the request.
    let injector: NamedService?
    /// The listed origin whose page may read the service's response.
    let allowedOrigin: [UInt8]?
    /// How references that lead out of the service's base are written.
    let elsewhere: ServiceReferences.Elsewhere
    /// The client, if references to other origins may be written in the prefix form; nil for browsers.
    let client: GatewayClient?
    /// The base of a reverse proxy.
    let base: GatewayBase?
    /// Separates origins on routes where a path names them; nil on other routes.
    let sharedOrigin: SharedOrigin?
    /// What rules change in the fields of responses.
    let edits: [FieldEdits]

    init(
        _ form: Form,
        service: NamedService? = nil,
        injector: NamedService? = nil,
        allowedOrigin: [UInt8]? = nil,
        elsewhere: ServiceReferences.Elsewhere = .absolute,
        client: GatewayClient? = nil,
        base: GatewayBase? = nil,
        sharedOrigin: SharedOrigin? = nil,
        edits: [FieldEdits] = []
    ) {
        self.form = form
        self.service = service
        self.injector = injector
        self.allowedOrigin = allowedOrigin
        self.elsewhere = elsewhere
        self.client = client
        self.base = base
        self.sharedOrigin = sharedOrigin
        self.edits = edits
    }

    static let forward = RouteKind(.forward)
    static let intercepted = RouteKind(.intercepted)

    /// The same route with the fields of a service, if any; a page of `allowedOrigin` may read the response.
    func injecting(_ injector: NamedService?, allowedOrigin: [UInt8]?) -> RouteKind {
        with(injector, allowedOrigin, edits)
    }

    /// The same route with changes to the fields of responses.
    func editing(_ edits: [FieldEdits]) -> RouteKind { with(injector, allowedOrigin, edits) }

    private func with(_ injector: NamedService?, _ allowedOrigin: [UInt8]?, _ edits: [FieldEdits]) -> RouteKind {
        RouteKind(
            form,
            service: service,
            injector: injector,
            allowedOrigin: allowedOrigin,
            elsewhere: elsewhere,
            client: client,
            base: base,
            sharedOrigin: sharedOrigin,
            edits: edits
        )
    }

    static func == (left: RouteKind, right: RouteKind) -> Bool {
        left.form == right.form && left.service === right.service && left.injector === right.injector
    }

    var description: String { service.map { "\(form) \($0.route.name)" } ?? "\(form)" }

    /// Changes the fields of a response for a client on this route.
    func adapt(_ fields: inout Fields, of uri: TargetURI, for exchange: ServerExchange, isFinal: Bool = true) {
        // As if the origin had sent them so: what guards a client comes behind.
        for edit in edits { isFinal ? edit.apply(to: &fields) : edit.removeOnly(from: &fields) }
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
        // Alt-Svc would let clients bypass us.
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

    /// Removes the fields of a request that must not reach the origin.
    func limit(_ fields: inout Fields, to uri: TargetURI) {
        sharedOrigin?.limit(&fields, to: uri, of: service)
        injector?.removeReplaced(from: &fields)
    }
}
