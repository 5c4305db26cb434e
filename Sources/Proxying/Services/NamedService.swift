import Exchanges
import HTTPCaching
import HTTPCore
import ResourceCore

/// A named service with values computed from its settings.
///
/// All requests share one object.
final class NamedService: Sendable {
    let route: ServiceRoute
    let name: [UInt8]
    /// Scheme, authority and path of the base without a slash at its end.
    let prefix: [UInt8]
    /// The path in `prefix`; empty for a whole origin.
    let path: [UInt8]
    /// Its own fields.
    let injected: Fields
    private let injectedNames: [[UInt8]]
    /// What keeps this service's responses apart from others' (C-20.1b); hashed with a client's own credentials.
    private let credentialText: [UInt8]

    init(_ route: ServiceRoute) {
        self.route = route
        name = Array(route.name.utf8)
        let base = route.base
        var path = base.path
        if let query = path.firstIndex(of: 0x3F) { path.removeSubrange(query...) }
        while path.last == 0x2F { path.removeLast() }
        self.path = path
        prefix = Array(base.bytes[..<base.pathRange.lowerBound]) + path
        injected = route.injected.reduce(into: Fields()) { $0.append(name: $1.name, value: $1.value) }
        let names = route.injected.map { $0.name.map(\.asciiLowercased) }
        injectedNames = names + (route.credential == nil ? [] : [Self.authorization])
        var text: [UInt8] = []
        // No credential of a client begins with an empty name.
        for part in [[], name] + route.injected.flatMap({ [$0.name.map(\.asciiLowercased), $0.value] }) {
            text.appendWithLength(part)
        }
        // The current token does not matter: a response to one token is good for the same client's next one.
        if let credential = route.credential {
            text.appendWithLength(Self.authorization)
            text.appendWithLength(credential.subject)
        }
        // No field name has a space.
        if route.identity != nil {
            text.appendWithLength(Array("client certificate".utf8))
            text.appendWithLength(route.identityMark)
        }
        credentialText = text
    }

    private static let authorization = Array("authorization".utf8)

    var injects: Bool { route.injects }
    /// Whether some pages of other origins may use the service.
    var listsPages: Bool { !route.allowOrigins.isEmpty }
    /// Whether pages of every origin may use the service.
    var isOpenToAllPages: Bool { route.allowOrigins.contains([0x2A]) }

    // MARK: URIs

    /// The URI of `rest`, a path below the base with its query.
    ///
    /// - Parameter rest: empty or beginning with `/` or `?`.
    func target(of rest: some Sequence<UInt8>) -> TargetURI {
        TargetURI(scheme: route.base.scheme, host: route.base.host, port: route.base.port, path: joined(path, rest))
    }

    /// Joins a path and a rest; a rest that is only a query gets a slash before it.
    private func joined(_ path: [UInt8], _ rest: some Sequence<UInt8>) -> [UInt8] {
        let whole = path + rest
        return whole.first == 0x2F ? whole : [0x2F] + whole
    }

    /// The part of `uri` after the base; nil if it is not below the base.
    func rest(of uri: TargetURI) -> ArraySlice<UInt8>? {
        contains(uri.bytes.span) ? uri.bytes[prefix.count...] : nil
    }

    /// Whether a canonical URI is the base or below it.
    func contains(_ uri: Span<UInt8>) -> Bool {
        guard uri.count >= prefix.count else { return false }
        for index in prefix.indices where uri[index] != prefix[index] { return false }
        return uri.count == prefix.count || uri[prefix.count] == 0x2F || uri[prefix.count] == 0x3F
    }

    // MARK: Injected fields

    /// Removes the client's fields that the service replaces.
    func removeReplaced(from fields: inout Fields) {
        for name in injectedNames { fields.remove(named: name) }
    }

    /// Appends the service's fields.
    func inject(into fields: inout Fields) {
        for (name, value) in route.injected { fields.append(name: name, value: value) }
    }

    /// The text to hash for a client with these credentials of its own; nil: the client has none.
    func credentialText(with own: [UInt8]?) -> [UInt8] { credentialText + (own ?? []) }
}
