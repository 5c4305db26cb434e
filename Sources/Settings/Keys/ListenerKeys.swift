import TOML

/// A listener that is being read.
struct ListenerDraft: Sendable {
    var address: ListenAddress?
    var routes: [ListenerRoute]?

    init() {}

    init(_ listener: ListenerSettings) {
        address = listener.address
        routes = listener.routes
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
                    return ListenerSettings(address: address, routes: draft.routes)
                }
            },
            format: { listeners in
                "[" + listeners.map { ListenerDraft.reader.format(ListenerDraft($0)) }.joined(separator: ", ") + "]"
            }
        )
    }
}
