import Eventing
import HTTPCore

/// Which token a request needs.
enum TokenNeed {
    /// None, as for health checks.
    case none
    /// The read token or the admin token.
    case reading
    /// The admin token.
    case all
}

/// Decides whether a client may use the admin API (H-142 to H-144).
///
/// It checks `Host`, then the site of the page behind the request, then the token or the session.
struct AccessCheck {
    let options: AdminOptions

    /// Why the request is refused; nil if it may go on.
    ///
    /// - Parameters:
    ///   - isPage: whether the target is a page without data, which links of other sites may lead to.
    ///   - session: what a session of the request may do; asked only for a request without a token.
    func refusal(
        _ head: RequestHead,
        peer: SocketAddress,
        needs need: TokenNeed,
        isPage: Bool = false,
        session: () -> TokenNeed? = { nil }
    ) -> AdminRefusal? {
        if let refusal = foreignHost(head, peer) { return refusal }
        if !(isPage && head.isNavigation), let refusal = foreignSite(head) { return refusal }
        guard need != .none, !hasAdminToken(head.fields) else { return nil }
        let session = head.fields.contains(.authorization) ? nil : session()
        guard session != .all else { return nil }
        guard session == .reading || hasToken(options.readToken, head.fields) else {
            // The message does not reveal whether there was a token, or how wrong it was.
            return AdminRefusal(
                401,
                "this needs the admin token as `Authorization: Bearer TOKEN`",
                fields: [(.wwwAuthenticate, "Bearer")]
            )
        }
        guard need == .all else { return nil }
        return AdminRefusal(
            403,
            "this needs the admin token; the one of `admin-read-token-file` changes nothing, and reads neither content nor settings"
        )
    }

    // MARK: Host

    /// Rejects foreign names that resolve to this address (DNS rebinding); a Unix socket has no name.
    func foreignHost(_ head: RequestHead, _ peer: SocketAddress) -> AdminRefusal? {
        if case .unix = peer { return nil }
        // Clients of HTTP/1.0 may omit Host, and no browser is one.
        if head.parts.host.isEmpty, head.version == .http10, !head.fields.contains(.host) { return nil }
        guard !isOwn(head) else { return nil }
        return AdminRefusal(421, "Host is none of this listener's names; `admin-hosts` adds names")
    }

    private func isOwn(_ head: RequestHead) -> Bool {
        let bytes = head.fields.bytes.span
        let host = head.fields.bytes[head.parts.host].map(\.asciiLowercased)
        guard !host.isEmpty else { return false }
        if options.hosts.contains(host) { return true }
        let port = head.parts.port ?? head.parts.scheme?.defaultPort ?? 80
        let literal = IPAddress(host: bytes.extracting(head.parts.host))?.unmapped
        return options.addresses.contains { address in
            guard let own = address.ipAddress?.unmapped, address.port == port else { return false }
            if host == Array("localhost".utf8) { return true }
            // A listener on every address accepts each address as Host: an attacker cannot make an address resolve
            // elsewhere.
            return literal.map { $0 == own || own.addressClass == .unspecified } ?? false
        }
    }

    // MARK: Site

    /// Whether the browser reports that a page of ours made the request.
    ///
    /// Tools say nothing of the kind, so this is for requests that only browsers make.
    func isOwnPage(_ head: RequestHead) -> Bool {
        let sites = head.fields.values(of: .secFetchSite)
        let origins = head.fields.values(of: .origin)
        guard sites.isEmpty else { return sites == [Array("same-origin".utf8)] }
        return origins.count == 1 && origins.allSatisfy { isSameOrigin($0, head) }
    }

    /// Rejects requests by which a browser acts for a page of another site.
    private func foreignSite(_ head: RequestHead) -> AdminRefusal? {
        let sites = head.fields.values(of: .secFetchSite)
        let isForeign = sites.contains { $0 != Array("same-origin".utf8) && $0 != Array("none".utf8) }
        let origins = head.fields.values(of: .origin)
        guard isForeign || origins.contains(where: { !isSameOrigin($0, head) }) else { return nil }
        return AdminRefusal(403, "a page of another site may not use the admin API")
    }

    private func isSameOrigin(_ origin: [UInt8], _ head: RequestHead) -> Bool {
        guard let authority = head.authority else { return false }
        return origin.map(\.asciiLowercased) == Array("http://".utf8) + authority
    }

    // MARK: Token

    /// Whether the request has one of the tokens.
    func hasToken(_ fields: Fields) -> Bool { hasAdminToken(fields) || hasToken(options.readToken, fields) }

    func hasAdminToken(_ fields: Fields) -> Bool { hasToken(options.token, fields) }

    /// What a token may do; nil: it is none of ours.
    func right(of token: [UInt8]) -> TokenNeed? {
        if Self.isEqual(token, options.token) { return .all }
        return Self.isEqual(token, options.readToken) ? .reading : nil
    }

    private func hasToken(_ token: [UInt8], _ fields: Fields) -> Bool {
        let values = fields.values(of: .authorization)
        guard values.count == 1, let value = values.first else { return false }
        let scheme = Array("bearer ".utf8)
        guard value.prefix(scheme.count).map(\.asciiLowercased) == scheme else { return false }
        return Self.isEqual(Array(value.dropFirst(scheme.count)), token)
    }

    /// Compares in a time that depends only on the length of `given`.
    static func isEqual(_ given: [UInt8], _ secret: [UInt8]) -> Bool {
        guard !secret.isEmpty else { return false }
        var difference = given.count == secret.count ? 0 as UInt8 : 1
        for index in given.indices { difference |= given[index] ^ secret[index % secret.count] }
        return difference == 0
    }
}
