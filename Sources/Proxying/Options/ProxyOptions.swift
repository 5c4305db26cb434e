public import Eventing
public import HTTPCaching
public import HTTPCore

/// The options of a listener's responders.
///
/// Stored properties: one for each setting that the responders read.
public struct ProxyOptions: Sendable {
    /// The origin this listener is a reverse proxy for, to which all paths belong; nil: it is none.
    public var gateway: GatewayBase?
    /// The other routes it offers.
    public var routes = OfferedRoutes.all
    /// Whether a reverse proxy answers requests whatever name `Host` gives.
    public var answersToEveryName = false
    /// Whether a reverse proxy passes on the client's `Host` in place of the origin's name; it is part of the key then.
    public var passesClientHost = false
    /// Whether clients beyond loopback may come, whose browsers do not say which site a request comes from.
    ///
    /// No cookies then pass on routes on which a path names the origin, unless `pathCookies` says otherwise.
    public var servesBeyondLoopback = false
    /// What is done with cookies where a path names the origin; nil: the default of the listener's kind.
    public var pathCookies: PathCookies?
    /// Whether requests come by TLS.
    public internal(set) var isSecure = false
    /// Whether only listed clients may connect; if not, a service's credential is for clients on this machine alone.
    public var listsClients = false
    /// Whether the commands PURGE, BAN and REFRESH of a client are obeyed (H-141).
    public var mayCommand: @Sendable (SocketAddress) -> Bool = { _ in false }
    /// Whether a reverse proxy is a forward proxy, too, for clients that are not listed.
    public var allowsOpenProxy = false
    /// The named services, each with another name and base.
    public var services: [ServiceRoute] = []
    /// Whether a client may have `Upgrade: websocket` passed on (H-077).
    public var allowsWebSocket = true
    /// The URL of the dashboard, for the page on `/`, such as `http://127.0.0.1:3129/`; nil: not shown.
    public var adminURL: String?
    /// Names besides the loopback's that `Host` may give to the proxy itself, lower-case and without port.
    public var ownNames: [[UInt8]] = []
    /// Our member of `Via`; distinguishes a loop from another Respite in the chain (H-135).
    public var via: Via
    /// Ports CONNECT may reach (H-079).
    public var connectPorts: [UInt16] = [443, 8443]
    /// Ports no plain request may reach (H-138).
    public var blockedPorts: Set<UInt16> = [25, 110, 119, 143, 465, 563, 587, 993, 995]
    /// Which addresses may be connected to; the exchange provider has the same policy.
    public var addressPolicy: AddressPolicy
    /// Which targets of tunnels are reached through which proxy; the exchange provider has the same selection.
    public var parents = ParentSelection()
    /// A tunnel's far end must accept the connection within this time.
    public var connectTimeout: Duration = .seconds(5)
    /// For which hosts TLS ends here; nil: for none.
    public var interception: Interception?
    /// How long a client's handshake may take where its TLS ends here.
    public var handshakeTime: Duration = .seconds(10)
    /// How long a client inside a CONNECT that may be served here has for its first bytes, before the far end is connected.
    public var firstBytesTime: Duration = .seconds(1)
    /// A tunnel, of CONNECT or a WebSocket, ends after neither side has sent anything for this time.
    public var tunnelIdleTimeout: Duration = .seconds(600)
    /// A tunnel ends after this time, however busy it is; nil: never.
    public var tunnelLifetime: Duration? = .seconds(86_400)
    /// Nil: requests are not logged.
    public var accessLog: AccessLog?
    /// How long the response to an unsafe request waits for the store to mark what it makes invalid.
    ///
    /// A store that takes longer has a full disk or a locked database.
    public var markingTime: Duration = .seconds(1)
    /// Logs refusals that a setting would lift; nil: they are not logged.
    public var refusalLog: RefusalLog?
    /// Which fields are credentials (C-20.1).
    public var credentialFields = CredentialFields()

    public init(via: Via, addressPolicy: AddressPolicy) {
        self.via = via
        self.addressPolicy = addressPolicy
    }

    /// The same for requests that come by TLS, for which browsers always say which site a request comes from.
    var overTLS: ProxyOptions {
        var options = self
        options.isSecure = true
        options.servesBeyondLoopback = false
        return options
    }

    /// What is done with cookies where a path names the origin.
    ///
    /// Scoped cookies lose `Secure` on connections without TLS; beyond loopback others could read them on the network.
    var cookiesOnPaths: PathCookies { pathCookies ?? (servesBeyondLoopback ? .drop : .scoped) }

    /// The scheme of URLs with our own authority, with `://`.
    var scheme: String { isSecure ? "https://" : "http://" }
}
