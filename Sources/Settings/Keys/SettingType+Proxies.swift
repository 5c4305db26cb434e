import TOML

extension SettingType where Value == UpstreamProxy {
    /// A URL, or `{ url = "…", login = { file = "…" } }`; no error quotes it, since it may contain a password.
    static var upstreamProxy: SettingType {
        SettingType(
            name: "URL, or table of url and login",
            isText: true,
            parse: { (node) throws(SettingFault) -> UpstreamProxy in
                guard case .table = node.value else { return try proxy(node) }
                var draft = ProxyDraft()
                try ProxyDraft.reader.read(node, into: &draft)
                guard var proxy = draft.url else {
                    throw SettingFault.lacking("needs `url`", at: node.position)
                }
                guard let login = draft.login else { return proxy }
                guard proxy.login == nil else {
                    throw SettingFault(message: "has two logins: one in `url` and `login`", position: node.position)
                }
                guard !login.file.isEmpty else {
                    throw SettingFault.lacking("needs `file` in `login`", at: node.position)
                }
                proxy.login = .file(login.file)
                return proxy
            },
            format: { proxy in
                guard case .file(let path) = proxy.login else { return TOMLText.quoted(proxy.text) }
                return "{ url = \(TOMLText.quoted(proxy.text)), login = { file = \(TOMLText.quoted(path)) } }"
            }
        )
    }

    fileprivate static var proxyURL: SettingType {
        SettingType(name: "URL", isText: true, parse: proxy, format: { TOMLText.quoted($0.text) })
    }

    @Sendable
    private static func proxy(_ node: TOMLNode) throws(SettingFault) -> UpstreamProxy {
        guard case .text(let text) = node.value else {
            throw SettingFault(message: "must be a URL, not \(node.kindName)", position: node.position)
        }
        do throws(UpstreamProxy.Fault) {
            return try UpstreamProxy(text: text)
        } catch {
            throw SettingFault(message: "must be \(error.expected)", position: node.position)
        }
    }
}

extension SettingType where Value == ServiceProxy {
    static var serviceProxy: SettingType {
        let proxy = SettingType<UpstreamProxy>.upstreamProxy
        return SettingType(
            name: "\(proxy.name), or \"none\"",
            isText: true,
            parse: { (node) throws(SettingFault) -> ServiceProxy in
                if case .text("none") = node.value { return .none }
                return .through(try proxy.parse(node))
            },
            format: { value in
                switch value {
                case .none: "\"none\""
                case .through(let through): proxy.format(through)
                }
            }
        )
    }
}

extension SettingType where Value == NoProxyPattern {
    static var noProxyPattern: SettingType {
        text(
            "host pattern",
            expected:
                "a name such as \"corp.example\", \"*.corp.example\", \"*\", an address or a range such as \"10.0.0.0/8\"",
            read: NoProxyPattern.init(text:),
            format: \.text
        )
        .withoutPort("a proxy is left out for every port of a host")
    }
}

/// `{ url = "…", login = { file = "…" } }` that is being read.
private struct ProxyDraft: Sendable {
    var url: UpstreamProxy?
    var login: LoginDraft?

    static let reader = TableReader(
        name: "proxy",
        keys: [
            TableKey(optional: "url", \ProxyDraft.url, .proxyURL, "Where the proxy is."),
            TableKey(optional: "login", \ProxyDraft.login, .login, "A file with USER:PASSWORD."),
        ]
    )
}

private struct LoginDraft: Sendable {
    var file = ""

    static let reader = TableReader(
        name: "login",
        keys: [
            TableKey("file", \LoginDraft.file, .path, "A file with USER:PASSWORD its owner alone may read.")
        ]
    )
}

extension SettingType where Value == LoginDraft {
    fileprivate static var login: SettingType {
        SettingType(
            name: "table",
            isText: false,
            parse: { (node) throws(SettingFault) -> LoginDraft in
                var draft = LoginDraft()
                try LoginDraft.reader.read(node, into: &draft)
                return draft
            },
            format: { LoginDraft.reader.format($0) }
        )
    }
}
