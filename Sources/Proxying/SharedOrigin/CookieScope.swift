import HTTPCore

/// Keeps the cookies of one origin apart from those of all others behind our own authority.
///
/// `Path` becomes the origin's path on our side, which is enough for a tool's jar. A client that may be a browser also
/// has cookies of other servers on this machine, and of pages that planted some. So the names of its cookies get the
/// origin's mark, and only marked ones go upstream.
struct CookieScope {
    /// The path of the origin on our side: `/https://host`, or `/NAME` of a service.
    private let mount: [UInt8]
    /// The path at the origin that `mount` corresponds to, without a slash at its end; empty for a whole origin.
    private let base: [UInt8]
    /// The path for a cookie without `Path` (RFC 6265 §5.1.4).
    private let defaultPath: [UInt8]
    /// The prefix of the names of this origin's cookies; never a prefix of another origin's mark.
    private let mark: [UInt8]
    /// Whether the client may be a browser.
    private let marksAll: Bool
    /// Whether the client came by TLS.
    private let isSecure: Bool

    init(of uri: TargetURI, service: NamedService?, marksAll: Bool, isSecure: Bool) {
        mount = [0x2F] + (service?.name ?? Array(uri.bytes[..<uri.pathRange.lowerBound]))
        base = service?.path ?? []
        let path = uri.path.prefix { $0 != 0x3F }
        let directory = path.lastIndex(of: 0x2F).map { path[..<$0] } ?? []
        defaultPath = directory.isEmpty ? [0x2F] : Array(directory)
        mark = Self.mark(of: uri)
        self.marksAll = marksAll
        self.isSecure = isSecure
    }

    // MARK: To the client

    /// The Set-Cookie value for the client; nil for a cookie that no request on this route would send.
    func scoped(_ text: [UInt8]) -> [UInt8]? {
        guard let cookie = SetCookieText(text), let path = path(for: cookie) else { return nil }
        var result = needsMark(Array(cookie.name)) ? mark : []
        result += cookie.name + [0x3D] + cookie.value
        result += Array("; Path=".utf8) + path
        for (name, text) in cookie.attributes where keeps(name, text) { result += [0x3B, 0x20] + text }
        return result
    }

    /// The path to which the client's jar is to send the cookie.
    private func path(for cookie: SetCookieText) -> [UInt8]? {
        let given = cookie.attribute("path").map { Array($0) } ?? []
        let path = given.first == 0x2F ? given : defaultPath
        if base.isEmpty { return mount + path }
        if path.starts(with: base), path.count > base.count, path[base.count] == 0x2F {
            return mount + path[base.count...]
        }
        // The cookie is for all of the base, or for more than that.
        let covers =
            base.starts(with: path) && (path.count == base.count || path.last == 0x2F || base[path.count] == 0x2F)
        return covers ? mount + [0x2F] : nil
    }

    /// Whether an attribute is passed on to the client.
    ///
    /// `Domain` would name the origin's hosts, where the client's is ours. On a plain connection, clients that do not
    /// take loopback for secure would never return a cookie with `Secure`. Attributes that need `Secure` are then
    /// removed, too.
    private func keeps(_ name: [UInt8], _ text: ArraySlice<UInt8>) -> Bool {
        if name.isEmpty || name.elementsEqual("path") || name.elementsEqual("domain") { return false }
        guard !isSecure else { return true }
        if name.elementsEqual("secure") || name.elementsEqual("partitioned") { return false }
        return !(name.elementsEqual("samesite") && text.suffix(4).map(\.asciiLowercased).elementsEqual("none"))
    }

    /// Whether a name must be changed: `__Host-` demands `Path=/`, `__Secure-` demands `Secure`, and only we set marks.
    private func needsMark(_ name: [UInt8]) -> Bool {
        marksAll || Self.isMarked(name) || name.hasLowercasePrefix("__host-") || name.hasLowercasePrefix("__secure-")
            || name.hasLowercasePrefix("__http-")
    }

    // MARK: To the origin

    /// Keeps this origin's cookies of a request, under the names that the origin gave them.
    ///
    /// A cookie without a mark is a tool's own, or belongs to another server that shares our host for a browser.
    func takeOwn(from fields: inout Fields) {
        guard fields.contains(.cookie) else { return }
        var isChanged = false
        var own: [UInt8] = []
        for pair in fields.values(of: .cookie).flatMap({ $0.split(separator: 0x3B) }) {
            var cookie = Array(pair.trimmedOfBlanks)
            if cookie.starts(with: mark) {
                cookie.removeFirst(mark.count)
                isChanged = true
            } else if marksAll || Self.isMarked(cookie) {
                isChanged = true
                continue
            }
            if cookie.isEmpty { continue }
            own += (own.isEmpty ? [] : [0x3B, 0x20]) + cookie
        }
        guard isChanged else { return }
        fields.remove(.cookie)
        if !own.isEmpty { fields.append(.cookie, own) }
    }

    // MARK: Marks

    private static let markBeginning: StaticString = "respite-http"

    /// Whether a name has the mark of some origin.
    private static func isMarked(_ name: [UInt8]) -> Bool { name.starts(with: String(describing: markBeginning).utf8) }

    /// `respite-https-443-11-example.org-`; the length of the host keeps any mark from being a prefix of another.
    private static func mark(of uri: TargetURI) -> [UInt8] {
        let host = uri.host.flatMap { byte -> [UInt8] in
            switch byte {
            case 0x61...0x7A, 0x30...0x39, 0x2D, 0x2E: [byte]
            // Brackets and colons are not allowed in a cookie's name.
            default: [0x5F] + Array(String(byte, radix: 16).utf8)
            }
        }
        return Array("respite-\(uri.scheme.text)-\(uri.port)-\(host.count)-".utf8) + host + [0x2D]
    }
}
