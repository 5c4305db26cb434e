import TOML

extension SetFieldSettings {
    /// Fields with credentials; a service sets those, from files.
    private static let credentials: Set<String> = ["authorization", "cookie"]

    static let keys: [TableKey<SetFieldSettings>] = [
        TableKey(
            "request",
            \.request,
            .fieldTable(isRequest: true),
            default: [],
            "Fields of requests, which replace those of the client."
        ),
        TableKey(
            "response",
            \.response,
            .fieldTable,
            default: [],
            "Fields of responses, which replace those received."
        ),
    ]

    static let reader = TableReader(name: "set-field", keys: keys)

    fileprivate func check(_ node: TOMLNode) throws(SettingFault) {
        guard let name = request.map(\.name).first(where: { Self.credentials.contains($0.lowercased()) }) else {
            return
        }
        throw SettingFault(
            message: "cannot set \(name), which holds a credential: a [[service]] can, from a file",
            position: node.position
        )
    }
}

extension RemoveFieldSettings {
    static let keys: [TableKey<RemoveFieldSettings>] = [
        TableKey(
            "request",
            \.request,
            .list(of: .fieldPattern, atLeast: 1),
            default: [],
            "Names of fields of requests; * stands for any text."
        ),
        TableKey(
            "response",
            \.response,
            .list(of: .fieldPattern, atLeast: 1),
            default: [],
            "Names of fields of responses; * stands for any text."
        ),
    ]

    static let reader = TableReader(name: "remove-field", keys: keys)
}

extension SettingType where Value == SetFieldSettings {
    static var setField: SettingType {
        SettingType(
            name: "table of request and response",
            isText: false,
            parse: { (node) throws(SettingFault) -> SetFieldSettings in
                guard case .table = node.value else {
                    throw SettingFault("a table such as { response = { X-Name = \"value\" } }", insteadOf: node)
                }
                var settings = SetFieldSettings()
                try SetFieldSettings.reader.read(node, into: &settings)
                guard settings != SetFieldSettings() else {
                    throw SettingFault.lacking("needs `request` or `response`, with fields", at: node.position)
                }
                try settings.check(node)
                return settings
            },
            format: { SetFieldSettings.reader.format($0) }
        )
    }
}

extension SettingType where Value == RemoveFieldSettings {
    static var removeField: SettingType {
        SettingType(
            name: "table of request and response",
            isText: false,
            parse: { (node) throws(SettingFault) -> RemoveFieldSettings in
                guard case .table = node.value else {
                    throw SettingFault("a table such as { response = [\"X-Name\"] }", insteadOf: node)
                }
                var settings = RemoveFieldSettings()
                try RemoveFieldSettings.reader.read(node, into: &settings)
                guard settings != RemoveFieldSettings() else {
                    throw SettingFault.lacking("needs `request` or `response`, with names of fields", at: node.position)
                }
                return settings
            },
            format: { RemoveFieldSettings.reader.format($0) }
        )
    }
}

extension SettingType where Value == SendRateRule {
    static var sendRate: SettingType {
        let unit = "/s"
        return SettingType(
            name: "size per second, or false",
            isText: true,
            parse: { (node) throws(SettingFault) -> SendRateRule in
                switch node.value {
                case .boolean(false): return .unlimited
                case .text(let text)
                where text.hasSuffix(unit) && (ByteCount(text: String(text.dropLast(2)))?.bytes ?? 0) > 0:
                    return ByteCount(text: String(text.dropLast(2))).map { .limit($0) } ?? .unlimited
                default: throw SettingFault("a size and /s, such as \"64KiB/s\", or false", insteadOf: node)
                }
            },
            format: { rule in
                guard case .limit(let size) = rule else { return "false" }
                return TOMLText.quoted("\(size)\(unit)")
            }
        )
    }
}
