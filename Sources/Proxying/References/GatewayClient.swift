import HTTPCaching
import HTTPCore

/// How a client of the prefix gateway addresses us, for references that a path cannot express.
struct GatewayClient: Sendable, Equatable {
    /// `http://HOST/` or `https://HOST/`, as the client wrote it.
    let base: [UInt8]
    /// Our base under another name of this machine, which clients take for another host: they send no credential there.
    ///
    /// Nil if the client might not reach us by any such name.
    let otherBase: [UInt8]?
    /// Whether the request has a credential that its client might send along: Authorization, a field treated as such,
    /// or a Cookie of its own.
    let hasCredential: Bool

    /// Returns nil if the request names no host.
    ///
    /// - Parameters:
    ///   - isSecure: whether it came by TLS; our certificate may not cover another name then.
    ///   - credentials: the fields that are credentials.
    ///   - sendsCookies: whether its Cookie would reach another origin, too.
    init?(
        _ head: RequestHead,
        isSecure: Bool = false,
        credentials: CredentialFields = CredentialFields(),
        sendsCookies: Bool = true
    ) {
        guard !head.parts.host.isEmpty else { return nil }
        let host = head.fields.bytes[head.parts.host].map(\.asciiLowercased)
        let port = Array((head.parts.port.map { ":\($0)" } ?? "").utf8)
        base = Array((isSecure ? "https://" : "http://").utf8) + host + port + [0x2F]
        otherBase = isSecure ? nil : Self.otherName(of: head, host).map { Array("http://\($0)".utf8) + port + [0x2F] }
        let presence = credentials.presence(in: head.fields)
        hasCredential = presence.contains(.authorization) || (sendsCookies && presence.contains(.cookie))
    }

    /// Makes the client of a request to a reverse proxy, which serves one origin: other names do not matter.
    init?(before head: RequestHead, isSecure: Bool) {
        guard !head.parts.host.isEmpty else { return nil }
        var base: [UInt8] = []
        base.reserveCapacity(head.parts.host.count + 16)
        base += isSecure ? "https://".utf8 : "http://".utf8
        for byte in head.fields.bytes[head.parts.host] { base.append(byte.asciiLowercased) }
        if let port = head.parts.port { base += ":\(port)".utf8 }
        base.append(0x2F)
        self.base = base
        otherBase = nil
        hasCredential = false
    }

    private static func otherName(of head: RequestHead, _ host: [UInt8]) -> String? {
        guard BrowserGuard.isLoopback(head) else { return nil }
        return host == Array("localhost".utf8) ? "127.0.0.1" : "localhost"
    }

    /// A reference to `target`, for the response from `uri`.
    ///
    /// It begins with `path`, the usual beginning in the prefix form. If it leads to another origin and the request had
    /// a credential for the first one, it names another host (RFC 9110 §15.4). Otherwise the client would take both
    /// origins for the same one.
    static func reference(to target: TargetURI, from uri: TargetURI, behind path: [UInt8], for client: Self?) -> [UInt8]
    {
        guard let client, client.hasCredential, !target.hasSameOrigin(as: uri) else { return path + target.bytes }
        return (client.otherBase ?? []) + target.bytes
    }
}

extension TargetURI {
    fileprivate func hasSameOrigin(as other: TargetURI) -> Bool {
        scheme == other.scheme && host == other.host && port == other.port
    }
}
