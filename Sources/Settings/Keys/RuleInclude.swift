import TOML

/// `[[include]]`: the rules of another file, for the servers that this file names.
public struct RuleInclude: Sendable, Equatable {
    /// A path; a relative one starts beside the settings file.
    public var file = ""
    /// URL patterns of servers; those of the file are appended to them.
    public var below: [String] = []
}

extension RuleInclude {
    static let keys: [TableKey<RuleInclude>] = [
        TableKey(
            "file",
            \.file,
            .path,
            "File of [[rule]]s whose patterns are paths. A relative path starts beside the settings file."
        ),
        TableKey(
            "below",
            \.below,
            .list(of: .serverPattern, atLeast: 1),
            "URLs that the rules are for: each pattern of the file is put behind each of these."
        ),
    ]

    static let reader = TableReader(name: "include", keys: keys)

    /// The most includes.
    static let limit = 100

    /// Binds rules of the file to the servers: all for the first server, then all for the next.
    func bound(_ rules: [RuleSettings]) -> [RuleSettings] {
        below.flatMap { server in
            rules.map { rule in
                var bound = rule
                bound.match = Self.joined(server, rule.match)
                return bound
            }
        }
    }

    private static func joined(_ server: String, _ path: String) -> String {
        let isClosed = server.last == "/"
        let rest = path.first == "/" ? path.dropFirst() : path[...]
        return isClosed ? server + rest : "\(server)/\(rest)"
    }
}

extension SettingType where Value == [RuleInclude] {
    static var includes: SettingType {
        SettingType(
            name: "list of tables",
            isText: false,
            parse: { (node) throws(SettingFault) -> [RuleInclude] in
                guard case .array(let nodes) = node.value, nodes.count <= RuleInclude.limit else {
                    throw SettingFault(
                        "a list of at most \(RuleInclude.limit) tables: write [[include]]",
                        insteadOf: node
                    )
                }
                return try FaultCollector.all(nodes) { (node) throws(SettingFault) -> RuleInclude in
                    var include = RuleInclude()
                    try RuleInclude.reader.read(node, into: &include)
                    for (name, isAbsent) in [("file", include.file.isEmpty), ("below", include.below.isEmpty)]
                    where isAbsent {
                        throw SettingFault.missing("an include needs `\(name)`", at: node.position)
                    }
                    return include
                }
            },
            format: { "[" + $0.map(RuleInclude.reader.format).joined(separator: ", ") + "]" }
        )
    }
}
