import HTTPCore

/// A route on which a path names the origin: clients take all such origins for one web origin, ours (H-065).
///
/// No response may act as a document of that origin, or on all of it, and cookies stay apart.
struct SharedOrigin: Sendable, Equatable {
    let cookies: PathCookies
    /// Whether the client may be a browser, which has cookies that a tool does not have.
    let mayBeBrowser: Bool
    /// Whether the client came by TLS.
    let isSecure: Bool

    init(_ head: RequestHead, _ options: ProxyOptions) {
        cookies = options.cookiesOnPaths
        mayBeBrowser = BrowserGuard.mayBeBrowser(head)
        isSecure = options.isSecure
    }

    /// Whether the Cookie of a request reaches the origin unchanged, and so would reach another one, too.
    var acceptsForeignCookies: Bool { cookies == .pass || (cookies == .scoped && !mayBeBrowser) }

    /// Removes the fields of a request that must not reach the origin of `uri`.
    func limit(_ fields: inout Fields, to uri: TargetURI, of service: NamedService?) {
        switch cookies {
        case .pass: break
        case .drop: fields.remove(.cookie)
        case .scoped: scope(uri, service).takeOwn(from: &fields)
        }
    }

    /// Removes the fields of a response that must not reach the client.
    func adapt(_ fields: inout Fields, of uri: TargetURI, of service: NamedService?) {
        if fields.contains(.setCookie), cookies != .pass {
            let values = cookies == .drop ? [] : fields.values(of: .setCookie)
            fields.remove(.setCookie)
            if !values.isEmpty {
                let scope = scope(uri, service)
                for value in values.compactMap({ scope.scoped($0) }) { fields.append(.setCookie, value) }
            }
        }
        SharedOriginFields.limit(&fields)
    }

    private func scope(_ uri: TargetURI, _ service: NamedService?) -> CookieScope {
        CookieScope(of: uri, service: service, marksAll: mayBeBrowser, isSecure: isSecure)
    }
}
