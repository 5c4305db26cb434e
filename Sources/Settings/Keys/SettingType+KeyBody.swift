import TOML

/// `key-body` that is being read as a table.
struct KeyBodyDraft: Sendable {
    var json: Bool?
    var ignore: [String]?
    var only: [String]?

    static let keys: [TableKey<KeyBodyDraft>] = [
        TableKey(
            optional: "json",
            \.json,
            .flag,
            "Whether the content is JSON: order of members and blanks do not count."
        ),
        TableKey(optional: "ignore", \.ignore, .list(of: .jsonPath, atLeast: 1), "Paths of values that do not count."),
        TableKey(optional: "only", \.only, .list(of: .jsonPath, atLeast: 1), "Paths of the values that count."),
    ]

    static let reader = TableReader(name: "key-body", keys: keys)
}

extension SettingType where Value == KeyBodySetting {
    static var keyBody: SettingType {
        SettingType(
            name: "true, table, or false",
            isText: false,
            parse: { (node) throws(SettingFault) -> KeyBodySetting in
                if case .boolean(let flag) = node.value { return flag ? .bytes : .off }
                guard case .table = node.value else {
                    throw SettingFault("true, { json = true } or false", insteadOf: node)
                }
                var draft = KeyBodyDraft()
                try KeyBodyDraft.reader.read(node, into: &draft)
                guard draft.json == true else {
                    throw SettingFault.lacking("needs `json = true`, the only form of content", at: node.position)
                }
                return .json(ignore: draft.ignore ?? [], only: draft.only ?? [])
            },
            format: { setting in
                switch setting {
                case .off: "false"
                case .bytes: "true"
                case .json(let ignore, let only):
                    KeyBodyDraft.reader.format(
                        KeyBodyDraft(
                            json: true,
                            ignore: ignore.isEmpty ? nil : ignore,
                            only: only.isEmpty ? nil : only
                        )
                    )
                }
            }
        )
    }
}
