import TOML

/// `key-body` that is being read as a table.
struct KeyBodyDraft: Sendable {
    var json: Bool?
    var graphql: Bool?
    var ignore: [String]?
    var only: [String]?

    static let keys: [TableKey<KeyBodyDraft>] = [
        TableKey(
            optional: "json",
            \.json,
            .flag,
            "Whether the content is JSON: order of members and blanks do not count."
        ),
        TableKey(optional: "graphql", \.graphql, .flag, "Whether it is a GraphQL request: queries are keyed."),
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
                switch (draft.json ?? false, draft.graphql ?? false) {
                case (true, false): return .json(ignore: draft.ignore ?? [], only: draft.only ?? [])
                case (false, true) where draft.only == nil: return .graphql(ignore: draft.ignore ?? [])
                case (false, true):
                    throw SettingFault("{ graphql = true } without `only`: all of a query counts", insteadOf: node)
                default:
                    throw SettingFault.lacking("needs `json = true` or `graphql = true`, not both", at: node.position)
                }
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
                case .graphql(let ignore):
                    KeyBodyDraft.reader.format(KeyBodyDraft(graphql: true, ignore: ignore.isEmpty ? nil : ignore))
                }
            }
        )
    }
}
