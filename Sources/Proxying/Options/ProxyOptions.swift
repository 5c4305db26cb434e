public import Eventing
public import HTTPCaching
public import HTTPCore

/// The options of a listener's responders.
///
/// Stored properties: one for each setting that responders use.
public struct ProxyOptions: Sendable {
    /// The origin of a reverse proxy, to which all paths belong; nil for other listeners.
    public var gateway: GatewayBase?
    /// The other routes that the listener offers.
    public var routes = OfferedRoutes.all
    /// Whether a reverse proxy answers requests whatever name `Host` gives.
    public var answersToEveryName = false
    /// Whether a reverse proxy passes on the client's `Host` in place of the origin's name; the key then contains it.
    public var passesClientHost = false
    /// Whether clients beyond loopback may connect, whose browsers do not say which site a request comes from.
    ///
    /// No cookies are then passed on if a path names the origin, unless `pathCookies` allows it.
    public var servesBeyondLoopback = false
    /// How cookies are treated if a path names the origin; nil: the default for the kind of listener.
    public var pathCookies: PathCookies?
    /// Whether requests come by TLS.
    public internal(set) var isSecure = false
    /// The login that the listener requires; nil: none.
    public var login: ProxyLogin?
    /// Whether only listed clients, or those with a login, may use the listener.
    ///
    /// If not, a service's credential is only for clients on this machine.
    public var listsClients = false
    /// Whether a client's commands PURGE, BAN and REFRESH are executed (H-141).
    public var mayCommand: @Sendable (SocketAddress) -> Bool = { _ in false }
    /// Whether a reverse proxy is also a forward proxy, for clients that are not listed.
    public var allowsOpenProxy = false
    /// The named services, each with another name and base.
    public var services: [ServiceRoute] = []
    /// Whether `Upgrade: websocket` of a client is passed on (H-077).
    public var allowsWebSocket = true
    /// The URL of the dashboard, for the page on `/`, such as `http://127.0.0.1:3129/`; nil: not shown.
    public var adminURL: String?
    /// Names besides the loopback's that `Host` may give to the proxy itself, lower-case and without port.
    public var ownNames: [[UInt8]] = []
    /// Patterns of such names; they are tried after the names.
    public var ownNamePatterns: [HostPattern] = []
    /// Our member of `Via`; distinguishes a loop from another Respite in the chain (H-135).
    public var via: Via
    /// Ports CONNECT may reach (H-079); `any` leaves out `blockedPorts`.
    public var connectPorts: PortSelection = [443, 8443]
    /// Ports no plain request may reach (H-138).
    public var blockedPorts: Set<UInt16> = [25, 110, 119, 143, 465, 563, 587, 993, 995]
    /// Which addresses may be connected to; the exchange provider has the same policy.
    public var addressPolicy: AddressPolicy
    /// Which proxy reaches which targets of tunnels; the exchange provider has the same selection.
    public var parents = ParentSelection()
    /// A tunnel's far end must accept the connection within this time.
    public var connectTimeout: Duration = .seconds(5)
    /// For which hosts TLS ends here; nil: for none.
    public var interception: Interception?
    /// How long a client's handshake may take if its TLS ends here.
    public var handshakeTime: Duration = .seconds(10)
    /// How long a client inside a CONNECT that may be served here has for its first bytes.
    ///
    /// After that the far end is connected.
    public var firstBytesTime: Duration = .seconds(1)
    /// How long a tunnel, of CONNECT or a WebSocket, may be idle in both directions before it ends.
    public var tunnelIdleTimeout: Duration = .seconds(600)
    /// How long a tunnel may exist, however busy it is; nil: without limit.
    public var tunnelLifetime: Duration? = .seconds(86_400)
    /// Nil: requests are not logged.
    public var accessLog: AccessLog?
    /// Nil: no request is traced, and the fields of traces pass unchanged.
    public var tracing: Tracing?
    /// How long the response to an unsafe request waits for the store to mark what it invalidates.
    ///
    /// A store that takes longer has a full disk or a locked database.
    public var markingTime: Duration = .seconds(1)
    /// Logs refusals that a setting would lift; nil: does not log them.
    public var refusalLog: RefusalLog?
    /// The behaviour that the script on `/proxy.pac` asks of clients.
    public var script = ScriptOptions()
    /// How much content of requests is held for their keys.
    public var questions = QuestionOptions()
    /// Whether every request goes to the exchange provider, past the store: its exchanges are recorded or replayed.
    public var bypassesStore = false
    /// Which fields are credentials (C-20.1).
    public var credentialFields = CredentialFields()

    public init(via: Via, addressPolicy: AddressPolicy) {
        self.via = via
        self.addressPolicy = addressPolicy
    }

    /// The options for requests by TLS, for which browsers always say which site a request comes from.
    var overTLS: ProxyOptions {
        var options = self
        options.isSecure = true
        options.servesBeyondLoopback = false
        return options
    }

    /// How cookies are treated if a path names the origin.
    ///
    /// Scoped cookies lose `Secure` on connections without TLS; beyond loopback, others on the network could read them.
    var cookiesOnPaths: PathCookies { pathCookies ?? (servesBeyondLoopback ? .drop : .scoped) }

    /// Whether CONNECT may reach a port.
    public func mayTunnel(to port: UInt16) -> Bool {
        connectPorts.contains(port) && (connectPorts != .any || !blockedPorts.contains(port))
    }

    /// Whether connections of SOCKS to a port are served as HTTP; then each request in them is judged on its own.
    func servesHTTP(behindSOCKS port: UInt16) -> Bool { port == 80 && !blockedPorts.contains(port) }

    /// The scheme of URLs with our own authority, with `://`.
    var scheme: String { isSecure ? "https://" : "http://" }
}
