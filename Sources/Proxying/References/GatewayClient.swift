import HTTPCaching
import HTTPCore

/// How a client of the prefix gateway calls us, for references that a path cannot express.
struct GatewayClient: Sendable, Equatable {
    /// `http://HOST/` or `https://HOST/`, as the client wrote it.
    let base: [UInt8]
    /// The same by another name of this machine, to clients another host: they take no credential along to it.
    ///
    /// Nil if there is none by which the client would surely reach us.
    let otherBase: [UInt8]?
    /// Whether the request has a credential that its client might take along: Authorization, a field treated as such, or a
    /// Cookie of its own.
    let hasCredential: Bool

    /// Nil if the request names no host.
    ///
    /// - Parameters:
    ///   - isSecure: whether it came by TLS; our certificate need not be for another name then.
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

    /// Of a request to a reverse proxy, which stands for one origin: other names do not matter.
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

    /// A reference in the answer for `uri` that leads to `target`, behind `path`, which is the prefix form's usual beginning.
    ///
    /// Where it leads to another origin and the request had a credential for the first one, the client must see another host
    /// (RFC 9110 §15.4): all origins are the same one to it otherwise.
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
