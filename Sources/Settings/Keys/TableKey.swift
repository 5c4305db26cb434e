import CommandSyntax
import TOML

/// A setting of a table that may occur more than once in a file: of a rule, a service, a step of a pipeline.
struct TableKey<Root: Sendable>: Sendable {
    /// The name without that of the table: `ttl`.
    let name: String
    /// The kind of values, for documentation.
    let typeName: String
    /// The default as TOML; nil if there is none.
    let defaultText: String?
    /// A sentence about its meaning.
    let summary: String
    let isText: Bool
    let assign: @Sendable (TOMLNode, inout Root) throws(SettingFault) -> Void
    /// The value as TOML; nil if it is not set.
    let format: @Sendable (Root) -> String?

    init(
        name: String,
        typeName: String,
        defaultText: String? = nil,
        summary: String,
        isText: Bool,
        assign: @escaping @Sendable (TOMLNode, inout Root) throws(SettingFault) -> Void,
        format: @escaping @Sendable (Root) -> String?
    ) {
        self.name = name
        self.typeName = typeName
        self.defaultText = defaultText
        self.summary = summary
        self.isText = isText
        self.assign = assign
        self.format = format
    }

    /// A member that is required or has a default; a default is not shown.
    init<Value: Equatable>(
        _ name: String,
        _ path: any WritableKeyPath<Root, Value> & Sendable,
        _ type: SettingType<Value>,
        default standard: Value? = nil,
        _ summary: String
    ) {
        self.init(
            name: name,
            typeName: type.name,
            defaultText: standard.map(type.format).flatMap { $0 == "[]" || $0 == "{  }" ? nil : $0 },
            summary: summary,
            isText: type.isText,
            assign: { (node, root) throws(SettingFault) in root[keyPath: path] = try type.parse(node) },
            format: { root in
                let value = root[keyPath: path]
                return value == standard ? nil : type.format(value)
            }
        )
    }

    /// A member that may be absent.
    init<Value>(
        optional name: String,
        _ path: any WritableKeyPath<Root, Value?> & Sendable,
        _ type: SettingType<Value>,
        _ summary: String
    ) {
        self.init(
            name: name,
            typeName: type.name,
            summary: summary,
            isText: type.isText,
            assign: { (node, root) throws(SettingFault) in root[keyPath: path] = try type.parse(node) },
            format: { $0[keyPath: path].map(type.format) }
        )
    }
}

/// Reads the members of one table into a value.
struct TableReader<Root: Sendable>: Sendable {
    /// The table's name in messages: `rule`.
    let name: String
    let keys: [TableKey<Root>]

    /// Reads all members, the faultless ones also if others have faults; then throws all faults.
    ///
    /// - Parameter isMember: whether other code reads a name, so that it is skipped here.
    func read(
        _ node: TOMLNode,
        into root: inout Root,
        except isMember: (String) -> Bool = { _ in false }
    ) throws(SettingFault) {
        if case .faulty(let fault) = node.value { throw SettingFault(fault) }
        guard case .table(let members) = node.value else {
            throw SettingFault(sentence: "`\(name)` must be a table, not \(node.shown)", position: node.position)
        }
        var faults = FaultCollector()
        for member in members where !isMember(member.key) {
            guard let key = keys.first(where: { $0.name == member.key }) else {
                faults.add(unknown(member))
                continue
            }
            do throws(SettingFault) {
                try key.assign(member.node, &root)
            } catch {
                faults.add(error.of("\(name).\(key.name)"))
            }
        }
        try faults.check()
    }

    /// The table as an inline table.
    func format(_ root: Root) -> String {
        let members = keys.compactMap { key in key.format(root).map { "\(key.name) = \($0)" } }
        return members.isEmpty ? "{}" : "{ " + members.joined(separator: ", ") + " }"
    }

    private func unknown(_ member: TOMLMember) -> SettingFault {
        let suggestion = NearestName.find(member.key, in: keys.map(\.name)).map { "\(name).\($0)" }
        return SettingFault(
            sentence: "unknown setting `\(name).\(member.key)`" + (suggestion == nil ? Version.hint : ""),
            position: member.keyPosition,
            suggestion: suggestion
        )
    }
}
