import TOML

/// A listener that is being read.
struct ListenerDraft: Sendable {
    var address: ListenAddress?
    var routes: [ListenerRoute]?
    var login: ListenerLogin?

    init() {}

    init(_ listener: ListenerSettings) {
        address = listener.address
        routes = listener.routes
        login = listener.login
    }

    /// The most listeners.
    static let limit = 64

    static let reader = TableReader(name: "listener", keys: keys)

    static let keys: [TableKey<ListenerDraft>] = [
        TableKey(
            optional: "address",
            \.address,
            .listenAddress,
            "Where clients connect, as in listen. A socket from systemd with this address becomes this listener."
        ),
        TableKey(
            optional: "routes",
            \.routes,
            .list(of: .choice, atLeast: 1),
            "Routes of this listener: forward (a forward proxy, CONNECT too), prefix (/http://host/), services, "
                + "gateway (the origin of gateway). Default: gateway alone if that is set, else all others; prefix not "
                + "on plain HTTP beyond loopback."
        ),
        TableKey(
            optional: "login-file",
            \.login,
            .listenerLogin,
            "Users of this listener, in place of those of access.login-file. false: it requires no login."
        ),
    ]
}

extension SettingType where Value == [ListenerSettings] {
    static var listeners: SettingType {
        SettingType(
            name: "list of tables",
            isText: false,
            parse: { (node) throws(SettingFault) -> [ListenerSettings] in
                guard case .array(let nodes) = node.value, nodes.count <= ListenerDraft.limit else {
                    throw SettingFault(
                        "a list of at most \(ListenerDraft.limit) tables: write [[listener]]",
                        insteadOf: node
                    )
                }
                return try FaultCollector.all(nodes) { (node) throws(SettingFault) -> ListenerSettings in
                    var draft = ListenerDraft()
                    try ListenerDraft.reader.read(node, into: &draft)
                    guard let address = draft.address else {
                        throw SettingFault.missing(
                            "a listener needs `address`, where clients connect",
                            at: node.position
                        )
                    }
                    return ListenerSettings(address: address, routes: draft.routes, login: draft.login)
                }
            },
            format: { listeners in
                "[" + listeners.map { ListenerDraft.reader.format(ListenerDraft($0)) }.joined(separator: ", ") + "]"
            }
        )
    }
}

extension SettingType where Value == ListenerLogin {
    /// A path, or `false`.
    fileprivate static var listenerLogin: SettingType {
        SettingType(
            name: "path | false",
            isText: true,
            parse: { (node) throws(SettingFault) -> ListenerLogin in
                if case .boolean(false) = node.value { return .off }
                guard case .text(let path) = node.value, !path.isEmpty, !path.utf8.contains(0) else {
                    throw SettingFault("the path of a login file, or false", insteadOf: node)
                }
                return .file(path)
            },
            format: { login in
                switch login {
                case .off: "false"
                case .file(let path): TOMLText.quoted(path)
                }
            }
        )
    }
}
