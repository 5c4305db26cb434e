import TOML

/// A `[[warm]]` that is being read.
struct WarmDraft: Sendable {
    var urls: String?
    var every: Duration?

    init() {}

    init(_ settings: WarmSettings) { (urls, every) = (settings.urls, settings.every) }

    /// The most tables.
    static let limit = 64

    static let reader = TableReader(name: "warm", keys: keys)

    static let keys: [TableKey<WarmDraft>] = [
        TableKey(
            optional: "urls",
            \.urls,
            .path,
            "A file of URLs, one a line; # begins a comment. Each round reads it anew."
        ),
        TableKey(
            optional: "every",
            \.every,
            .duration(.seconds(1)...(.seconds(31_536_000))),
            "From the start of one round to that of the next; the first one begins at the start of the daemon."
        ),
    ]
}

extension SettingType where Value == [WarmSettings] {
    static var warm: SettingType {
        SettingType(
            name: "list of tables",
            isText: false,
            parse: { (node) throws(SettingFault) -> [WarmSettings] in
                guard case .array(let nodes) = node.value, nodes.count <= WarmDraft.limit else {
                    throw SettingFault("a list of at most \(WarmDraft.limit) tables: write [[warm]]", insteadOf: node)
                }
                return try FaultCollector.all(nodes) { (node) throws(SettingFault) -> WarmSettings in
                    var draft = WarmDraft()
                    try WarmDraft.reader.read(node, into: &draft)
                    guard let urls = draft.urls, let every = draft.every else {
                        let what = draft.urls == nil ? "`urls`, a file of URLs" : "`every`, such as \"1h\""
                        throw SettingFault.missing("a [[warm]] needs \(what)", at: node.position)
                    }
                    return WarmSettings(urls: urls, every: every)
                }
            },
            format: { list in
                "[" + list.map { WarmDraft.reader.format(WarmDraft($0)) }.joined(separator: ", ") + "]"
            }
        )
    }
}
