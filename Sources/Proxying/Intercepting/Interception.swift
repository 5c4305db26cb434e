import Eventing
public import HTTPCore
public import TransportSecurity

/// For which hosts TLS ends here, and by which certificates.
///
/// All loops share it until the settings change.
public struct Interception: Sendable {
    /// How to treat a CONNECT.
    enum Verdict: Equatable {
        case intercept
        /// A blind tunnel, as the settings say.
        case tunnel
        /// A blind tunnel, because the client refuses our certificates.
        case tunnelAfterRefusals
    }

    public var hosts: [HostPattern]
    public var passThrough: [HostPattern]
    public let context: TLSMintingContext
    /// Kept when the settings change.
    public let refusals: CertificateRefusals
    /// How long a host gets blind tunnels after refusals; nil: never.
    public var passThroughTime: Duration?

    public init(
        hosts: [HostPattern],
        passThrough: [HostPattern] = [],
        context: TLSMintingContext,
        refusals: CertificateRefusals,
        passThroughTime: Duration? = .seconds(3600)
    ) {
        self.hosts = hosts
        self.passThrough = passThrough
        self.context = context
        self.refusals = refusals
        self.passThroughTime = passThroughTime
    }

    /// Whether the settings name a host, written as in the target of CONNECT.
    func names(_ host: [UInt8], port: UInt16) -> Bool {
        let uri = TargetURI(scheme: .https, host: host, port: port, path: [0x2F])
        return Self.isNamed(uri, by: hosts) && !Self.isNamed(uri, by: passThrough)
    }

    /// Whether a pattern matches; a dot at the end of the host's name is ignored.
    static func isNamed(_ uri: TargetURI, by patterns: [HostPattern]) -> Bool {
        patterns.contains { $0.matches(uri) }
    }

    /// Whether clients accept a certificate of our CA for this host.
    private func permits(_ host: [UInt8]) -> Bool {
        ServerName(host: host).map { context.mint.authority.certificate.permits($0) } ?? false
    }

    /// Decides how to treat this client's CONNECT.
    ///
    /// - Parameter wall: the time at which the certificate must be valid.
    func verdict(
        _ host: [UInt8],
        port: UInt16,
        for client: SocketAddress,
        at now: MonotonicTime,
        wall: HTTPDate
    ) -> Verdict {
        // No client would accept a certificate of a CA that has expired.
        guard names(host, port: port), permits(host), context.mint.isOpen(at: wall) else { return .tunnel }
        let isRefused =
            passThroughTime != nil && refusals.passesThrough(Self.text(host, port), for: client, at: now)
        return isRefused ? .tunnelAfterRefusals : .intercept
    }

    /// A sentence about how a CONNECT to the origin of an https URI is treated.
    ///
    /// - Parameter isOpen: whether CONNECT may reach its port at all.
    public func note(_ uri: TargetURI, isOpen: Bool, at now: MonotonicTime, wall: HTTPDate) -> String {
        guard isOpen else {
            return "CONNECT to its port is refused (`access.connect-ports`)"
        }
        guard Self.isNamed(uri, by: hosts) else {
            return "CONNECT makes a blind tunnel: `intercept.hosts` does not name the host"
        }
        guard !Self.isNamed(uri, by: passThrough) else {
            return "CONNECT makes a blind tunnel: `intercept.pass-through` names the host"
        }
        guard context.mint.isOpen(at: wall) else {
            return "CONNECT makes a blind tunnel: our CA ended on \(context.mint.authority.certificate.ends.day)"
        }
        if let constraints = context.mint.authority.certificate.constraints, !permits(uri.host) {
            return
                "CONNECT makes a blind tunnel: our CA is good for \(constraints.texts.joined(separator: ", ")) alone; "
                + "`respite ca create --force --for HOST…` makes another"
        }
        let text = Self.text(uri.host, uri.port)
        let refused = passThroughTime == nil ? [] : refusals.all(at: now).filter { $0.host == text }
        guard !refused.isEmpty else { return "CONNECT is intercepted: requests inside are answered from here" }
        let clients = refused.map { one in
            "\(one.client?.description ?? "a Unix socket") (\(max(1, one.left.components.seconds)) s more)"
        }
        return "CONNECT is intercepted, but makes a blind tunnel for clients that refuse our certificate: "
            + clients.joined(separator: ", ")
    }

    /// `host:port`.
    static func text(_ host: [UInt8], _ port: UInt16) -> String { "\(String(decoding: host, as: UTF8.self)):\(port)" }
}
